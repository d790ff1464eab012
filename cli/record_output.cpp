// SPDX-License-Identifier: Apache-2.0
#include "cli/record_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/processes/interruptions.h"
#include "profile/codec/codec.h"
#include "profile/files/output_file.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIssueText = 1000;

std::size_t measuredLaunches(const Profile& profile) {
    const std::vector<bool> rows = measuredAt(profile, profile.counters.names());
    return static_cast<std::size_t>(std::ranges::count(rows, true));
}

std::string followUpSummary(std::size_t readings) {
    if (readings == 0) return {};
    return fmt::format(", and {} read",
                       countText(readings, "follow-up question", "follow-up questions"));
}

constexpr const char* kSuffix = ".roofscope.json";

/// "app.roofscope.json" → "app-2.roofscope.json", "x.json" → "x-2.json".
fs::path withNumber(const fs::path& path, int number) {
    const std::string name = path.filename().string();
    std::size_t stem = name.rfind(kSuffix);
    if (stem == std::string::npos || stem == 0) stem = fs::path(name).stem().string().size();
    return path.parent_path() /
           fmt::format("{}-{}{}", name.substr(0, stem), number, name.substr(stem));
}

/// Writes the profile. If that fails, tries other folders and sets `elsewhere`: hours of
/// measurement must not be lost because a folder was deleted or a disk is full.
Result<fs::path> writeWithFallback(const Profile& profile, const ProfileOutput& output,
                                   bool& elsewhere) {
    auto first = writeProfileTo(profile, output);
    if (first) return first;
    std::vector<fs::path> folders{"."};
    if (const auto parent = temporaryParent()) folders.push_back(*parent);
    for (const fs::path& folder : folders) {
        auto other =
            writeProfileTo(profile, {.path = folder / output.path.filename(), .numbered = true});
        if (!other) continue;
        printError(first.error().message());
        elsewhere = true;
        return other;
    }
    return first.error();
}

}  // namespace

ProfileOutput defaultOutput(const std::string& program) {
    // The system's limit for a file name, minus the suffix and space for a number.
    constexpr std::size_t kMost = NAME_MAX - 15 - 10;
    std::string stem = fs::path(program).filename().string();
    if (stem.size() > kMost) {
        std::size_t end = kMost;
        while (end > 0 && (static_cast<unsigned char>(stem[end]) & 0xC0) == 0x80) --end;
        stem.resize(end);
    }
    if (stem.empty()) stem = "profile";
    return {.path = stem + kSuffix, .numbered = true};
}

Result<fs::path> writeProfileTo(const Profile& profile, const ProfileOutput& output) {
    fs::path path = output.path;
    if (output.numbered) {
        // Reserve the name with an empty file, which is replaced later.
        int file = -1;
        for (int number = 2;; ++number) {
            file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file >= 0 || errno != EEXIST) break;
            path = withNumber(output.path, number);
        }
        if (file >= 0) close(file);
    }
    if (const auto written = writeProfile(profile, path); !written) {
        std::error_code ignored;
        if (output.numbered && fs::is_empty(path, ignored)) fs::remove(path, ignored);
        return written.error();
    }
    return path;
}

Result<void> checkWritable(const fs::path& path) {
    std::error_code error;
    const fs::path target = linkTarget(path);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
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
        // Pipes and devices are written to directly.
        if (access(path.c_str(), W_OK) != 0) return refuse(std::strerror(errno));
        return {};
    }
    struct stat there {};
    if (lstat(target.c_str(), &there) != 0 && errno != ENOENT) return refuse(std::strerror(errno));
    if (S_ISLNK(there.st_mode)) return refuse(std::strerror(ELOOP));
    if (access(folder.c_str(), W_OK) != 0) return refuse(std::strerror(errno));
    // Checking permissions is not enough: some file systems refuse to write anyway.
    std::string probe = (folder / ".roofscope-XXXXXX").string();
    const int file = mkstemp(probe.data());
    if (file < 0) return refuse(std::strerror(errno));
    close(file);
    unlink(probe.c_str());
    return {};
}

Result<int> recordTo(const RecordOptions& options, const ProfileOutput& output, bool quiet,
                     fs::path* writtenTo) {
    if (auto ok = checkWritable(output.path); !ok) return ok.error();
    // From here on Ctrl-C loses no data, even while runs are joined or the file is written.
    const Interruptions interruptions;
    auto recording = record(options);
    if (!recording) return recording.error();
    const Profile& profile = recording->profile;

    // If the program never used CUDA, there is nothing to write.
    const bool write = !profile.processes.empty();
    fs::path written;
    bool elsewhere = false;
    if (write) {
        auto place = writeWithFallback(profile, output, elsewhere);
        if (!place) {
            if (recording->programExit == 0) return place.error();
            printError(place.error().message());
            return recording->programExit;
        }
        written = *place;
        if (writtenTo) *writtenTo = written;
    }

    for (const Issue& issue : profile.issues)
        if (issue.severity != Severity::Info)
            printNote(cleanText(issue.advice.empty()
                                    ? issue.message
                                    : fmt::format("{} ({})", issue.message, issue.advice),
                                kMaxIssueText));
    if (!quiet && write)
        printNote(fmt::format("{} of {} of {} measured in {}{}: {}", measuredLaunches(profile),
                              countText(profile.launches.size(), "launch", "launches"),
                              countText(profile.kernels.size(), "kernel", "kernels"),
                              countText(profile.capture.passes, "pass", "passes"),
                              followUpSummary(profile.capture.further.size()), written.string()));
    if (elsewhere && recording->programExit == 0) return exitCode(ErrorCode::Io);
    return recordExitCode(*recording);
}

}  // namespace roofscope::cli
