// SPDX-License-Identifier: Apache-2.0
#include "cli/record_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "cli/terminal.h"
#include "profile/codec.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

std::size_t measuredLaunches(const Profile& profile) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < profile.launches.size(); ++row)
        for (const auto& name : profile.counters.names())
            if (profile.counters.value(name, row)) {
                ++count;
                break;
            }
    return count;
}

/// Issue texts hold names from the profiled program: nothing in them may steer the terminal.
std::string printable(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

}  // namespace

fs::path defaultOutput(const std::string& program) {
    std::string stem = fs::path(program).filename().string();
    if (stem.empty()) stem = "profile";
    fs::path path = stem + ".roofscope.json";
    for (int n = 2; fs::exists(path); ++n) path = fmt::format("{}-{}.roofscope.json", stem, n);
    return path;
}

Result<void> checkWritable(const fs::path& path) {
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const auto refuse = [&](std::string what) {
        return Error{.code = ErrorCode::CannotCreate,
                     .what = std::move(what),
                     .where = path.string(),
                     .advice = "choose another place with --out"};
    };
    if (fs::is_directory(path, error)) return refuse("is a folder");
    if (!fs::is_directory(folder, error)) return refuse("its folder does not exist");
    if (access(folder.c_str(), W_OK) != 0) return refuse(std::strerror(errno));
    return {};
}

Result<int> recordTo(const RecordOptions& options, const fs::path& out, bool quiet) {
    if (auto ok = checkWritable(out); !ok) return ok.error();
    auto recording = record(options);
    if (!recording) return recording.error();
    const Profile& profile = recording->profile;

    // A program that never touched CUDA leaves nothing to write.
    const bool write = !profile.processes.empty();
    if (write)
        if (auto ok = writeProfile(profile, out); !ok) return ok.error();

    for (const Issue& issue : profile.issues)
        if (issue.severity != Severity::Info)
            printNote(printable(issue.advice.empty()
                                    ? issue.message
                                    : fmt::format("{} ({})", issue.message, issue.advice)));
    if (!quiet && write)
        printNote(fmt::format("{} of {} launches of {} kernels measured in {} passes: {}",
                              measuredLaunches(profile), profile.launches.size(),
                              profile.kernels.size(), profile.capture.passes, out.string()));
    return recordExitCode(*recording);
}

}  // namespace roofscope::cli
