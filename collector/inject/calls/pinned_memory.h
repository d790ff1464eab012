// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

#include "collector/cupti/cupti_api.h"

namespace roofscope::inject {

/// How much page-locked host memory the program holds. Kernel replay copies all of it, slowly, for
/// each launch that it replays. Thread-safe.
class PinnedMemory {
public:
    /// The driver calls for which succeeded() must be called.
    [[nodiscard]] static std::span<const CUpti_CallbackId> calls();
    /// One of calls() has succeeded.
    void succeeded(CUpti_CallbackId id, const void* parameters);
    /// The most bytes that were held at one time.
    [[nodiscard]] std::uint64_t most() const;

private:
    void add(const void* begin, std::uint64_t bytes);
    void remove(const void* begin);

    mutable std::mutex m_mutex;  ///< guards all
    std::unordered_map<const void*, std::uint64_t> m_held;
    std::uint64_t m_now = 0, m_most = 0;
};

}  // namespace roofscope::inject
