// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/cupti_range_session.h"

#include <algorithm>
#include <limits>

namespace roofscope::inject {
namespace {

/// An image takes about 6 kB per range and counter. Ranges come milliseconds apart: few at a time
/// are enough, and what the program must spare us stays small.
constexpr std::size_t kImageBytes = std::size_t{32} << 20;
constexpr std::size_t kLeastCapacity = 8, kMostCapacity = 128;
/// Separates the names of nested ranges. Our names are numbers.
constexpr const char* kDelimiter = "/";

}  // namespace

Result<std::unique_ptr<RangeSession>> CuptiRangeSession::open(const CuptiApi& cupti,
                                                              CUcontext context, CUdevice device,
                                                              const RunOrders& orders,
                                                              Device& facts,
                                                              const CuptiSession::Report& report) {
    auto planned = planOnDevice(cupti, context, device, orders, facts, report);
    if (!planned) return planned.error();
    std::unique_ptr<CuptiRangeSession> session(
        new CuptiRangeSession(cupti, context, std::move(*planned)));
    if (auto done = session->enable(); !done) return done.error();
    // Not at the first range: the first start of a process takes 150 ms.
    if (auto done = session->start(); !done) return done.error();
    return std::unique_ptr<RangeSession>(std::move(session));
}

CuptiRangeSession::CuptiRangeSession(const CuptiApi& cupti, CUcontext context,
                                     PlannedCounters planned)
    : m_cupti(cupti),
      m_context(context),
      m_plan(std::move(planned.plan)),
      m_availability(std::move(planned.availability)) {
    for (const auto& name : m_plan.counters) m_counterNames.push_back(name.c_str());
    for (const auto& name : m_plan.peaks) m_peakNamePointers.push_back(name.c_str());
}

CuptiRangeSession::~CuptiRangeSession() {
    // Errors cannot be reported any more, and must not disturb the host.
    if (m_running) (void)stop();
    if (m_profiler) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
        disable.pRangeProfilerObject = m_profiler;
        m_cupti.RangeProfilerDisable(&disable);
    }
}

Result<void> CuptiRangeSession::check(CUptiResult result, const char* call) const {
    if (result == CUPTI_SUCCESS) return {};
    return cuptiError(m_cupti, result, call);
}

Result<void> CuptiRangeSession::enable() {
    auto host = HostObject::create(m_cupti, m_plan.chip, m_availability);
    if (!host) return host.error();
    m_host.emplace(std::move(*host));

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = m_context;
    if (auto ok = check(m_cupti.RangeProfilerEnable(&enable), "cuptiRangeProfilerEnable"); !ok)
        return ok;
    m_profiler = enable.pRangeProfilerObject;

    const auto some = imageSize(kLeastCapacity);
    if (!some) return some.error();
    const std::size_t each = std::max<std::size_t>(*some / kLeastCapacity, 1);
    m_capacity = std::clamp(kImageBytes / each, kLeastCapacity, kMostCapacity);
    return {};
}

Result<std::size_t> CuptiRangeSession::imageSize(std::size_t ranges) {
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

Result<void> CuptiRangeSession::start() {
    const auto size = imageSize(m_capacity);
    if (!size) return size.error();
    m_counterData.assign(*size, 0);
    m_pushed = 0;
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
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = m_capacity;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    if (auto ok = check(m_cupti.RangeProfilerSetConfig(&config), "cuptiRangeProfilerSetConfig");
        !ok)
        return ok;

    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = m_profiler;
    auto ok = check(m_cupti.RangeProfilerStart(&start), "cuptiRangeProfilerStart");
    m_running = ok.ok();
    return ok;
}

Result<void> CuptiRangeSession::stop() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = m_profiler;
    m_running = false;
    return check(m_cupti.RangeProfilerStop(&stop), "cuptiRangeProfilerStop");
}

Result<void> CuptiRangeSession::push(const std::string& name) {
    if (!m_running)
        if (auto ok = start(); !ok) return ok;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = m_profiler;
    push.pRangeName = name.c_str();
    ++m_pushed;
    return check(m_cupti.RangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange");
}

Result<void> CuptiRangeSession::pop() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = m_profiler;
    return check(m_cupti.RangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange");
}

Result<std::vector<double>> CuptiRangeSession::evaluate(std::size_t range,
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

Result<RangeSession::Batch> CuptiRangeSession::drain() {
    Batch batch;
    if (!m_running) return batch;
    if (auto ok = stop(); !ok) return ok.error();
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
    for (std::size_t i = 0; i < info.numTotalRanges; ++i) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, range);
        range.pCounterDataImage = m_counterData.data();
        range.counterDataImageSize = m_counterData.size();
        range.rangeIndex = i;
        range.rangeDelimiter = kDelimiter;
        if (auto ok = check(m_cupti.RangeProfilerCounterDataGetRangeInfo(&range),
                            "cuptiRangeProfilerCounterDataGetRangeInfo");
            !ok)
            return ok.error();
        auto values = evaluate(i, m_counterNames);
        if (!values) return values.error();
        batch.ranges.push_back(
            {.name = range.rangeName ? range.rangeName : "", .values = std::move(*values)});
    }
    if (m_peakValues.empty() && info.numTotalRanges > 0)
        if (auto peaks = evaluate(0, m_peakNamePointers)) m_peakValues = std::move(*peaks);
    m_pushed = 0;  // the next push starts with a fresh image
    return batch;
}

}  // namespace roofscope::inject
