// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"

namespace roofscope::inject {

/// Finds copies from host memory to a GPU whose contents were copied to that GPU before.
///
/// Contents are read after the call has returned successfully, when they are still those that were
/// copied. If a call may return before it has copied, its stream is polled for a short time, never
/// with a blocking call. Memory is read only through the kernel (process_vm_readv), which returns
/// an error where a pointer would crash the program. Two things are not read: managed memory,
/// because its pages would migrate, and copies captured into graphs. Thread-safe.
class CopiedContents {
public:
    struct Limits {
        std::uint64_t leastBytes = 64ULL << 10;  ///< smaller copies take about as long as the call
        std::uint64_t mostRead = 4ULL << 30;     ///< bytes per process: 1 to 2 s
        std::size_t mostKnown = 100'000;         ///< different contents that are remembered
        /// How long to wait for streams to finish their copies: in total, and for one copy.
        std::chrono::milliseconds mostWait{500}, mostWaitOfOne{200};
    };

    /// The driver must outlive this object.
    explicit CopiedContents(const DriverApi& driver) : CopiedContents(driver, Limits()) {}
    CopiedContents(const DriverApi& driver, const Limits& limits)
        : m_driver(driver), m_limits(limits) {}

    struct Copy {
        std::uint64_t bytes = 0;
        bool read = false;
        bool known = false;  ///< read, and copied to this GPU before
        std::uint64_t hash = 0;
    };
    /// A call has returned successfully, outside of any capture. nullopt unless it copied at least
    /// `leastBytes` from host memory to a GPU.
    [[nodiscard]] std::optional<Copy> copied(CUpti_CallbackId id, const void* parameters,
                                             CUcontext context);

private:
    struct Request;
    [[nodiscard]] static std::optional<Request> requestOf(CUpti_CallbackId id,
                                                          const void* parameters);
    enum class Memory { Pageable, Pinned, Other };
    [[nodiscard]] Memory memoryAt(std::uint64_t address, std::uint64_t bytes) const;
    /// Deducts the bytes from the reading budget; false if too little is left.
    [[nodiscard]] bool mayRead(std::uint64_t bytes);
    /// Whether the stream finishes its work, waiting only briefly.
    [[nodiscard]] bool finished(CUstream stream);

    const DriverApi& m_driver;
    const Limits m_limits;
    /// Guards the rest; held only briefly, and never while calling anything else.
    std::mutex m_mutex;
    /// Context, bytes, hash.
    std::set<std::tuple<CUcontext, std::uint64_t, std::uint64_t>> m_known;
    std::uint64_t m_read = 0;
    std::chrono::nanoseconds m_waited{};
};

/// The hash of a block of this process' memory; absent if a part of it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> hashOfMemory(std::uint64_t address, std::uint64_t bytes);

}  // namespace roofscope::inject
