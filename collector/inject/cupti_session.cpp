// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/cupti_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace roofscope::inject {
namespace {

/// Ranges per image with kernel replay: each takes 0.85 MB, and at 35 ms a launch a fresh image of
/// 8 (3.6 ms) is lost in the noise.
constexpr std::size_t kKernelReplayCapacity = 8;
/// With user replay the image takes about 0.7 MB per range and instrumented group: what the
/// program must spare us, and the ranges that come of it.
constexpr std::size_t kUserReplayImageBytes = std::size_t{48} << 20;
constexpr std::size_t kLeastUserReplayCapacity = 16, kMostUserReplayCapacity = 1024;

/// Which part of the configuration forbids profiling, in words.
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

}  // namespace

Error cuptiError(const CuptiApi& cupti, CUptiResult result, const char* call) {
    const bool permission = static_cast<int>(result) == 35;
    return {.code = permission ? ErrorCode::NoPermission : ErrorCode::Unavailable,
            .what = fmt::format("{} failed: {}", call, cupti.describe(result)),
            .where = {},
            .advice = cuptiAdvice(result)};
}

Result<PlannedCounters> planOnDevice(const CuptiApi& cupti, CUcontext context, CUdevice device,
                                     const RunOrders& orders, Device& facts,
                                     const std::function<void(Issue)>& report) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerInitialize");

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, supported);
    supported.cuDevice = device;
    supported.api = CUPTI_PROFILER_RANGE_PROFILING;
    if (const auto r = cupti.ProfilerDeviceSupported(&supported);
        r == CUPTI_SUCCESS && supported.isSupported == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
        return Error{.code = ErrorCode::Unavailable,
                     .what = "counters cannot be read here: " + unsupportedReason(supported),
                     .where = {},
                     .advice = "timing and launch shapes are still recorded"};

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(device);
    if (const auto r = cupti.DeviceGetChipName(&chip); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiDeviceGetChipName");
    facts.chip = chip.pChipName ? chip.pChipName : "";

    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, available);
    available.ctx = context;
    if (const auto r = cupti.ProfilerGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerGetCounterAvailability");
    std::vector<std::uint8_t> availability(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability.data();
    if (const auto r = cupti.ProfilerGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(cupti, r, "cuptiProfilerGetCounterAvailability");

    auto plan = planCounters(cupti, {.chip = facts.chip,
                                     .computeMajor = facts.computeMajor,
                                     .computeMinor = facts.computeMinor,
                                     .groups = orders.groups,
                                     .counters = orders.counters,
                                     .counterAvailability = availability});
    if (!plan) return plan.error();
    if (!plan->table.verified)
        report({.severity = Severity::Info,
                .source = "planner",
                .code = "chip-unverified",
                .message = fmt::format("chip {} has no table of its own; that of its family {} is "
                                       "used and was not verified for it",
                                       facts.chip, plan->table.family),
                .advice = "a newer roofscope may know this chip"});
    for (const auto& dropped : plan->dropped)
        report(
            {.severity = Severity::Info,
             .source = "planner",
             .code = "counter-unavailable",
             .message = fmt::format("{} is not collected: {}", dropped.counter, dropped.reason)});
    for (const auto& group : plan->unavailableGroups)
        report(
            {.severity = Severity::Info,
             .source = "planner",
             .code = "group-unavailable",
             .message = fmt::format("counter group {} does not exist on {}", group, facts.chip)});

    if (orders.replay == RunOrders::Replay::Application && plan->passes > 1)
        return Error{.code = ErrorCode::Internal,
                     .what = fmt::format("these counters need {} passes: application replay takes "
                                         "one per run",
                                         plan->passes),
                     .where = {},
                     .advice = "use --replay kernel"};

    return PlannedCounters{.plan = std::move(*plan), .availability = std::move(availability)};
}

Result<std::unique_ptr<CounterSession>> CuptiSession::open(const CuptiApi& cupti,
                                                           const DriverApi& driver,
                                                           CUcontext context, CUdevice device,
                                                           const RunOrders& orders, Device& facts,
                                                           const Report& report) {
    (void)driver;
    auto planned = planOnDevice(cupti, context, device, orders, facts, report);
    if (!planned) return planned.error();
    std::unique_ptr<CuptiSession> session(new CuptiSession(
        cupti, context, orders.replay, std::move(planned->plan), std::move(planned->availability)));
    if (auto done = session->enable(); !done) return done.error();
    if (auto done = session->configure(); !done) return done.error();
    if (auto done = session->start(); !done) return done.error();
    return std::unique_ptr<CounterSession>(std::move(session));
}

CuptiSession::CuptiSession(const CuptiApi& cupti, CUcontext context, RunOrders::Replay replay,
                           CounterPlan plan, std::vector<std::uint8_t> availability)
    : m_cupti(cupti),
      m_context(context),
      m_replay(replay),
      m_plan(std::move(plan)),
      m_availability(std::move(availability)) {
    for (const auto& name : m_plan.counters) m_counterNames.push_back(name.c_str());
    for (const auto& name : m_plan.peaks) m_peakNamePointers.push_back(name.c_str());
}

CuptiSession::~CuptiSession() {
    // Errors cannot be reported any more, and must not disturb the host.
    if (m_running) (void)stop();
    if (m_profiler) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
        disable.pRangeProfilerObject = m_profiler;
        m_cupti.RangeProfilerDisable(&disable);
    }
}

Result<void> CuptiSession::check(CUptiResult result, const char* call) const {
    if (result == CUPTI_SUCCESS) return {};
    return cuptiError(m_cupti, result, call);
}

Result<void> CuptiSession::enable() {
    auto host = HostObject::create(m_cupti, m_plan.chip, m_availability);
    if (!host) return host.error();
    m_host.emplace(std::move(*host));

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = m_context;
    if (auto ok = check(m_cupti.RangeProfilerEnable(&enable), "cuptiRangeProfilerEnable"); !ok)
        return ok;
    m_profiler = enable.pRangeProfilerObject;
    return {};
}

Result<std::size_t> CuptiSession::imageSize(std::size_t ranges) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = m_profiler;
    size.pMetricNames = m_counterNames.data();
    size.numMetrics = m_counterNames.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    if (auto ok = check(m_cupti.RangeProfilerGetCounterDataSize(&size),
                        "cuptiRangeProfilerGetCounterDataSize");
        !ok)
        return ok.error();
    return size.counterDataSize;
}

Result<void> CuptiSession::configure() {
    if (m_capacity == 0 && m_replay == RunOrders::Replay::Kernel)
        m_capacity = kKernelReplayCapacity;
    if (m_capacity == 0) {
        const auto some = imageSize(kLeastUserReplayCapacity);
        if (!some) return some.error();
        const std::size_t each = std::max<std::size_t>(*some / kLeastUserReplayCapacity, 1);
        m_capacity = std::clamp(kUserReplayImageBytes / each, kLeastUserReplayCapacity,
                                kMostUserReplayCapacity);
    }
    const auto size = imageSize(m_capacity);
    if (!size) return size.error();
    m_counterData.assign(*size, 0);
    m_handedOver = 0;
    m_stale = false;

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = m_profiler;
    image.counterDataSize = m_counterData.size();
    image.pCounterData = m_counterData.data();
    if (auto ok = check(m_cupti.RangeProfilerCounterDataImageInitialize(&image),
                        "cuptiRangeProfilerCounterDataImageInitialize");
        !ok)
        return ok;

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = m_profiler;
    config.configSize = m_plan.configImage.size();
    config.pConfig = m_plan.configImage.data();
    config.counterDataImageSize = m_counterData.size();
    config.pCounterDataImage = m_counterData.data();
    config.range = CUPTI_AutoRange;
    config.replayMode =
        m_replay == RunOrders::Replay::Kernel ? CUPTI_KernelReplay : CUPTI_UserReplay;
    config.maxRangesPerPass = m_capacity;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    return check(m_cupti.RangeProfilerSetConfig(&config), "cuptiRangeProfilerSetConfig");
}

Result<void> CuptiSession::start() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = m_profiler;
    auto ok = check(m_cupti.RangeProfilerStart(&start), "cuptiRangeProfilerStart");
    m_running = ok.ok();
    return ok;
}

