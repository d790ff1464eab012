// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sessions/sampling_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collector/inject/sessions/sample_tally.h"

namespace roofscope::inject {
namespace {

/// Instructions that fit one buffer; CUPTI returns more in further buffers.
constexpr std::size_t kBufferRecords = 16'384;
/// Stop reading if CUPTI never finishes: the program must go on.
constexpr int kMostBuffers = 64;
constexpr std::size_t kScratchBytes = std::size_t{32} << 20;    // on the host
constexpr std::size_t kHardwareBytes = std::size_t{256} << 20;  // on the GPU
constexpr std::size_t kMostReasons = 1000;                      // CUPTI 13.0 has 40

}  // namespace

/// Memory for CUPTI's records.
struct SamplingSession::Buffer {
    CUpti_PCSamplingData data{};
    std::vector<CUpti_PCSamplingPCData> records{kBufferRecords};
    std::vector<CUpti_PCSamplingStallReason> samples;
    std::size_t reasons;

    explicit Buffer(std::size_t reasonCount)
        : samples(kBufferRecords * reasonCount), reasons(reasonCount) {
        data.size = sizeof data;
        data.collectNumPcs = records.size();
        data.pPcData = records.data();
        makeRoom();
    }
    /// CUPTI overwrites each record's room for reasons with the number of reasons in it, so set it
    /// again.
    void makeRoom() {
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].size = sizeof(CUpti_PCSamplingPCData);
            records[i].stallReasonCount = reasons;
            records[i].stallReason = samples.data() + i * reasons;
        }
    }
    [[nodiscard]] SampleBatch read() const {
        SampleBatch batch{.total = data.totalSamples,
                          .dropped = data.droppedSamples,
                          .nonUser = data.nonUsrKernelsTotalSamples,
                          .hardwareFull = data.hardwareBufferFull != 0,
                          .remaining = data.remainingNumPcs};
        for (std::size_t i = 0; i < std::min(data.totalNumPcs, records.size()); ++i) {
            const CUpti_PCSamplingPCData& from = records[i];
            // The string is shared with CUPTI's other records: do not free it.
            SampleBatch::Record record{.function = from.functionName ? from.functionName : "",
                                       .offset = from.pcOffset,
                                       .correlation = from.correlationId,
                                       .module = from.cubinCrc};
            for (std::size_t r = 0; r < std::min(from.stallReasonCount, reasons); ++r) {
                const CUpti_PCSamplingStallReason seen = from.stallReason[r];
                if (seen.samples > 0)
                    record.samples.push_back({seen.pcSamplingStallReasonIndex, seen.samples});
            }
            batch.records.push_back(std::move(record));
        }
        return batch;
    }
};

struct SamplingSession::Sampled {
    std::map<std::uint32_t, std::string> reasons;
    std::unique_ptr<Buffer> configured;  ///< CUPTI fills this one when a launch ends
    std::unique_ptr<Buffer> fetched;     ///< CUPTI fills this one when it is asked
    bool enabled = false, usable = false, started = false;
};

SamplingSession::SamplingSession(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                                 std::string folder, const StallsMode& mode)
    : m_cupti(cupti),
      m_driver(driver),
      m_spool(spool),
      m_period(mode.samplingPeriod),
      m_keepsCode(mode.code),
      m_code(cupti, spool, std::move(folder)) {
    for (const auto& [signature, ordinals] : mode.picks) m_left += ordinals.size();
}

SamplingSession::~SamplingSession() {
    // CUPTI still writes into the buffers of a context that was not closed, so they are leaked.
    for (auto& [context, sampled] : m_contexts)
        if (sampled->enabled) (void)sampled.release();
}

void SamplingSession::issue(Severity severity, const char* code, std::string message,
                            std::string advice) {
    m_spool.issue({.severity = severity,
                   .source = "inject",
                   .code = code,
                   .message = std::move(message),
                   .advice = std::move(advice)});
}

bool SamplingSession::fail(const char* function, CUptiResult result) {
    issue(Severity::Info, "stall-samples-unavailable",
          fmt::format("stall reasons could not be sampled: {}: {}", function,
                      m_cupti.describe(result)),
          cuptiAdvice(result));
    return false;
}

void SamplingSession::begin(CUcontext context) {
    auto& sampled = m_contexts[context];
    if (!sampled) {
        sampled = std::make_unique<Sampled>();
        sampled->usable = open(context, *sampled);
        if (!sampled->usable) disable(context, *sampled);
    }
    if (!sampled->usable || sampled->started) return;
    CUpti_PCSamplingStartParams start{};
    start.size = CUpti_PCSamplingStartParamsSize;
    start.ctx = context;
    if (const auto r = m_cupti.PCSamplingStart(&start); r != CUPTI_SUCCESS)
        fail("cuptiPCSamplingStart", r);
    else
        sampled->started = true;
}

