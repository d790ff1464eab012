// SPDX-License-Identifier: Apache-2.0
#include "collector/run/recording/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "collector/run/join/join_parts.h"
#if ROOFSCOPE_HAVE_COLLECTOR
#include "collector/cupti/driver_api.h"
#endif

namespace roofscope {
namespace {

bool lostSomething(const Profile& profile) {
    return std::ranges::any_of(profile.issues,
                               [](const Issue& issue) { return issue.severity != Severity::Info; });
}

bool measuredSomething(const Profile& profile) {
    for (const Launch& launch : profile.launches)
        if (launch.duration) return true;
    return std::ranges::any_of(profile.counters.names(), [&](const std::string& name) {
        bool measured = false;
        profile.counters.column(name).forEach([&](std::size_t, double) { measured = true; });
        return measured;
    });
}

/// If a run was ended early, adds to its issue that its measurements are kept. Returns whether
/// there was such a run.
bool noteKeptMeasurements(Profile& profile) {
    bool cutOff = false;
    for (Issue& issue : profile.issues) {
        const bool ended =
            issue.code == "timeout" || issue.code == "interrupted" || issue.code == "time-limit";
        if (!ended || issue.severity == Severity::Info) continue;  // it was a further run
        cutOff = true;
        if (!profile.launches.empty())
            issue.advice = "everything measured until then is in this profile";
    }
    // The recording itself ended the program.
    if (cutOff)
        std::erase_if(profile.issues,
                      [](const Issue& issue) { return issue.code == "process-ended-early"; });
    return cutOff;
}

/// Why there is no driver; empty if there is one.
std::string missingDriver() {
    std::string why;
#if ROOFSCOPE_HAVE_COLLECTOR
    DriverApi::load(&why);
#endif
    return why;
}

Issue noCudaIssue(bool cutOff) {
    Issue issue{.severity = Severity::Error,
                .source = "record",
                .code = "no-cuda",
                .message = cutOff ? "the program had not initialised CUDA when it was ended: "
                                    "nothing was measured"
                                  : "the program did not initialise CUDA: nothing was measured",
                .advice =
                    "check that it runs on the GPU, and that nothing keeps it from loading the "
                    "library in CUDA_INJECTION64_PATH"};
    if (const std::string why = missingDriver(); !why.empty()) {
        issue.message += "; " + why;
        issue.advice = "run \"roofscope doctor\"";
    } else if (cutOff) {
        issue.advice = "allow more time";
    }
    return issue;
}

}  // namespace

std::vector<Issue> issuesBefore(const RecordOptions& options) {
    std::vector<Issue> issues;
    if (const char* other = std::getenv("CUDA_INJECTION64_PATH"); other && *other)
        issues.push_back({.severity = Severity::Info,
                          .source = "record",
                          .code = "injection-replaced",
                          .message = fmt::format("CUDA_INJECTION64_PATH was set to {}; it was "
                                                 "replaced for this run",
                                                 other)});
    if (timingRunsOf(options) == 0 && !options.timingRuns)
        issues.push_back(
            {.severity = Severity::Info,
             .source = "record",
             .code = "one-run-under-mpi",
             .message = "under an MPI launcher a program may start only once: counters were read "
                        "in that one run, and durations are those of the measured launches",
             .advice =
                 "on one machine record the launcher, \"roofscope record -- mpirun …\"; without "
                 "MPI ask for several runs, --timing-repeats 1; --timing-only times all "
                 "launches of one run"});
    return issues;
}

void sayWhatIsMissing(Profile& p, const RecordOptions& options) {
    const bool cutOff = noteKeptMeasurements(p);
    if (p.processes.empty()) return p.issues.push_back(noCudaIssue(cutOff));
    if (!p.launches.empty()) return;
    const auto noLaunch = [&](std::string message, std::string advice) {
        p.issues.push_back({.severity = Severity::Error,
                            .source = "record",
                            .code = "no-launch",
                            .message = std::move(message),
                            .advice = std::move(advice)});
    };
    if (hasIssue(p, "autotuning-left-out"))
        return noLaunch("all selected launches belong to autotuning, which is left out",
                        "record them with --autotuning keep");
    if (hasIssue(p, "spool-damaged")) return;
    if (!options.selection.all())
        return noLaunch("the options select none of the program's launches",
                        "check --kernel, --nvtx and the other options that select launches");
    noLaunch(cutOff ? "the program had launched no kernel when it was ended"
                    : "the program initialised CUDA but launched no kernel",
             "");
}

int recordExitCode(const Recording& recording) {
    if (recording.programExit != 0) return recording.programExit;
    if (!measuredSomething(recording.profile)) return kExitNothing;
    return lostSomething(recording.profile) ? kExitPartial : 0;
}

}  // namespace roofscope
