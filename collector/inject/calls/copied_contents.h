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

/// Tells which copies from host memory to a GPU carry contents that were copied there before.
///
/// Contents are read after the call has returned with success, when they are certainly those that
/// were copied. If the call may return before it has copied, its stream is waited for: for a short
/// time and without a call that blocks. Memory is only read through the kernel (process_vm_readv),
/// which returns an error where a pointer would crash the program. Managed memory, whose pages
/// would move, and copies that are captured in graphs are not read. Thread-safe.
class CopiedContents {
public:
    struct Limits {
        std::uint64_t leastBytes = 64ULL << 10;  ///< smaller copies take no longer than their call
        std::uint64_t mostRead = 4ULL << 30;     ///< bytes per process: 1 to 2 s
        std::size_t mostKnown = 100'000;         ///< different contents that are remembered
        /// How long to wait for streams to finish their copies: all together, and one.
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
    /// A call has returned with success, outside of any capture. Nothing, unless it copied enough
    /// bytes from host memory to a GPU.
    [[nodiscard]] std::optional<Copy> copied(CUpti_CallbackId id, const void* parameters,
                                             CUcontext context);

private:
    struct Request;
    [[nodiscard]] static std::optional<Request> requestOf(CUpti_CallbackId id,
                                                          const void* parameters);
    enum class Memory { Pageable, Pinned, Other };
    [[nodiscard]] Memory memoryAt(std::uint64_t address, std::uint64_t bytes) const;
    /// Takes bytes from what may still be read; false if that is not enough.
    [[nodiscard]] bool mayRead(std::uint64_t bytes);
    /// Whether the stream has nothing left to do, after a short wait at most.
    [[nodiscard]] bool finished(CUstream stream);

    const DriverApi& m_driver;
    const Limits m_limits;
    /// Guards the rest; held only for moments, during which nothing else is called.
    std::mutex m_mutex;
    /// Context, bytes, hash.
    std::set<std::tuple<CUcontext, std::uint64_t, std::uint64_t>> m_known;
    std::uint64_t m_read = 0;
    std::chrono::nanoseconds m_waited{};
};

/// The hash of a block of this process' memory; absent if a part of it cannot be read.
[[nodiscard]] std::optional<std::uint64_t> hashOfMemory(std::uint64_t address, std::uint64_t bytes);

}  // namespace roofscope::inject