bool SamplingSession::open(CUcontext context, Sampled& sampled) {
    ROOFSCOPE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto r = m_cupti.ProfilerInitialize(&initialize); r != CUPTI_SUCCESS)
        return fail("cuptiProfilerInitialize", r);
    // CUPTI must not be switched on while a kernel runs.
    if (m_driver.cuCtxSynchronize() != CUDA_SUCCESS) return false;
    CUpti_PCSamplingEnableParams enable{};
    enable.size = CUpti_PCSamplingEnableParamsSize;
    enable.ctx = context;
    if (const auto r = m_cupti.PCSamplingEnable(&enable); r != CUPTI_SUCCESS)
        return fail("cuptiPCSamplingEnable", r);
    sampled.enabled = true;
    const std::vector<std::uint32_t> reasons = readReasons(context, sampled);
    return !reasons.empty() && configure(context, sampled, reasons);
}

std::vector<std::uint32_t> SamplingSession::readReasons(CUcontext context, Sampled& sampled) {
    const auto failed = [this](const char* function, CUptiResult result) {
        fail(function, result);
        return std::vector<std::uint32_t>();
    };
    std::size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number{};
    number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
    number.ctx = context;
    number.numStallReasons = &count;
    if (const auto r = m_cupti.PCSamplingGetNumStallReasons(&number); r != CUPTI_SUCCESS)
        return failed("cuptiPCSamplingGetNumStallReasons", r);
    if (count == 0 || count > kMostReasons)
        return failed("cuptiPCSamplingGetNumStallReasons", CUPTI_ERROR_UNKNOWN);
    std::vector<std::uint32_t> numbers(count);
    std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(count);
    std::vector<char*> names;
    for (auto& text : texts) names.push_back(text.data());
    CUpti_PCSamplingGetStallReasonsParams reasons{};
    reasons.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    reasons.ctx = context;
    reasons.numStallReasons = count;
    reasons.stallReasonIndex = numbers.data();
    reasons.stallReasons = names.data();
    if (const auto r = m_cupti.PCSamplingGetStallReasons(&reasons); r != CUPTI_SUCCESS)
        return failed("cuptiPCSamplingGetStallReasons", r);
    for (std::size_t i = 0; i < count; ++i) {
        texts[i].back() = '\0';
        sampled.reasons[numbers[i]] = texts[i].data();
    }
    return numbers;
}

bool SamplingSession::configure(CUcontext context, Sampled& sampled,
                                std::vector<std::uint32_t> reasons) {
    sampled.configured = std::make_unique<Buffer>(reasons.size());
    sampled.fetched = std::make_unique<Buffer>(reasons.size());

    std::vector<CUpti_PCSamplingConfigurationInfo> attributes;
    const auto attribute = [&](CUpti_PCSamplingConfigurationAttributeType type) -> auto& {
        attributes.emplace_back().attributeType = type;
        return attributes.back().attributeData;
    };
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE)
        .collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD)
        .samplingPeriodData.samplingPeriod = m_period;
    auto& wanted =
        attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON).stallReasonData;
    wanted.stallReasonCount = reasons.size();
    wanted.pStallReasonIndex = reasons.data();
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE)
        .scratchBufferSizeData.scratchBufferSize = kScratchBytes;
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE)
        .hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
    // Without this, CUPTI would serialise every launch of the program.
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL)
        .enableStartStopControlData.enableStartStopControl = 1;
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT)
        .outputDataFormatData.outputDataFormat = CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
    attribute(CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
        .samplingDataBufferData.samplingDataBuffer = &sampled.configured->data;
    CUpti_PCSamplingConfigurationInfoParams configuration{};
    configuration.size = CUpti_PCSamplingConfigurationInfoParamsSize;
    configuration.ctx = context;
    configuration.numAttributes = attributes.size();
    configuration.pPCSamplingConfigurationInfo = attributes.data();
    if (const auto r = m_cupti.PCSamplingSetConfigurationAttribute(&configuration);
        r != CUPTI_SUCCESS)
        return fail("cuptiPCSamplingSetConfigurationAttribute", r);
    return true;
}

bool SamplingSession::stop(CUcontext context, Sampled& sampled) {
    sampled.started = false;
    CUpti_PCSamplingStopParams stop{};
    stop.size = CUpti_PCSamplingStopParamsSize;
    stop.ctx = context;
    if (const auto r = m_cupti.PCSamplingStop(&stop); r != CUPTI_SUCCESS) {
        sampled.usable = false;
        return fail("cuptiPCSamplingStop", r);
    }
    return true;
}

