// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/range_profiler.h"

#include <algorithm>

namespace roofscope::inject {
namespace {

/// Separates the names of nested ranges; there are none here.
constexpr const char* kDelimiter = "/";

}  // namespace

RangeProfiler::RangeProfiler(const CuptiApi& cupti, CUcontext context,
                             const PlannedCounters& planned, Ranges ranges, bool replayed)
    : m_cupti(cupti),
      m_context(context),
      m_planned(planned),
      m_ranges(ranges),
      m_replayed(replayed) {}

RangeProfiler::~RangeProfiler() {
    if (m_running) (void)stop();
    disable();
}

Result<void> RangeProfiler::check(CUptiResult result, const char* call) const {
    if (result == CUPTI_SUCCESS) return {};
    return cuptiError(m_cupti, result, call);
}

Result<void> RangeProfiler::use(std::size_t next) {
    if (m_current && *m_current != next) disable();
    m_current = next;
    return m_profiler ? Result<void>{} : enable();
}

Result<void> RangeProfiler::enable() {
    if (!m_host) {
        auto host = HostObject::create(m_cupti, plan().chip, m_planned.availability);
        if (!host) return host.error();
        m_host.emplace(std::move(*host));
    }
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = m_context;
    if (auto ok = check(m_cupti.RangeProfilerEnable(&enable), "cuptiRangeProfilerEnable"); !ok)
        return ok;
    m_profiler = enable.pRangeProfilerObject;
    return {};
}

void RangeProfiler::disable() {
    if (!m_profiler) return;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable);
    disable.pRangeProfilerObject = m_profiler;
    m_cupti.RangeProfilerDisable(&disable);
    m_profiler = nullptr;
}

Result<std::size_t> RangeProfiler::imageSize(std::size_t ranges) {
    auto names = namePointers(plan().counters);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = m_profiler;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    if (auto ok = check(m_cupti.RangeProfilerGetCounterDataSize(&size),
                        "cuptiRangeProfilerGetCounterDataSize");
        !ok)
        return ok.error();
    return size.counterDataSize;
}

Result<std::size_t> RangeProfiler::capacityWithin(std::size_t bytes, std::size_t least,
                                                  std::size_t most) {
    const auto some = imageSize(least);
    if (!some) return some.error();
    return std::clamp(bytes / std::max<std::size_t>(*some / least, 1), least, most);
}

Result<void> RangeProfiler::configure(std::size_t capacity) {
    const auto size = imageSize(capacity);
    if (!size) return size.error();
    m_counterData.assign(*size, 0);
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
    config.configSize = plan().configImage.size();
    config.pConfig = plan().configImage.data();
    config.counterDataImageSize = m_counterData.size();
    config.pCounterDataImage = m_counterData.data();
    config.range = m_ranges == Ranges::Kernels ? CUPTI_AutoRange : CUPTI_UserRange;
    config.replayMode = m_replayed ? CUPTI_KernelReplay : CUPTI_UserReplay;
    config.maxRangesPerPass = capacity;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.passIndex = 0;
    config.targetNestingLevel = 1;
    return check(m_cupti.RangeProfilerSetConfig(&config), "cuptiRangeProfilerSetConfig");
}

Result<void> RangeProfiler::start() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = m_profiler;
    auto ok = check(m_cupti.RangeProfilerStart(&start), "cuptiRangeProfilerStart");
    m_running = ok.ok();
    return ok;
}

Result<void> RangeProfiler::stop() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = m_profiler;
    m_running = false;
    return check(m_cupti.RangeProfilerStop(&stop), "cuptiRangeProfilerStop");
}

Result<void> RangeProfiler::push(const std::string& name) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = m_profiler;
    push.pRangeName = name.c_str();
    return check(m_cupti.RangeProfilerPushRange(&push), "cuptiRangeProfilerPushRange");
}

Result<void> RangeProfiler::pop() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = m_profiler;
    return check(m_cupti.RangeProfilerPopRange(&pop), "cuptiRangeProfilerPopRange");
}

Result<RangeProfiler::Decoded> RangeProfiler::decode() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = m_profiler;
    if (auto ok = check(m_cupti.RangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData");
        !ok)
        return ok.error();
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = m_counterData.data();
    info.counterDataImageSize = m_counterData.size();
    if (auto ok = check(m_cupti.RangeProfilerGetCounterDataInfo(&info),
                        "cuptiRangeProfilerGetCounterDataInfo");
        !ok)
        return ok.error();
    return Decoded{.ranges = info.numTotalRanges, .dropped = decode.numOfRangeDropped};
}

Result<std::vector<double>> RangeProfiler::evaluate(std::size_t range,
                                                    const std::vector<std::string>& names) {
    std::vector<double> values(names.size());
    if (names.empty()) return values;
    if (auto ok = check(m_host->evaluate(m_counterData, range, namePointers(names), values),
                        "cuptiProfilerHostEvaluateToGpuValues");
        !ok)
        return ok.error();
    return values;
}

Result<std::vector<double>> RangeProfiler::values(std::size_t range) {
    return evaluate(range, plan().counters);
}

Result<std::vector<double>> RangeProfiler::peaks(std::size_t range) {
    return evaluate(range, plan().peaks);
}

Result<std::string> RangeProfiler::name(std::size_t range) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, info);
    info.pCounterDataImage = m_counterData.data();
    info.counterDataImageSize = m_counterData.size();
    info.rangeIndex = range;
    info.rangeDelimiter = kDelimiter;
    if (auto ok = check(m_cupti.RangeProfilerCounterDataGetRangeInfo(&info),
                        "cuptiRangeProfilerCounterDataGetRangeInfo");
        !ok)
        return ok.error();
    return std::string(info.rangeName ? info.rangeName : "");
}

}  // namespace roofscope::inject