Result<void> CuptiSession::stop() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = m_profiler;
    m_running = false;
    return check(m_cupti.RangeProfilerStop(&stop), "cuptiRangeProfilerStop");
}

Result<void> CuptiSession::reserve(std::size_t ranges) {
    if (ranges <= room()) return {};
    const bool running = m_running;
    if (running)
        if (auto ok = stop(); !ok) return ok;
    m_capacity = std::max(m_capacity, ranges);
    if (auto ok = configure(); !ok) return ok;
    return running ? start() : Result<void>{};
}

Result<void> CuptiSession::resume() {
    if (m_broken) return *m_broken;
    if (m_running) return {};
    if (m_stale)
        if (auto ok = configure(); !ok) return ok;
    return start();
}

Result<std::vector<double>> CuptiSession::evaluate(std::size_t range,
                                                   const std::vector<const char*>& names) {
    // Values come in the order of the names; what was not written stays missing.
    std::vector<double> values(names.size(), std::numeric_limits<double>::quiet_NaN());
    if (names.empty()) return values;
    auto copy = names;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
    evaluate.pHostObject = m_host->handle();
    evaluate.pCounterDataImage = m_counterData.data();
    evaluate.counterDataImageSize = m_counterData.size();
    evaluate.rangeIndex = range;
    evaluate.ppMetricNames = copy.data();
    evaluate.numMetrics = copy.size();
    evaluate.pMetricValues = values.data();
    if (auto ok = check(m_cupti.ProfilerHostEvaluateToGpuValues(&evaluate),
                        "cuptiProfilerHostEvaluateToGpuValues");
        !ok)
        return ok.error();
    return values;
}

Result<CounterSession::Batch> CuptiSession::drain(bool pause) {
    if (m_broken) return *m_broken;
    if (m_running)
        if (auto ok = stop(); !ok) return ok.error();

    Batch batch;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = m_profiler;
    if (auto ok = check(m_cupti.RangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData");
        !ok)
        return ok.error();
    batch.dropped = decode.numOfRangeDropped;

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = m_counterData.data();
    info.counterDataImageSize = m_counterData.size();
    if (auto ok = check(m_cupti.RangeProfilerGetCounterDataInfo(&info),
                        "cuptiRangeProfilerGetCounterDataInfo");
        !ok)
        return ok.error();
    for (std::size_t i = m_handedOver; i < info.numTotalRanges; ++i) {
        auto values = evaluate(i, m_counterNames);
        if (!values) return values.error();
        batch.ranges.push_back(std::move(*values));
    }
    m_handedOver = std::max(m_handedOver, info.numTotalRanges);
    if (m_peakValues.empty() && info.numTotalRanges > 0)
        if (auto peaks = evaluate(0, m_peakNamePointers)) m_peakValues = std::move(*peaks);

    // What was decoded is handed over even when the session cannot go on; the next call tells.
    const bool fresh = m_replay != RunOrders::Replay::Kernel || room() == 0 || batch.dropped > 0;
    if (fresh) {
        m_stale = true;
        m_handedOver = 0;
    }
    if (!pause)
        if (auto ok = resume(); !ok) m_broken = ok.error();
    return batch;
}

}  // namespace roofscope::inject
