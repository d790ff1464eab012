// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "collector/run/doctor/error_codes.h"
#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {
namespace {

void judgeChip(const GpuFacts& gpu, std::size_t i, Checks& checks) {
    if (!gpu.chipName.ok()) return;
    checks.push_back(
        {.id = numbered("chip", i),
         .title = "Chip",
         .status = !gpu.tableError.empty() ? CheckStatus::Failed
                   : gpu.tableVerified     ? CheckStatus::Ok
                                           : CheckStatus::Warning,
         .detail =
             !gpu.tableError.empty()
                 ? gpu.tableError
                 : fmt::format("{} (compute capability {}.{}){}", gpu.chip, gpu.computeMajor,
                               gpu.computeMinor,
                               gpu.tableVerified
                                   ? ""
                                   : ", without a table of its own: that of its family is used"),
         .advice = gpu.tableError.empty()
                       ? ""
                       : "a newer roofscope may know it; ask for a table for this chip",
         .cause = gpu.tableError.empty() ? "" : "unknown-chip"});
}

void judgePermission(const Facts& f, std::size_t i, Checks& checks) {
    const GpuFacts& gpu = f.gpu.gpus[i];
    if (gpu.context.failed()) {
        checks.push_back({.id = numbered("counter-permission", i),
                          .title = "Counter permission",
                          .status = CheckStatus::Failed,
                          .detail = "no CUDA context could be created: " + gpu.context.text,
                          .advice = "the GPU may be full, broken or in exclusive use",
                          .cause = "no-context",
                          .commands = {"nvidia-smi"}});
        return;
    }
    const Answer* refusal = nullptr;
    for (const Answer* call :
         {&gpu.initialize, &gpu.chipName, &gpu.availability, &gpu.enable, &gpu.start})
        if (!refusal && call->failed()) refusal = call;
    if (refusal) {
        checks.push_back(judgeRefusal(f, gpu, i, *refusal));
    } else if (gpu.enable.ok()) {
        checks.push_back({.id = numbered("counter-permission", i),
                          .title = "Counter permission",
                          .status = CheckStatus::Ok,
                          .detail = fmt::format("counters of {} can be read{}{}", gpu.name,
                                                f.system.restriction.empty() ? "" : "; ",
                                                f.system.restriction)});
    }
}

/// Without a GPU, counters cannot be tried, but the kernel module's setting may predict a refusal.
void judgeUntried(const Facts& f, Checks& checks) {
    const char* reason = f.gpu.gpus.empty() ? "needs a GPU" : "needs a working CUPTI";
    checks.push_back({.id = "chip", .title = "Chip", .detail = reason});
    checks.push_back({.id = "counter-permission", .title = "Counter permission", .detail = reason});
    if (f.system.restriction.ends_with("1") && !f.system.hasSysAdmin) {
        Check check =
            judgeRefusal(f, {}, 0, {true, CuptiError::InsufficientPrivileges, "not tried"});
        check.id = "counter-restriction";
        check.title = "Counter restriction";
        check.status = CheckStatus::Warning;
        check.detail = f.system.restriction;
        checks.push_back(std::move(check));
    }
}

}  // namespace

void judgeCounters(const Facts& f, Checks& checks) {
    bool any = false;
    for (std::size_t i = 0; i < f.gpu.gpus.size(); ++i) {
        const GpuFacts& gpu = f.gpu.gpus[i];
        if (!gpu.initialize.asked) continue;
        any = true;
        judgeChip(gpu, i, checks);
        judgePermission(f, i, checks);
    }
    if (!any) judgeUntried(f, checks);
}

bool countersWork(const GpuProbe& probe) {
    return std::ranges::any_of(
        probe.gpus, [](const GpuFacts& gpu) { return gpu.enable.ok() && !gpu.start.failed(); });
}

}  // namespace roofscope::doctor
