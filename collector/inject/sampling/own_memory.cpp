// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/own_memory.h"

namespace roofscope::inject::own_memory {

std::size_t copy(std::uintptr_t address, void* to, std::size_t bytes) {
    return ProcessMemory().copy(address, to, bytes);
}

bool works() {
    const std::uint64_t there = 0x726f6f66;
    std::uint64_t seen = 0;
    return read(reinterpret_cast<std::uintptr_t>(&there), seen) && seen == there &&
           !read(std::uintptr_t{8}, seen);
}

}  // namespace roofscope::inject::own_memory
