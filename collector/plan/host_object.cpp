// SPDX-License-Identifier: Apache-2.0
#include "collector/plan/host_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace roofscope {
namespace {

Error cuptiError(const CuptiApi& api, CUptiResult result, std::string what) {
    return {.code = ErrorCode::Unavailable,
            .what = fmt::format("{}: {}", what, api.describe(result)),
            .where = api.path,
            .advice = cuptiAdvice(result)};
}

}  // namespace

Result<HostObject> HostObject::create(const CuptiApi& api, const std::string& chip,
                                      std::span<const std::uint8_t> counterAvailability,
                                      CUpti_ProfilerType type) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
    params.profilerType = type;
    params.pChipName = chip.c_str();
    params.pCounterAvailabilityImage =
        counterAvailability.empty() ? nullptr : counterAvailability.data();
    const CUptiResult result = api.ProfilerHostInitialize(&params);
    if (result != CUPTI_SUCCESS || params.pHostObject == nullptr) {
        return cuptiError(api, result, fmt::format("CUPTI cannot describe chip \"{}\"", chip));
    }
    return HostObject(api, params.pHostObject);
}

HostObject::~HostObject() {
    if (m_object == nullptr) return;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
    params.pHostObject = m_object;
    m_api->ProfilerHostDeinitialize(&params);
}

bool HostObject::hasMetric(const std::string& name) const {
    // CUPTI accepts a bare base name here but not in a configuration.
    if (name.find('.') == std::string::npos) return false;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
    params.pHostObject = m_object;
    params.pMetricName = name.c_str();
    return m_api->ProfilerHostGetMetricProperties(&params) == CUPTI_SUCCESS;
}

Result<void> HostObject::addMetrics(const std::vector<std::string>& names) {
    auto pointers = namePointers(names);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
    params.pHostObject = m_object;
    params.ppMetricNames = pointers.data();
    params.numMetrics = pointers.size();
    const CUptiResult result = m_api->ProfilerHostConfigAddMetrics(&params);
    if (result != CUPTI_SUCCESS) {
        return cuptiError(*m_api, result, fmt::format("CUPTI refused {} counters", names.size()));
    }
    return {};
}

Result<std::vector<std::uint8_t>> HostObject::configImage() {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = m_object;
    CUptiResult result = m_api->ProfilerHostGetConfigImageSize(&size);
    if (result != CUPTI_SUCCESS)
        return cuptiError(*m_api, result, "CUPTI did not return the size of the configuration");
    std::vector<std::uint8_t> image(size.configImageSize);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, fill);
    fill.pHostObject = m_object;
    fill.configImageSize = image.size();
    fill.pConfigImage = image.data();
    result = m_api->ProfilerHostGetConfigImage(&fill);
    if (result != CUPTI_SUCCESS)
        return cuptiError(*m_api, result, "CUPTI did not return a configuration");
    return image;
}

CUptiResult HostObject::evaluate(std::span<const std::uint8_t> counterData, std::size_t index,
                                 const std::vector<const char*>& names,
                                 std::span<double> values) const {
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
    params.pHostObject = m_object;
    params.pCounterDataImage = counterData.data();
    params.counterDataImageSize = counterData.size();
    params.rangeIndex = index;
    params.ppMetricNames = const_cast<const char**>(names.data());  // only read
    params.numMetrics = names.size();
    params.pMetricValues = values.data();
    return m_api->ProfilerHostEvaluateToGpuValues(&params);
}

std::vector<const char*> namePointers(const std::vector<std::string>& names) {
    std::vector<const char*> pointers;
    pointers.reserve(names.size());
    for (const auto& name : names) pointers.push_back(name.c_str());
    return pointers;
}

Result<std::size_t> passesOf(const CuptiApi& api, std::span<const std::uint8_t> configImage) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, params);
    params.configImageSize = configImage.size();
    params.pConfigImage = const_cast<std::uint8_t*>(configImage.data());  // only read
    const CUptiResult result = api.ProfilerHostGetNumOfPasses(&params);
    if (result != CUPTI_SUCCESS)
        return cuptiError(api, result, "CUPTI did not return the number of passes");
    return params.numOfPasses;
}

}  // namespace roofscope
