// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sampling/thread_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace roofscope::inject {
namespace {

/// The next number of a line, decimal or with 0x; absent at its end.
std::optional<std::uint64_t> nextNumber(std::string_view& line) {
    while (line.starts_with(' ')) line.remove_prefix(1);
    const bool hex = line.starts_with("0x");
    if (hex) line.remove_prefix(2);
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(line.data(), line.data() + line.size(), number, hex ? 16 : 10);
    if (error != std::errc{}) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return number;
}

int openNumbered(const char* format, pid_t id) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), format, static_cast<int>(id));
    return open(path.data(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

std::optional<ThreadNow> parseThreadNow(std::string_view line) {
    if (line.starts_with("running")) return ThreadNow{.running = true};
    ThreadNow now;
    int skipped = 0;  // arguments
    if (line.starts_with("-1 ")) {
        line.remove_prefix(2);
    } else {
        const auto call = nextNumber(line);
        constexpr std::uint64_t kMostCalls = 1U << 20U;
        if (!call || *call > kMostCalls) return std::nullopt;
        now.call = static_cast<long>(*call);
        skipped = 6;
    }
    for (int i = 0; i < skipped; ++i)
        if (!nextNumber(line)) return std::nullopt;
    const auto stack = nextNumber(line), code = nextNumber(line);
    if (!stack || !code) return std::nullopt;
    now.stack = *stack;
    now.code = *code;
    return now;
}

CpuWait waitOf(long call) {
    switch (call) {
        case SYS_futex:
            return CpuWait::Lock;
        case SYS_ppoll:
        case SYS_pselect6:
        case SYS_epoll_pwait:
#ifdef SYS_poll
        case SYS_poll:
        case SYS_select:
        case SYS_epoll_wait:
#endif
            return CpuWait::Poll;
        case SYS_read:
        case SYS_pread64:
        case SYS_readv:
        case SYS_preadv:
        case SYS_recvfrom:
        case SYS_recvmsg:
        case SYS_accept:
        case SYS_accept4:
            return CpuWait::Read;
        case SYS_write:
        case SYS_pwrite64:
        case SYS_writev:
        case SYS_sendto:
        case SYS_sendmsg:
        case SYS_fsync:
        case SYS_fdatasync:
            return CpuWait::Write;
        case SYS_nanosleep:
        case SYS_clock_nanosleep:
            return CpuWait::Sleep;
        case SYS_wait4:
        case SYS_waitid:
            return CpuWait::Child;
        case SYS_ioctl:
            return CpuWait::Driver;
        default:
            return CpuWait::Other;
    }
}

ThreadWatch::ThreadWatch(pid_t thread)
    : m_file(openNumbered("/proc/self/task/%d/syscall", thread)) {}

ThreadWatch ThreadWatch::ofProcess(pid_t process) {
    return ThreadWatch(File{openNumbered("/proc/%d/syscall", process)});
}

ThreadWatch::~ThreadWatch() {
    if (m_file >= 0) close(m_file);
}

std::optional<ThreadNow> ThreadWatch::now() const {
    std::array<char, 256> text{};
    const ssize_t length = m_file < 0 ? -1 : pread(m_file, text.data(), text.size(), 0);
    if (length <= 0) return std::nullopt;
    return parseThreadNow({text.data(), static_cast<std::size_t>(length)});
}

std::vector<pid_t> allThreads() {
    std::vector<pid_t> threads;
    DIR* const folder = opendir("/proc/self/task");
    if (!folder) return threads;
    while (const dirent* entry = readdir(folder))
        if (const int id = std::atoi(entry->d_name); id > 0) threads.push_back(id);
    closedir(folder);
    return threads;
}

}  // namespace roofscope::inject
