// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_reader.h"

#include "gui/models/files/tool_output.h"
#include "importer/any_file/any_profile.h"
#include "reports/escape/escape.h"

namespace roofscope::gui {

bool isFromNcu(const QString& path) { return roofscope::isFromNcu(path.toStdString()); }

bool mayNeedProgram(const QString& path) {
    return roofscope::isNcuReport(path.toStdString()) ||
           path.endsWith(QLatin1String(".nsys-rep"), Qt::CaseInsensitive);
}

Result<Profile> readAnyProfile(const std::filesystem::path& path, const std::stop_token& stop) {
    return roofscope::readAnyProfile(
        path, ROOFSCOPE_VERSION,
        [&stop](const std::vector<std::string>& command, std::uint64_t most) {
            return toolOutput(command, most, kNcuPatience, stop);
        },
        "ncu --import " + shellArgument(path.string()) + " --csv --page raw > report.csv");
}

}  // namespace roofscope::gui
