// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/process_memory.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace roofscope::inject {

std::size_t ProcessMemory::copy(std::uintptr_t address, void* to, std::size_t bytes) const {
    // Page by page: the system may refuse a whole piece because a part of it is not mapped.
    constexpr std::size_t kPage = 4096, kMostPieces = 20;
    std::array<iovec, kMostPieces> pieces;  // uninitialised, to be fast in a signal handler
    std::size_t count = 0, asked = 0;
    while (asked < bytes && count < kMostPieces) {
        const std::uintptr_t from = address + asked;
        const std::size_t piece = std::min(bytes - asked, kPage - from % kPage);
        pieces[count++] = {.iov_base = reinterpret_cast<void*>(from), .iov_len = piece};
        asked += piece;
    }
    const iovec target{.iov_base = to, .iov_len = asked};
    const pid_t process = m_process != 0 ? m_process : getpid();
    const long copied =
        syscall(SYS_process_vm_readv, process, &target, 1UL, pieces.data(), count, 0UL);
    return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

}  // namespace roofscope::inject
