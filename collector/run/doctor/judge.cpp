// SPDX-License-Identifier: Apache-2.0
#include "collector/run/doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

constexpr int kUnavailable = 69, kTemporary = 75, kNotPermitted = 77;

/// Adds a check if a child process that collected facts crashed or hung.
void judgeEnding(const Facts& f, Checks& checks) {
    const auto add = [&](const Ending& ending, const char* id, const char* title,
                         std::string advice, std::string command, bool fatal) {
        if (ending.inOrder()) return;
        Check check{
            .id = id, .title = title, .status = fatal ? CheckStatus::Failed : CheckStatus::Warning};
        check.advice = std::move(advice);
        check.commands = {std::move(command)};
        const std::string where = ending.step.empty() ? "" : fmt::format(" ({})", ending.step);
        if (!ending.started) {
            check.cause = "not-started";
            check.detail = "the check could not be started";
        } else if (ending.timedOut) {
            check.cause = "hangs";
            check.detail = fmt::format("no answer within {} s{}", ending.seconds, where);
        } else {
            check.cause = "crashed";
            const char* name = strsignal(ending.signal);
            check.detail = fmt::format("crashed with signal {} ({}){}", ending.signal,
                                       name ? name : "?", where);
        }
        checks.push_back(std::move(check));
    };
    add(f.gpuEnding, "driver-answer", "Driver and CUPTI",
        f.gpuEnding.signal != 0
            ? "driver and CUPTI do not match: install both from one CUDA version"
            : "the GPU may have fallen off the bus: check the kernel log",
        f.gpuEnding.signal != 0 ? "pip install nvidia-cuda-cupti"
                                : "sudo dmesg | grep -i -e nvrm -e xid",
        true);
    add(f.systemEnding, "system-answer", "System",
        "some of the checks are missing; a file system or a process may be stuck",
        "sudo dmesg | tail", false);
}

int exitCodeOf(const Checks& checks) {
    for (const Check& check : checks) {
        if (check.status != CheckStatus::Failed) continue;
        if (check.cause == "busy") return kTemporary;
        // Only if the first failure is a refusal by the system, not something missing or broken.
        if (check.cause == "not-permitted" || check.cause == "wsl") return kNotPermitted;
        return kUnavailable;
    }
    // 0 only if a check has actually read counters.
    const bool allowed = std::ranges::any_of(checks, [](const Check& check) {
        return check.id.starts_with("counter-permission") && check.status == CheckStatus::Ok;
    });
    return allowed ? 0 : kUnavailable;
}

}  // namespace

std::string numbered(const char* id, std::size_t index) {
    return index == 0 ? id : fmt::format("{}-{}", id, index);
}

Diagnosis judge(const Facts& f) {
    Diagnosis diagnosis;
    Checks& checks = diagnosis.checks;
    judgeSystem(f.system, checks);
    if (f.gpu.built) {
        judgeDriverAndGpus(f, checks);
        judgeCupti(f, checks);
        judgeCounters(f, checks);
    }
    judgeSharing(f, checks);
    judgeEnding(f, checks);
    diagnosis.exitCode = exitCodeOf(checks);
    return diagnosis;
}

}  // namespace roofscope::doctor
