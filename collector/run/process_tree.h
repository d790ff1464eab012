// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace roofscope {

/// A process that cannot be mistaken for a later one with its number.
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t started = 0;  ///< clock ticks since boot
};

/// What `parent` started, and what those started in turn, as /proc shows it now; without `parent`
/// itself. What outlived the process that started it is no longer seen.
[[nodiscard]] std::vector<ProcessId> descendants(pid_t parent);

/// Sends a signal to those that still run. Returns how many did.
std::size_t signalAll(const std::vector<ProcessId>& processes, int signal);

}  // namespace roofscope
