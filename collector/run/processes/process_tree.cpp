// SPDX-License-Identifier: Apache-2.0
#include "collector/run/processes/process_tree.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "collector/rank/process_stat.h"

namespace fs = std::filesystem;

namespace roofscope {

std::vector<ProcessId> descendants(pid_t parent, const IsMeant& isMeant) {
    std::multimap<pid_t, ProcessId> children;
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        pid_t pid = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
        if (const auto entry = statOf(pid))
            children.emplace(entry->parent, ProcessId{pid, entry->started});
    }
    std::vector<ProcessId> found;
    const auto add = [&](pid_t of) {
        const auto [from, to] = children.equal_range(of);
        std::transform(from, to, std::back_inserter(found),
                       [](const auto& child) { return child.second; });
    };
    add(parent);
    if (isMeant) std::erase_if(found, std::not_fn(isMeant));
    for (std::size_t i = 0; i < found.size(); ++i) add(found[i].pid);
    return found;
}

std::size_t signalAll(const std::vector<ProcessId>& processes, int signal) {
    return static_cast<std::size_t>(
        std::ranges::count_if(processes, [signal](const ProcessId& process) {
            const auto now = statOf(process.pid);
            if (!now || now->started != process.started || now->state == 'Z') return false;
            return kill(process.pid, signal) == 0;
        }));
}

}  // namespace roofscope
