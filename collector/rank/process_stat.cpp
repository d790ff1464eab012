// SPDX-License-Identifier: Apache-2.0
#include "collector/rank/process_stat.h"

#include <fstream>
#include <sstream>
#include <string>

namespace roofscope {

std::optional<ProcessStat> statOf(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    // Reading fails when the process ends between open and read. getline() then returns what it
    // has; a stream's iterators would throw.
    std::string text;
    std::getline(file, text, '\0');
    // The name is in parentheses and may contain anything, so the fields begin after the last ")".
    const auto name = text.rfind(')');
    if (name == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name + 1));
    ProcessStat stat;
    fields >> stat.state >> stat.parent;
    std::string skipped;
    for (int field = 5; field < 22; ++field) fields >> skipped;
    fields >> stat.started;
    return fields ? std::optional(stat) : std::nullopt;
}

}  // namespace roofscope
