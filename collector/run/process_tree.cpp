// SPDX-License-Identifier: Apache-2.0
#include "collector/run/process_tree.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace roofscope {
namespace {

namespace fs = std::filesystem;

struct Entry {
    pid_t parent = 0;
    std::uint64_t started = 0;
    char state = '?';
};

/// From /proc/PID/stat; nullopt when there is no such process.
std::optional<Entry> entryOf(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    // The name, in parentheses, may contain anything, so fields begin after the last ")".
    const auto name = text.rfind(')');
    if (name == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name + 1));
    Entry entry;
    fields >> entry.state >> entry.parent;
    std::string skipped;
    for (int field = 5; field < 22; ++field) fields >> skipped;
    fields >> entry.started;
    return fields ? std::optional(entry) : std::nullopt;
}

}  // namespace

std::vector<ProcessId> descendants(pid_t parent) {
    std::multimap<pid_t, ProcessId> children;
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        pid_t pid = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
        if (const auto entry = entryOf(pid))
            children.emplace(entry->parent, ProcessId{pid, entry->started});
    }
    std::vector<ProcessId> found;
    const auto add = [&](pid_t of) {
        const auto [from, to] = children.equal_range(of);
        std::transform(from, to, std::back_inserter(found),
                       [](const auto& child) { return child.second; });
    };
    add(parent);
    for (std::size_t i = 0; i < found.size(); ++i) add(found[i].pid);
    return found;
}

std::size_t signalAll(const std::vector<ProcessId>& processes, int signal) {
    return static_cast<std::size_t>(
        std::ranges::count_if(processes, [signal](const ProcessId& process) {
            const auto now = entryOf(process.pid);
            if (!now || now->started != process.started || now->state == 'Z') return false;
            return kill(process.pid, signal) == 0;
        }));
}

}  // namespace roofscope
