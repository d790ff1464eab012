// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/over_time_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collector/inject/sessions/device_plan.h"

namespace roofscope::inject {
namespace {

constexpr const char* kBusy = "sm__cycles_active.avg";
/// From GA10x on, they need one pass. Counters that a chip lacks are left out. As long as the
/// others do not fit one pass, the last one is dropped.
constexpr const char* kCounters[] = {
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors.sum",
    kBusy,
    "sm__cycles_elapsed.max",
    "sm__inst_executed.sum",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"};
/// Room for the samples of one launch (about 250) and of the idle time around it: starting and
/// stopping takes half a millisecond on an H200. Samples that do not fit are lost: CUPTI 13.0 skips
/// them and continues later. A sample takes 50 kB on a GPU with 132 SMs.
constexpr std::uint32_t kSamples = 400;
constexpr std::uint64_t kIdleNs = 1'200'000;
constexpr std::size_t kSampleBytes = std::size_t{256} << 20;

}  // namespace

/// The samples of one launch, with the idle time around it.
struct OverTimeSession::Samples {
    std::vector<std::uint64_t> starts, ends;   ///< ns, on the GPU's clock
    std::vector<std::vector<double>> columns;  ///< one per counter
};

void OverTimeSession::tell(const Error& error) {
    m_spool.issue({.severity = Severity::DataLoss,
                   .source = "inject",
                   .code = "over-time-unavailable",
                   .message = "a kernel could not be sampled over time: " + error.what,
                   .advice = error.advice});
}

OverTimeSession::Gpu* OverTimeSession::gpuOf(std::uint32_t device) {
    const auto known = m_gpus.find(device);
    if (known != m_gpus.end()) return known->second ? &*known->second : nullptr;
    std::optional<Gpu>& gpu = m_gpus[device];
    auto planned = plan(device);
    if (!planned) {
        tell(planned.error());
        return nullptr;
    }
    gpu.emplace(*std::move(planned));
    return &*gpu;
}

Result<OverTimeSession::Gpu> OverTimeSession::plan(std::uint32_t device) const {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = m_cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiProfilerInitialize");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = device;
    if (const auto r = m_cupti.DeviceGetChipName(&chip); r != CUPTI_SUCCESS || !chip.pChipName)
        return cuptiError(m_cupti, r, "cuptiDeviceGetChipName");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params, available);
    available.deviceIndex = device;
    if (const auto r = m_cupti.PmSamplingGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingGetCounterAvailability");
    std::vector<std::uint8_t> availability(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability.data();
    if (const auto r = m_cupti.PmSamplingGetCounterAvailability(&available); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingGetCounterAvailability");

    std::vector<std::string> counters(std::begin(kCounters), std::end(kCounters));
    for (;;) {
        auto host = HostObject::create(m_cupti, chip.pChipName, availability,
                                       CUPTI_PROFILER_TYPE_PM_SAMPLING);
        if (!host) return host.error();
        std::erase_if(counters, [&](const std::string& name) { return !host->hasMetric(name); });
        if (std::ranges::find(counters, kBusy) == counters.end())
            return Error{
                .code = ErrorCode::Unavailable,
                .what = fmt::format("{} has no counters for sampling over time", chip.pChipName)};
        if (auto ok = host->addMetrics(counters); !ok) return ok.error();
        auto configuration = host->configImage();
        if (!configuration) return configuration.error();
        const auto passes = passesOf(m_cupti, *configuration);
        if (!passes) return passes.error();
        if (*passes == 1)
            return Gpu{.availability = std::move(availability),
                       .host = *std::move(host),
                       .counters = std::move(counters),
                       .configuration = *std::move(configuration)};
        counters.pop_back();
    }
}

void OverTimeSession::begin(std::uint32_t device, std::uint64_t interval) {
    cancel();
    m_gpu = gpuOf(device);
    // Work that already runs would be sampled as part of the launch.
    if (!m_gpu || m_driver.cuCtxSynchronize() != CUDA_SUCCESS) return;
    m_interval = interval;
    if (auto ok = start(*m_gpu, device, interval); !ok) {
        tell(ok.error());
        disable();
        m_gpus[device].reset();  // the next launch would fail in the same way
    }
}

Result<void> OverTimeSession::start(const Gpu& gpu, std::uint32_t device, std::uint64_t interval) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
    enable.deviceIndex = device;
    if (const auto r = m_cupti.PmSamplingEnable(&enable); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingEnable");
    m_object = enable.pPmSamplingObject;
    // After Enable, CUPTI keeps the interval of the first configuration.
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, configure);
    configure.pPmSamplingObject = m_object;
    configure.configSize = gpu.configuration.size();
    configure.pConfig = gpu.configuration.data();
    configure.hardwareBufferSize = kSampleBytes;
    configure.samplingInterval = interval;
    configure.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    if (const auto r = m_cupti.PmSamplingSetConfig(&configure); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingSetConfig");
    auto names = namePointers(gpu.counters);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size);
    size.pPmSamplingObject = m_object;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxSamples = kSamples + static_cast<std::uint32_t>(kIdleNs / interval);
    if (const auto r = m_cupti.PmSamplingGetCounterDataSize(&size); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingGetCounterDataSize");
    m_image.resize(size.counterDataSize);
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, start);
    start.pPmSamplingObject = m_object;
    if (const auto r = m_cupti.PmSamplingStart(&start); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingStart");
    m_started = true;
    return {};
}

Result<OverTimeSession::Samples> OverTimeSession::stopAndRead() {
    m_started = false;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, stop);
    stop.pPmSamplingObject = m_object;
    if (const auto r = m_cupti.PmSamplingStop(&stop); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingStop");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, initialize);
    initialize.pPmSamplingObject = m_object;
    initialize.counterDataSize = m_image.size();
    initialize.pCounterData = m_image.data();
    if (const auto r = m_cupti.PmSamplingCounterDataImageInitialize(&initialize);
        r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingCounterDataImageInitialize");
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
    decode.pPmSamplingObject = m_object;
    decode.pCounterDataImage = m_image.data();
    decode.counterDataImageSize = m_image.size();
    if (const auto r = m_cupti.PmSamplingDecodeData(&decode); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingDecodeData");
    if (decode.overflow != 0 ||
        decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL)
        return Error{.code = ErrorCode::Unavailable,
                     .what =
                         "its launch took much longer than in the timing run, and not all samples "
                         "could be kept",
                     .advice = "a kernel's first launch loads its code: launch it twice"};
    return read();
}

Result<OverTimeSession::Samples> OverTimeSession::read() const {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = m_image.data();
    info.counterDataImageSize = m_image.size();
    if (const auto r = m_cupti.PmSamplingGetCounterDataInfo(&info); r != CUPTI_SUCCESS)
        return cuptiError(m_cupti, r, "cuptiPmSamplingGetCounterDataInfo");
    const auto names = namePointers(m_gpu->counters);
    std::vector<double> values(names.size());
    Samples samples;
    samples.columns.resize(names.size());
    for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, sample);
        sample.pPmSamplingObject = m_object;
        sample.pCounterDataImage = m_image.data();
        sample.counterDataImageSize = m_image.size();
        sample.sampleIndex = i;
        if (const auto r = m_cupti.PmSamplingCounterDataGetSampleInfo(&sample); r != CUPTI_SUCCESS)
            return cuptiError(m_cupti, r, "cuptiPmSamplingCounterDataGetSampleInfo");
        if (const auto r = m_gpu->host.evaluate(m_image, i, names, values); r != CUPTI_SUCCESS)
            return cuptiError(m_cupti, r, "cuptiProfilerHostEvaluateToGpuValues");
        samples.starts.push_back(sample.startTimestamp);
        samples.ends.push_back(sample.endTimestamp);
        for (std::size_t c = 0; c < values.size(); ++c) samples.columns[c].push_back(values[c]);
    }
    return samples;
}

void OverTimeSession::end(std::uint64_t sequence, std::uint32_t kernel, const std::string& symbol) {
    if (!m_started) return;
    const CUresult ran = m_driver.cuCtxSynchronize();
    auto samples = stopAndRead();
    disable();
    // The program's own error shows in its exit code, so it is not reported here.
    if (ran != CUDA_SUCCESS) return;
    if (!samples) return tell(samples.error());
    const auto busy = std::ranges::find(m_gpu->counters, kBusy) - m_gpu->counters.begin();
    const auto& active = samples->columns[static_cast<std::size_t>(busy)];
    const auto isBusy = [](double cycles) { return cycles > 0; };
    const auto first = std::ranges::find_if(active, isBusy);
    if (first == active.end())
        return tell({.code = ErrorCode::Unavailable,
                     .what = fmt::format("in none of the intervals of {} ns was an SM busy with {}",
                                         m_interval, symbol)});
    const auto from = static_cast<std::size_t>(first - active.begin());
    std::size_t to = active.size();
    while (!isBusy(active[to - 1])) --to;
    // The first sample reaches back to the set-up of sampling, so cut it to one interval.
    const std::uint64_t zero = std::max(
        samples->starts[from], samples->ends[from] - std::min(samples->ends[from], m_interval));
    OverTimeRecord record{.sequence = sequence, .kernel = kernel, .counters = m_gpu->counters};
    for (std::size_t i = from; i < to; ++i) record.ends.push_back(samples->ends[i] - zero);
    for (const std::vector<double>& column : samples->columns)
        record.columns.emplace_back(column.begin() + static_cast<std::ptrdiff_t>(from),
                                    column.begin() + static_cast<std::ptrdiff_t>(to));
    m_spool.overTime(record);
}

void OverTimeSession::cancel() {
    if (m_started) {
        ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, stop);
        stop.pPmSamplingObject = m_object;
        m_cupti.PmSamplingStop(&stop);
        m_started = false;
    }
    disable();
}

void OverTimeSession::disable() {
    if (!m_object) return;
    ROOFSCOPE_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, disable);
    disable.pPmSamplingObject = std::exchange(m_object, nullptr);
    m_cupti.PmSamplingDisable(&disable);
    m_started = false;
}

}  // namespace roofscope::inject
