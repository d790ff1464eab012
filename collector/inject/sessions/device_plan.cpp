// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/device_plan.h"
#include "profile/names/instrumented.h"
#include "profile/text/count_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace roofscope::inject {
namespace {

/// Why the GPU's configuration forbids profiling, as text.
std::string unsupportedReason(const CUpti_Profiler_DeviceSupported_Params& p) {
    const auto bad = [](CUpti_Profiler_Support_Level level) {
        return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    };
    if (bad(p.architecture)) return "the GPU is older than compute capability 7.5";
    if (bad(p.sli)) return "SLI is enabled";
    if (bad(p.vGpu)) return "profiling is not enabled for this virtual GPU";
    if (bad(p.confidentialCompute)) return "confidential computing is on";
    if (bad(p.cmp)) return "the GPU is a mining card (CMP)";
    if (bad(p.wsl)) return "WSL is not set up for profiling";
    return "the device or its configuration is not supported";
}

/// Reports everything that was requested but is not in the plan.
void reportShortcomings(const CounterPlan& plan, const ReportIssue& report) {
    if (!plan.table.verified)
        report({.severity = Severity::Info,
                .source = "planner",
                .code = "chip-unverified",
                .message = fmt::format("chip {} has no table of its own: the table of its family "
                                       "({}) is used, which was not verified for this chip",
                                       plan.chip, plan.table.family),
                .advice = "a newer roofscope may know this chip"});
    for (const auto& dropped : plan.dropped)
        report(
            {.severity = Severity::Info,
             .source = "planner",
             .code = "counter-unavailable",
             .message = fmt::format("{} is not collected: {}", dropped.counter, dropped.reason)});
    for (const auto& group : plan.unavailableGroups)
        report({.severity = Severity::Info,
                .source = "planner",
                .code = "group-unavailable",
                .message = fmt::format("counter group {} does not exist on {}", group, plan.chip)});
}

}  // namespace

Error cuptiError(const CuptiApi& cupti, CUptiResult result, const char* call) {
    const bool permission = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    return {.code = permission ? ErrorCode::NoPermission : ErrorCode::Unavailable,
            .what = fmt::format("{} failed: {}", call, cupti.describe(result)),
            .advice = cuptiAdvice(result)};
}

Issue countersRefused(const Error& error) {
    return {.severity = Severity::Error,
            .source = "inject",
            .code = error.code == ErrorCode::NoPermission ? "counters-not-permitted"
                                                          : "counters-unavailable",
            .message = error.what,
            .advice = error.advice};
}

namespace {

/// Hardware counters that replace instrumented ones where only the hardware's are read: the active
/// lanes of an average instruction (analyzer/counters/counter_sources.cpp), and upper bounds for
/// the use of the arithmetic pipes (analyzer/quantities/arithmetic.cpp).
constexpr std::array kStandIns{"smsp__thread_inst_executed_per_inst_executed.ratio",
                               "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
                               "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed"};

/// The same for accesses of memory by kind (analyzer/counters/counter_sources.cpp): five passes
/// more.
constexpr std::array kAccesses{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                               "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                               "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                               "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                               "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                               "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                               "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                               "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                               "smsp__inst_executed_op_shared_ld.sum",
                               "smsp__inst_executed_op_shared_st.sum"};

/// Inserts a plan of the hardware counters and one of the instrumented counters before the plan of
/// all. With `onePass`, only if each fits one pass. Otherwise inserts only the hardware plan, with
/// stand-ins (`accesses`: those of accesses, too), if there are instrumented counters.
void addGroups(const CuptiApi& cupti, PlanRequest request, bool onePass, bool accesses,
               PlannedCounters& planned) {
    const auto& all = planned.plans.front().counters;
    if (!std::ranges::any_of(all, isInstrumented)) return;
    std::vector<CounterPlan> groups;
    for (const bool instrumented : {false, true}) {
        if (instrumented && !onePass) continue;
        request.groups.clear();
        request.counters.clear();
        for (const std::string& counter : planned.plans.front().counters)
            if (isInstrumented(counter) == instrumented) request.counters.push_back(counter);
        if (!onePass)
            request.counters.insert(request.counters.end(), kStandIns.begin(), kStandIns.end());
        if (accesses)
            request.counters.insert(request.counters.end(), kAccesses.begin(), kAccesses.end());
        auto plan = planCounters(cupti, request);
        if (!plan || (onePass && plan->passes != 1)) return;
        groups.push_back(std::move(*plan));
    }
    planned.plans.insert(planned.plans.begin(), std::make_move_iterator(groups.begin()),
                         std::make_move_iterator(groups.end()));
}

/// Appends a plan with the additional groups, after the plan of most launches.
void addMore(const CuptiApi& cupti, PlanRequest request, const CountersMode& mode,
             PlannedCounters& planned) {
    request.groups.insert(request.groups.end(), mode.moreGroups.begin(), mode.moreGroups.end());
    if (auto plan = planCounters(cupti, request)) planned.plans.push_back(std::move(*plan));
}

}  // namespace

