// SPDX-License-Identifier: Apache-2.0
#include "cli/any_profile.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "collector/run/processes/child_process.h"
#include "importer/any_file/any_profile.h"
#include "reports/escape/escape.h"

namespace roofscope::cli {

double toolPatience() {
    constexpr double kLongest = 86'400;
    const char* chosen = std::getenv("ROOFSCOPE_TOOL_PATIENCE");
    const std::string_view text = chosen ? chosen : "";
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool valid = error == std::errc() && end == text.data() + text.size();
    return valid && seconds > 0 && seconds <= kLongest ? seconds : double(kNcuPatience.count());
}

RunProgram toolRunner() {
    return [](const std::vector<std::string>& command, std::uint64_t most) {
        return captureChild(command, false, most, nullptr, toolPatience());
    };
}

Result<Profile> readAnyProfile(const std::string& path) {
    return roofscope::readAnyProfile(
        path, ROOFSCOPE_VERSION, toolRunner(),
        "ncu --import " + shellArgument(path) + " --csv --page raw > report.csv");
}

}  // namespace roofscope::cli
