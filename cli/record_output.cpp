// SPDX-License-Identifier: Apache-2.0
#include "cli/record_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.h"
#include "collector/run/interruptions.h"
#include "profile/codec.h"
#include "reports/escape.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIssueText = 1000;

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

/// Where a profile goes when its own place fails after all: what took hours to measure is not
/// thrown away because a folder is gone or a disk is full.
Result<fs::path> writeSomewhere(const Profile& profile, const fs::path& out) {
    const auto first = writeProfile(profile, out);
    if (first) return out;
    std::error_code error;
    for (const fs::path& folder : {fs::current_path(error), fs::temp_directory_path(error)}) {
        fs::path other = folder / out.filename();
        for (int n = 2; fs::exists(other, error); ++n)
            other = folder / fmt::format("{}-{}", n, out.filename().string());
        if (!writeProfile(profile, other)) continue;
        printError(first.error().message());
        return other;
    }
    return first.error();
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
    if (path == "-")
        return Error{.code = ErrorCode::Usage,
                     .what = "a profile is written to a file, not to stdout",
                     .where = "--out",
                     .advice = "example: --out app.roofscope.json"};
    if (fs::is_directory(path, error)) return refuse("is a folder");
    if (!fs::is_directory(folder, error)) return refuse("its folder does not exist");
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
        // A pipe or a device is written to as it is.
        if (access(path.c_str(), W_OK) != 0) return refuse(std::strerror(errno));
        return {};
    }
    if (access(folder.c_str(), W_OK) != 0) return refuse(std::strerror(errno));
    // Asking is not enough: some file systems refuse what their rights allow.
    std::string probe = (folder / ".roofscope-XXXXXX").string();
    const int file = mkstemp(probe.data());
    if (file < 0) return refuse(std::strerror(errno));
    close(file);
    unlink(probe.c_str());
    return {};
}

Result<int> recordTo(const RecordOptions& options, const fs::path& out, bool quiet) {
    if (auto ok = checkWritable(out); !ok) return ok.error();
    // From here on Ctrl-C loses nothing: also while runs are joined, and while the file is written.
    const Interruptions interruptions;
    auto recording = record(options);
    if (!recording) return recording.error();
    const Profile& profile = recording->profile;

    // A program that never touched CUDA leaves nothing to write.
    const bool write = !profile.processes.empty();
    fs::path written = out;
    if (write) {
        auto place = writeSomewhere(profile, out);
        if (!place) {
            if (recording->programExit == 0) return place.error();
            printError(place.error().message());
            return recording->programExit;
        }
        written = *place;
    }

    for (const Issue& issue : profile.issues)
        if (issue.severity != Severity::Info)
            printNote(cleanText(issue.advice.empty()
                                    ? issue.message
                                    : fmt::format("{} ({})", issue.message, issue.advice),
                                kMaxIssueText));
    if (!quiet && write)
        printNote(fmt::format("{} of {} launches of {} kernels measured in {} passes: {}",
                              measuredLaunches(profile), profile.launches.size(),
                              profile.kernels.size(), profile.capture.passes, written.string()));
    if (written != out && recording->programExit == 0) return exitCode(ErrorCode::Io);
    return recordExitCode(*recording);
}

}  // namespace roofscope::cli
