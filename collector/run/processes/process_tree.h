// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace roofscope {

/// Identifies a process, even if a later one gets the same id.
struct ProcessId {
    pid_t pid = 0;
    std::uint64_t started = 0;  ///< clock ticks since boot
};

/// Whether a child of the process belongs to a search, with all below it.
using IsMeant = std::function<bool(const ProcessId&)>;

/// All processes that `parent` started, directly or indirectly, as /proc shows them now. `parent`
/// itself is not included. A process whose own parent has ended is not found.
[[nodiscard]] std::vector<ProcessId> descendants(pid_t parent, const IsMeant& isMeant = {});

/// Sends a signal to those that are still running. Returns how many received it.
std::size_t signalAll(const std::vector<ProcessId>& processes, int signal);

}  // namespace roofscope
