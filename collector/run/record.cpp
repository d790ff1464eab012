// SPDX-License-Identifier: Apache-2.0
#include "collector/run/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "collector/run/child_process.h"
#include "collector/run/spool_reader.h"
#include "collector/run/stored_ceilings.h"
#include "profile/chip.h"

namespace roofscope {
namespace {

namespace fs = std::filesystem;

/// A private folder that is removed with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "roofscope-XXXXXX").string();
        if (!error && mkdtemp(pattern.data())) m_path = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!m_path.empty()) fs::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ",") + item;
    return text;
}

/// A misspelt group would show only in the program's process, after hours perhaps.
Result<void> checkGroups(const std::vector<std::string>& groups) {
    std::set<std::string> known;
    for (const auto& chip : knownChips())
        if (const auto table = chipTable(chip))
            for (const auto& [name, group] : table->groups) known.insert(name);
    std::string list;
    for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
    if (groups.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "no counter group is asked for",
                     .where = "--groups",
                     .advice = "known: " + list};
    for (const auto& group : groups)
        if (!known.contains(group))
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no counter group \"" + group + "\"",
                         .where = "--groups",
                         .advice = "known: " + list};
    return {};
}

bool lostSomething(const Profile& profile) {
    return std::any_of(profile.issues.begin(), profile.issues.end(),
                       [](const Issue& issue) { return issue.severity != Severity::Info; });
}

bool damaged(const Profile& profile) {
    return std::any_of(profile.issues.begin(), profile.issues.end(),
                       [](const Issue& issue) { return issue.code == "spool-damaged"; });
}

bool measuredSomething(const Profile& profile) {
    for (const auto& name : profile.counters.names())
        for (const double v : profile.counters.column(name))
            if (v == v) return true;
    return false;
}

}  // namespace

fs::path executableFolder() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path(".") : self.parent_path();
}

Result<fs::path> findInjectLibrary() {
    constexpr const char* kName = "libroofscope_inject.so";
    std::vector<fs::path> places;
    if (const char* chosen = std::getenv("ROOFSCOPE_INJECT"); chosen && *chosen) {
        places.emplace_back(chosen);
    } else {
        const fs::path here = executableFolder();
        places = {here / "../lib" / kName, here / "../lib64" / kName, here / kName};
#ifdef ROOFSCOPE_INSTALL_LIBDIR
        places.insert(places.begin() + 1, here / ".." / ROOFSCOPE_INSTALL_LIBDIR / kName);
#endif
    }
    std::string tried;
    for (const auto& place : places) {
        std::error_code error;
        if (fs::is_regular_file(place, error)) return fs::canonical(place, error);
        tried += (tried.empty() ? "" : ", ") + place.lexically_normal().string();
    }
    return Error{.code = ErrorCode::Unavailable,
                 .what = fmt::format("{} was not found (looked at {})", kName, tried),
                 .where = {},
                 .advice = ROOFSCOPE_HAVE_COLLECTOR
                               ? "reinstall roofscope, or set ROOFSCOPE_INJECT to the file"
                               : "this roofscope was built without the collector: build it with a "
                                 "CUDA toolkit 12.8 or later"};
}

Result<Recording> record(const RecordOptions& options) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
    auto library = options.library ? Result<fs::path>(*options.library) : findInjectLibrary();
    if (!library) return library.error();
    const TemporaryFolder spool;
    if (spool.path().empty())
        return Error{
            .code = ErrorCode::CannotCreate,
            .what = fmt::format("no temporary folder could be made: {}", std::strerror(errno)),
            .where = {},
            .advice = "set TMPDIR to a folder that can be written"};

    std::vector<Issue> issues;
    if (const char* other = std::getenv("CUDA_INJECTION64_PATH"); other && *other)
        issues.push_back({.severity = Severity::Info,
                          .source = "record",
                          .code = "injection-replaced",
                          .message = fmt::format("CUDA_INJECTION64_PATH was set to {}; it was "
                                                 "replaced for this run",
                                                 other)});
    const auto started = std::chrono::system_clock::now();
    auto status = runChild(options.command, {{"CUDA_INJECTION64_PATH", library->string()},
                                             {"NVTX_INJECTION64_PATH", library->string()},
                                             {"ROOFSCOPE_SPOOL_DIR", spool.path().string()},
                                             {"ROOFSCOPE_GROUPS", joined(options.groups)},
                                             {"ROOFSCOPE_PROFILING", "1"}});
    if (!status) return status.error();
    auto profile = readSpools(spool.path());
    if (!profile) return profile.error();

    Recording recording{.profile = std::move(*profile)};
    Profile& p = recording.profile;
    attachCeilings(p);
    p.capture.toolVersion = ROOFSCOPE_VERSION;
    p.capture.createdUtc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(started)));
    p.capture.strategy = "kernel";
    p.capture.groups = options.groups;
    p.capture.command = options.shownCommand.empty() ? options.command : options.shownCommand;
    p.capture.exitCode = status->code;
    p.capture.termSignal = status->signal;
    p.issues.insert(p.issues.begin(), issues.begin(), issues.end());
    recording.programExit = status->signal ? 128 + *status->signal : status->code.value_or(0);
    if (p.processes.empty())
        p.issues.push_back({.severity = Severity::Error,
                            .source = "record",
                            .code = "no-cuda",
                            .message = "the program did not initialise CUDA: nothing was measured",
                            .advice =
                                "check that it runs on the GPU, and that it is not statically "
                                "restricted from loading CUDA_INJECTION64_PATH"});
    else if (p.launches.empty() && !damaged(p))
        p.issues.push_back({.severity = Severity::Error,
                            .source = "record",
                            .code = "no-launch",
                            .message = "the program initialised CUDA but launched no kernel",
                            .advice = {}});
    return recording;
}

int recordExitCode(const Recording& recording) {
    if (recording.programExit != 0) return recording.programExit;
    if (!measuredSomething(recording.profile)) return kExitNothing;
    return lostSomething(recording.profile) ? kExitPartial : 0;
}

}  // namespace roofscope
