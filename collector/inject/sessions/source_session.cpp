// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/source_session.h"

#include <algorithm>
#include <cmath>

namespace roofscope::inject {
namespace {

/// Metrics per instruction. Those that a chip lacks are left out.
constexpr const char* kMetrics[] = {
    "smsp__sass_inst_executed",
    "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_sectors_mem_global",
    "smsp__sass_sectors_mem_global_ideal",
    "smsp__sass_sectors_mem_local",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
};

}  // namespace

SourceSession::SourceSession(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                             std::string folder)
    : m_cupti(cupti), m_driver(driver), m_spool(spool), m_code(cupti, spool, std::move(folder)) {}

void SourceSession::moduleLoaded(const void* cubin, std::size_t bytes) {
    m_code.moduleLoaded(cubin, bytes);
}

void SourceSession::fail(const std::string& what, const std::string& advice) {
    m_spool.issue({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "source-unavailable",
                   .message = "counters per instruction could not be read: " + what,
                   .advice = advice});
}

void SourceSession::begin(CUcontext context, CUdevice device) {
    if (m_begun) return;
    m_begun = true;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = m_cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS)
        return fail("cuptiProfilerInitialize: " + m_cupti.describe(r), cuptiAdvice(r));
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(device);
    if (const auto r = m_cupti.DeviceGetChipName(&chip); r != CUPTI_SUCCESS)
        return fail("cuptiDeviceGetChipName: " + m_cupti.describe(r), cuptiAdvice(r));
    std::vector<CUpti_SassMetrics_Config> configs;
    for (const char* name : kMetrics) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetrics_GetProperties_Params, properties);
        properties.pChipName = chip.pChipName;
        properties.pMetricName = name;
        if (m_cupti.SassMetricsGetProperties(&properties) != CUPTI_SUCCESS) continue;
        m_metrics[properties.metric.metricId] = name;
        configs.push_back({.metricId = properties.metric.metricId,
                           .outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
    }
    if (configs.empty()) return fail("this chip has none of them");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params, config);
    config.numOfMetricConfig = configs.size();
    config.pConfigs = configs.data();
    config.deviceIndex = static_cast<std::uint32_t>(device);
    if (const auto r = m_cupti.SassMetricsSetConfig(&config); r != CUPTI_SUCCESS) {
        m_metrics.clear();
        return fail("cuptiSassMetricsSetConfig: " + m_cupti.describe(r), cuptiAdvice(r));
    }
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsEnable_Params, enable);
    enable.ctx = context;
    enable.enableLazyPatching = 1;
    if (const auto r = m_cupti.SassMetricsEnable(&enable); r != CUPTI_SUCCESS) {
        m_metrics.clear();
        fail("cuptiSassMetricsEnable: " + m_cupti.describe(r), cuptiAdvice(r));
    }
}

void SourceSession::end(CUcontext context, CUdevice device, std::uint64_t sequence,
                        std::uint32_t kernel, const std::string& symbol) {
    if (m_metrics.empty()) return;
    handOver(context, sequence, kernel, symbol);
    m_metrics.clear();
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsDisable_Params, disable);
    disable.ctx = context;
    m_cupti.SassMetricsDisable(&disable);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params, unset);
    unset.deviceIndex = static_cast<std::uint32_t>(device);
    m_cupti.SassMetricsUnsetConfig(&unset);
    m_code.forget();
}

void SourceSession::handOver(CUcontext context, std::uint64_t sequence, std::uint32_t kernel,
                             const std::string& symbol) {
    if (const auto r = m_driver.cuCtxSynchronize(); r != CUDA_SUCCESS)
        return fail("the kernel failed: " + m_driver.describe(r));
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties);
    properties.ctx = context;
    if (const auto r = m_cupti.SassMetricsGetDataProperties(&properties); r != CUPTI_SUCCESS)
        return fail("cuptiSassMetricsGetDataProperties: " + m_cupti.describe(r), cuptiAdvice(r));
    const std::size_t records = properties.numOfPatchedInstructionRecords;
    const std::size_t values = properties.numOfInstances * m_metrics.size();
    if (records == 0 || properties.numOfInstances == 0)
        return fail("CUPTI returned no records for the launch");
    std::vector<CUpti_SassMetrics_Data> data(records);
    std::vector<CUpti_SassMetrics_InstanceValue> instances(records * values);
    for (std::size_t i = 0; i < records; ++i) {
        data[i].structSize = sizeof(CUpti_SassMetrics_Data);
        data[i].pInstanceValues = instances.data() + i * values;
    }
    ROOFSCOPE_CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params, flush);
    flush.ctx = context;
    flush.numOfPatchedInstructionRecords = records;
    flush.numOfInstances = properties.numOfInstances;
    flush.pMetricsData = data.data();
    if (const auto r = m_cupti.SassMetricsFlushData(&flush); r != CUPTI_SUCCESS)
        return fail("cuptiSassMetricsFlushData: " + m_cupti.describe(r), cuptiAdvice(r));

    // There may also be records of other functions of the module.
    const auto isOurs = [&](const CUpti_SassMetrics_Data& d) {
        return d.functionName && symbol == d.functionName;
    };
    std::erase_if(data, [&](const auto& d) { return !isOurs(d); });
    if (data.empty()) return fail("CUPTI returned records of other kernels only");

    SourceRecord record{.sequence = sequence, .kernel = kernel};
    for (const auto& [id, name] : m_metrics) record.metrics.push_back(name);
    m_code.write(data.front().cubinCrc, symbol, record);
    addRows(data, values, symbol, record);
    m_spool.source(record);
}

void SourceSession::addRows(const std::vector<CUpti_SassMetrics_Data>& data, std::size_t values,
                            const std::string& symbol, SourceRecord& record) const {
    // An instruction can have several records, each with some of the metrics.
    std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> byOffset;
    for (const auto& d : data)
        for (std::size_t v = 0; v < values; ++v)
            if (m_metrics.contains(d.pInstanceValues[v].metricId))
                byOffset[d.pcOffset][d.pInstanceValues[v].metricId] += d.pInstanceValues[v].value;
    for (const auto& [offset, sums] : byOffset) {
        SourceRecord::Row row{.offset = offset};
        m_code.addLine(data.front().cubinCrc, symbol, row, record.files);
        for (const auto& [id, name] : m_metrics) {
            const auto it = sums.find(id);
            row.values.push_back(it == sums.end() ? std::nan("") : static_cast<double>(it->second));
        }
        record.rows.push_back(std::move(row));
    }
}

}  // namespace roofscope::inject
