// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace roofscope {

/// What /proc/PID/stat says about a process (proc(5)).
struct ProcessStat {
    pid_t parent = 0;
    std::uint64_t started = 0;  ///< clock ticks since boot
    char state = '?';
};
/// nullopt if there is no such process.
[[nodiscard]] std::optional<ProcessStat> statOf(pid_t pid);

}  // namespace roofscope
