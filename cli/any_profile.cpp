// SPDX-License-Identifier: Apache-2.0
#include "cli/any_profile.h"

#include "collector/run/processes/child_process.h"
#include "importer/any_profile.h"
#include "reports/escape/escape.h"

namespace roofscope::cli {

RunProgram toolRunner() {
    return [](const std::vector<std::string>& command, std::uint64_t most) {
        return captureChild(command, false, most, nullptr, double(kNcuPatience.count()));
    };
}

Result<Profile> readAnyProfile(const std::string& path) {
    return roofscope::readAnyProfile(
        path, ROOFSCOPE_VERSION, toolRunner(),
        "ncu --import " + shellArgument(path) + " --csv --page raw > report.csv");
}

}  // namespace roofscope::cli
