// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reads this process's memory at addresses that may be wrong: at an unmapped address, the system
/// call fails instead of crashing the program. If another thread writes there at the same time, old
/// and new bytes may be mixed. Async-signal-safe.
namespace roofscope::inject::own_memory {

/// Copies up to `bytes` bytes from `address` and stops at the first that cannot be read. Returns
/// how many were copied.
std::size_t copy(std::uintptr_t address, void* to, std::size_t bytes);

/// False unless all of it could be read.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] bool read(std::uintptr_t address, T& value) {
    return copy(address, &value, sizeof value) == sizeof value;
}

/// Whether the system allows this; sandboxes may forbid it.
[[nodiscard]] bool works();

}  // namespace roofscope::inject::own_memory