Result<PlannedCounters> planOnDevice(const CuptiApi& cupti, CUcontext context, CUdevice device,
                                     const CountersMode& mode, const Device& facts,
                                     const ReportIssue& report) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerInitialize");

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, supported);
    supported.cuDevice = device;
    supported.api = CUPTI_PROFILER_RANGE_PROFILING;
    if (const auto r = cupti.ProfilerDeviceSupported(&supported);
        r == CUPTI_SUCCESS && supported.isSupported == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "counters cannot be read: " + unsupportedReason(supported),
                     .advice = "timing and launch shapes are still recorded"};

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, available);
    available.ctx = context;
    if (const auto r = cupti.ProfilerGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerGetCounterAvailability");
    std::vector<std::uint8_t> availability(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability.data();
    if (const auto r = cupti.ProfilerGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerGetCounterAvailability");

    PlannedCounters planned{.availability = std::move(availability)};
    PlanRequest request{.chip = facts.chip,
                        .computeMajor = facts.computeMajor,
                        .computeMinor = facts.computeMinor,
                        .groups = mode.groups,
                        .counters = mode.counters,
                        .counterAvailability = planned.availability};
    const bool replayed = mode.replay == CountersMode::Replay::Kernel;
    const auto add = [&]() -> Result<void> {
        auto plan = planCounters(cupti, request);
        if (!plan) return plan.error();
        reportShortcomings(*plan, report);
        if (!replayed && plan->passes > 1)
            return Error{
                .code = ErrorCode::Internal,
                .what = fmt::format("these counters need {} passes, but each launch runs only once",
                                    plan->passes),
                .advice = "use --replay kernel"};
        planned.plans.push_back(std::move(*plan));
        return {};
    };
    if (mode.replay == CountersMode::Replay::Multiplex) {
        request.groups.clear();
        std::optional<Error> why;
        for (const auto& group : mode.passGroups) {
            request.counters = group;
            const auto ok = add();
            if (ok) continue;
            if (!why) why = ok.error();
            report({.severity = Severity::Info,
                    .source = "planner",
                    .code = "group-unavailable",
                    .message = fmt::format("not collected: {}: {}",
                                           countText(group.size(), "counter", "counters"),
                                           ok.error().what)});
        }
        if (planned.plans.empty())
            return why.value_or(Error{.code = ErrorCode::Unavailable,
                                      .what = "none of these counters fits one pass",
                                      .advice = "use --replay kernel"});
    } else if (auto ok = add(); !ok) {
        return ok.error();
    }
    if (!mode.moreOf.empty() && replayed) {
        addMore(cupti, request, mode, planned);
        return planned;
    }
    if (mode.groupByGroup && replayed)
        addGroups(cupti, request, mode.hardwareOnly.empty(), mode.accessesOfLong, planned);
    planned.usual = planned.plans.size() - 1;
    return planned;
}

}  // namespace roofscope::inject