void SamplingSession::end(CUcontext context, std::uint64_t sequence, std::uint32_t kernel,
                          const std::string& symbol) {
    const auto it = m_contexts.find(context);
    if (it == m_contexts.end() || !it->second->started) return;
    const CUresult ran = m_driver.cuCtxSynchronize();
    // The program's own error shows in its exit code; there are no samples to read.
    if (stop(context, *it->second) && ran == CUDA_SUCCESS)
        handOver(context, *it->second, sequence, kernel, symbol);
    if (m_left > 0 && --m_left == 0) {
        closeAll();
        m_code.forget();
    }
}

void SamplingSession::handOver(CUcontext context, Sampled& sampled, std::uint64_t sequence,
                               std::uint32_t kernel, const std::string& symbol) {
    SampleTally tally(sampled.reasons);
    tally.add(sampled.configured->read());
    // Ask even if nothing is left: only that empties the buffer for the next launch.
    for (int i = 0; i < kMostBuffers; ++i) {
        sampled.fetched->makeRoom();
        CUpti_PCSamplingGetDataParams get{};
        get.size = CUpti_PCSamplingGetDataParamsSize;
        get.ctx = context;
        get.pcSamplingData = &sampled.fetched->data;
        const auto r = m_cupti.PCSamplingGetData(&get);
        if (r != CUPTI_SUCCESS && r != CUPTI_ERROR_OUT_OF_MEMORY) {
            sampled.usable = false;
            fail("cuptiPCSamplingGetData", r);
            break;
        }
        SampleBatch batch = sampled.fetched->read();
        batch.hardwareFull = batch.hardwareFull || r == CUPTI_ERROR_OUT_OF_MEMORY;
        const bool last = batch.remaining == 0 || batch.records.empty();
        tally.add(std::move(batch));
        if (last) break;
    }
    sampled.configured->makeRoom();
    auto record = tally.of(symbol);
    if (!record)
        return issue(Severity::Info, "stall-samples-unavailable",
                     fmt::format("{} has no stall samples: {}", symbol, record.error().what),
                     record.error().advice);
    // A few dropped samples in a hundred thousand do not matter.
    constexpr double kNoticed = 0.01;
    if (static_cast<double>(tally.dropped()) > kNoticed * static_cast<double>(tally.total()))
        issue(Severity::Info, "stall-samples-dropped",
              fmt::format("{} of {} samples of {} were dropped by the hardware", tally.dropped(),
                          tally.total(), symbol));
    record->sequence = sequence;
    record->kernel = kernel;
    if (const auto module = tally.moduleOf(symbol); m_keepsCode && module)
        writeCode(*module, symbol, *record);
    m_spool.samples(*record);
}

void SamplingSession::writeCode(std::uint64_t module, const std::string& symbol,
                                const SampleRecord& samples) {
    constexpr std::uint32_t kInstruction = 16;  // bytes, since compute capability 7.0
    SourceRecord record{.sequence = samples.sequence, .kernel = samples.kernel};
    m_code.write(module, symbol, record);
    for (std::uint32_t offset = 0; offset <= samples.rows.back().offset; offset += kInstruction) {
        SourceRecord::Row row{.offset = offset};
        m_code.addLine(module, symbol, row, record.files);
        record.rows.push_back(std::move(row));
    }
    m_spool.source(record);
}

void SamplingSession::cancel(CUcontext context) {
    const auto it = m_contexts.find(context);
    if (it != m_contexts.end() && it->second->started) stop(context, *it->second);
}

void SamplingSession::disable(CUcontext context, Sampled& sampled) {
    sampled.usable = false;
    if (!sampled.enabled) return;
    CUpti_PCSamplingDisableParams disable{};
    disable.size = CUpti_PCSamplingDisableParamsSize;
    disable.ctx = context;
    // If this fails, CUPTI may still write into the buffers, so keep them.
    if (m_cupti.PCSamplingDisable(&disable) == CUPTI_SUCCESS) sampled.enabled = false;
}

void SamplingSession::close(CUcontext context) {
    const auto it = m_contexts.find(context);
    if (it == m_contexts.end()) return;
    if (it->second->started) stop(context, *it->second);
    disable(context, *it->second);
    if (it->second->enabled) (void)it->second.release();
    m_contexts.erase(it);
}

void SamplingSession::forget(CUcontext context) {
    const auto it = m_contexts.find(context);
    if (it == m_contexts.end()) return;
    if (it->second->enabled) (void)it->second.release();  // CUPTI may still write there
    m_contexts.erase(it);
}

void SamplingSession::closeAll() {
    while (!m_contexts.empty()) close(m_contexts.begin()->first);
}

}  // namespace roofscope::inject
