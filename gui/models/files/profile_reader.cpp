// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/profile_reader.h"

#include <cstdio>
#include <memory>

#include "importer/any_profile.h"
#include "reports/escape/escape.h"

namespace roofscope::gui {
namespace {

/// Runs a program through the shell and returns its stdout. Uses popen() instead of QProcess: the
/// worker thread has no Qt event loop and may outlive the window.
Result<std::string> outputOf(const std::vector<std::string>& command, std::uint64_t most) {
    const std::string line = shellCommand(command, 100'000);
    const auto close = [](FILE* pipe) { pclose(pipe); };
    std::unique_ptr<FILE, decltype(close)> pipe(popen(("exec " + line).c_str(), "r"), close);
    if (!pipe) return Error{.code = ErrorCode::Unavailable, .what = "cannot be started"};
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    while (const std::size_t read = std::fread(block.data(), 1, block.size(), pipe.get())) {
        text.append(block, 0, read);
        if (text.size() > most)
            return Error{.code = ErrorCode::BadData, .what = "its output is too large"};
    }
    const int status = pclose(pipe.release());
    if (status != 0) {
        // ncu prints errors to stdout: "==ERROR== …".
        constexpr std::size_t kMost = 300;
        return Error{.code = ErrorCode::BadData,
                     .what = text.empty() ? "it failed" : text.substr(0, kMost)};
    }
    return text;
}

}  // namespace

bool isFromNcu(const QString& path) { return roofscope::isFromNcu(path.toStdString()); }

Result<Profile> readAnyProfile(const std::filesystem::path& path) {
    return roofscope::readAnyProfile(
        path, ROOFSCOPE_VERSION, outputOf,
        "ncu --import " + shellArgument(path.string()) + " --csv --page raw > report.csv");
}

}  // namespace roofscope::gui
