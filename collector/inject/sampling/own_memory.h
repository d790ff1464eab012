// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "collector/inject/sampling/process_memory.h"

/// Reads this process's memory. See ProcessMemory.
namespace roofscope::inject::own_memory {

/// Copies up to `bytes` bytes from `address` and stops at the first that cannot be read. Returns
/// how many were copied.
std::size_t copy(std::uintptr_t address, void* to, std::size_t bytes);

/// False unless all of it could be read.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] bool read(std::uintptr_t address, T& value) {
    return ProcessMemory().read(address, value);
}

/// Whether the system allows this; sandboxes may forbid it.
[[nodiscard]] bool works();

}  // namespace roofscope::inject::own_memory
