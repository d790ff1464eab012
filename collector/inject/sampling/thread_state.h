// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/model/cpu_samples.h"

namespace roofscope::inject {

/// What a thread is doing at one moment.
struct ThreadNow {
    bool running = false;  ///< or waiting for a CPU
    long call = -1;        ///< otherwise: the number of its system call; -1: none (a page fault)
    std::uint64_t stack = 0, code = 0;  ///< if not running: its registers rsp and rip
    bool operator==(const ThreadNow&) const = default;
};

/// Parses /proc/self/task/*/syscall.
[[nodiscard]] std::optional<ThreadNow> parseThreadNow(std::string_view line);

/// What a system call of this number waits for.
[[nodiscard]] CpuWait waitOf(long call);

/// Asks the system what a thread is doing.
class ThreadWatch {
public:
    /// Of this process.
    explicit ThreadWatch(pid_t thread);
    /// The first thread of another process.
    static ThreadWatch ofProcess(pid_t process);
    ~ThreadWatch();
    ThreadWatch(const ThreadWatch&) = delete;
    ThreadWatch& operator=(const ThreadWatch&) = delete;

    /// Absent if the thread is gone, or the system does not say. Never of another thread that has
    /// got its id.
    [[nodiscard]] std::optional<ThreadNow> now() const;

private:
    struct File {
        int number;
    };
    explicit ThreadWatch(File file) : m_file(file.number) {}
    int m_file;
};

/// The ids of all threads of this process.
[[nodiscard]] std::vector<pid_t> allThreads();

}  // namespace roofscope::inject
