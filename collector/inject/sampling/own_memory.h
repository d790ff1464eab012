// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Reads the memory of this process by addresses that may be wrong: an address without memory is an
/// error of the system call, not a crash. What other threads change meanwhile may be read torn.
/// Async-signal-safe.
namespace roofscope::inject::own_memory {

/// Copies up to `bytes` bytes from `address`, as many as are there from its start on. Returns how
/// many.
std::size_t copy(std::uintptr_t address, void* to, std::size_t bytes);

/// False unless all of it could be read.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] bool read(std::uintptr_t address, T& value) {
    return copy(address, &value, sizeof value) == sizeof value;
}

/// Whether the system allows it; sandboxes may not.
[[nodiscard]] bool works();

}  // namespace roofscope::inject::own_memory
