// SPDX-License-Identifier: Apache-2.0
// PC sampling with a fake CUPTI.
#include "collector/inject/sessions/sampling_session.h"

#include <cstring>

#include "collector/inject/sessions/sample_tally.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

const std::map<std::uint32_t, std::string> kReasons{
    {3, "wait"}, {4, "wait_not_issued"}, {7, "selected"}};

SampleBatch::Record seen(std::uint64_t offset, std::uint64_t waiting, std::uint64_t selected,
                         std::string function = "k", std::uint32_t correlation = 5) {
    return {.function = std::move(function),
            .offset = offset,
            .correlation = correlation,
            .samples = {{3, waiting}, {4, waiting}, {7, selected}}};
}

Result<SampleRecord> tallied(std::vector<SampleBatch> batches) {
    SampleTally tally(kReasons);
    for (auto& batch : batches) tally.add(std::move(batch));
    return tally.of("k");
}

constexpr std::uint64_t kChecksum = 42;

/// The fake CUPTI, launch after launch.
struct Cupti {
    std::vector<std::string> calls;
    CUptiResult enableResult = CUPTI_SUCCESS;
    std::uint64_t samplesPerLaunch = 40;
    std::uint32_t correlation = 0;
    CUpti_PCSamplingData* configured = nullptr;
    std::uint32_t period = 0, startStop = 0;
    std::size_t mostReasons = 0;
};
Cupti g;

void fill(CUpti_PCSamplingData& data) {
    data.totalSamples = g.samplesPerLaunch;
    data.totalNumPcs = 1;
    data.remainingNumPcs = 0;
    static char name[] = "k";
    CUpti_PCSamplingPCData& record = data.pPcData[0];
    g.mostReasons = record.stallReasonCount;
    record.functionName = name;
    record.pcOffset = 16;
    record.cubinCrc = kChecksum;
    record.correlationId = g.correlation;
    record.stallReasonCount = 2;
    record.stallReason[0] = {.pcSamplingStallReasonIndex = 3,
                             .samples = static_cast<std::uint32_t>(g.samplesPerLaunch - 10)};
    record.stallReason[1] = {.pcSamplingStallReasonIndex = 7, .samples = 10};
}

CuptiApi fakeCupti() {
    CuptiApi api;
    api.GetResultString = [](CUptiResult, const char** text) {
        *text = "CUPTI_ERROR";
        return CUPTI_SUCCESS;
    };
    api.ProfilerInitialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
    api.PCSamplingEnable = [](CUpti_PCSamplingEnableParams*) {
        g.calls.emplace_back("enable");
        return g.enableResult;
    };
    api.PCSamplingDisable = [](CUpti_PCSamplingDisableParams*) {
        g.calls.emplace_back("disable");
        return CUPTI_SUCCESS;
    };
    api.PCSamplingGetNumStallReasons = [](CUpti_PCSamplingGetNumStallReasonsParams* p) {
        *p->numStallReasons = kReasons.size();
        return CUPTI_SUCCESS;
    };
    api.PCSamplingGetStallReasons = [](CUpti_PCSamplingGetStallReasonsParams* p) {
        std::size_t i = 0;
        for (const auto& [number, name] : kReasons) {
            p->stallReasonIndex[i] = number;
            std::strcpy(p->stallReasons[i++], name.c_str());
        }
        return CUPTI_SUCCESS;
    };
    api.PCSamplingSetConfigurationAttribute = [](CUpti_PCSamplingConfigurationInfoParams* p) {
        g.calls.emplace_back("configure");
        for (std::size_t i = 0; i < p->numAttributes; ++i) {
            const auto& info = p->pPCSamplingConfigurationInfo[i];
            const auto& data = info.attributeData;
            if (info.attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD)
                g.period = data.samplingPeriodData.samplingPeriod;
            if (info.attributeType ==
                CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL)
                g.startStop = data.enableStartStopControlData.enableStartStopControl;
            if (info.attributeType ==
                CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
                g.configured = static_cast<CUpti_PCSamplingData*>(
                    data.samplingDataBufferData.samplingDataBuffer);
        }
        return CUPTI_SUCCESS;
    };
    api.PCSamplingStart = [](CUpti_PCSamplingStartParams*) {
        g.calls.emplace_back("start");
        return CUPTI_SUCCESS;
    };
    api.PCSamplingStop = [](CUpti_PCSamplingStopParams*) {
        g.calls.emplace_back("stop");
        ++g.correlation;
        fill(*g.configured);
        return CUPTI_SUCCESS;
    };
    // As measured on a GPU: the same records come again, and the buffer filled first is then empty.
    api.PCSamplingGetData = [](CUpti_PCSamplingGetDataParams* p) {
        g.calls.emplace_back("get");
        fill(*static_cast<CUpti_PCSamplingData*>(p->pcSamplingData));
        g.configured->totalNumPcs = 0;
        g.configured->totalSamples = 0;
        return CUPTI_SUCCESS;
    };
    api.GetCubinCrc = [](CUpti_GetCubinCrcParams* p) {
        p->cubinCrc = p->cubinSize == 4 ? kChecksum : kChecksum + 1;
        return CUPTI_SUCCESS;
    };
    api.GetSassToSourceCorrelation = [](CUpti_GetSassToSourceCorrelationParams* p) {
        p->lineNumber = 3 + static_cast<std::uint32_t>(p->pcOffset);
        p->fileName = strdup("a.cu");
        p->dirName = strdup("/src");
        return CUPTI_SUCCESS;
    };
    return api;
}

DriverApi fakeDriver() {
    DriverApi api;
    api.cuCtxSynchronize = [] { return CUDA_SUCCESS; };
    return api;
}

CUcontext contextNumber(std::uintptr_t n) { return reinterpret_cast<CUcontext>(n); }

/// Runs `body` with a session that waits for `launches` launches. Returns the spool's profile.
template <class Body>
Profile sampledBy(std::size_t launches, Body body, bool code = false) {
    const test::TemporaryFolder folder;
    const CuptiApi cupti = fakeCupti();
    const DriverApi driver = fakeDriver();
    {
        SpoolWriter spool(folder.path().string());
        spool.process({.pid = 7});
        spool.device(0, {.name = "GPU"});
        spool.kernel(0, {.name = "k", .symbol = "k"});
        StallsMode mode{.samplingPeriod = 9, .code = code};
        for (std::size_t i = 0; i < launches; ++i)
            mode.picks[1].push_back(static_cast<std::uint32_t>(i));
        SamplingSession session(cupti, driver, spool, folder.path().string(), mode);
        body(session, spool);
        spool.end();
    }
    auto profile = readSpools(folder.path());
    REQUIRE(profile.ok());
    return *profile;
}

void launch(SamplingSession& session, SpoolWriter& spool, std::uint64_t n) {
    session.begin(contextNumber(1));
    spool.launch(n, {.kernel = 0, .device = 0});
    session.end(contextNumber(1), n, 0, "k");
}

}  // namespace

TEST_CASE("a buffer that repeats another counts once") {
    const SampleBatch first{.total = 33, .records = {seen(0, 10, 1), seen(16, 20, 2)}};
    SampleBatch again = first;
    std::swap(again.records[0], again.records[1]);
    const auto record = tallied({first, again});
    REQUIRE(record.ok());
    CHECK(record->reasons == std::vector<std::string>{"wait", "wait_not_issued", "selected"});
    REQUIRE(record->rows.size() == 2);
    CHECK(record->rows[1].offset == 16);
    CHECK(record->rows[1].samples == std::vector<std::uint64_t>{20, 20, 2});
}

TEST_CASE("a buffer that repeats another and goes on counts once, too") {
    const auto record = tallied({{.total = 11, .records = {seen(0, 10, 1)}},
                                 {.total = 33, .records = {seen(0, 10, 1), seen(16, 20, 2)}}});
    REQUIRE(record.ok());
    CHECK(record->rows[0].samples == std::vector<std::uint64_t>{10, 10, 1});
    CHECK(record->rows[1].samples == std::vector<std::uint64_t>{20, 20, 2});
}

TEST_CASE("what did not fit the first buffer is added, whichever total CUPTI names") {
    for (const auto& [a, b] : {std::pair{11, 22}, std::pair{33, 33}}) {
        const auto record =
            tallied({{.total = static_cast<std::uint64_t>(a), .records = {seen(0, 10, 1)}},
                     {.total = static_cast<std::uint64_t>(b), .records = {seen(16, 20, 2)}}});
        REQUIRE(record.ok());
        CHECK(record->rows.size() == 2);
    }
    // Nothing at first, all samples when flushed.
    CHECK(tallied({{}, {.total = 11, .records = {seen(0, 10, 1)}}}).ok());
}

TEST_CASE("samples that are not all there are refused") {
    const auto why = [](std::vector<SampleBatch> batches) {
        const auto record = tallied(std::move(batches));
        REQUIRE_FALSE(record.ok());
        return record.error().what;
    };
    const auto has = [&](std::vector<SampleBatch> batches, const char* text) {
        CHECK(why(std::move(batches)).find(text) != std::string::npos);
    };
    has({{}}, "too short");
    has({{.total = 12, .records = {seen(0, 10, 1)}}}, "do not add up");
    has({{.total = 11, .records = {seen(0, 10, 1, "other")}}}, "to other kernels");
    has({{.total = 22, .records = {seen(0, 10, 1), seen(0, 10, 1, "k", 6)}}}, "several launches");
    has({{.total = 11, .hardwareFull = true}}, "full");
    has({{.total = 100, .dropped = 50, .records = {seen(0, 40, 10)}}}, "dropped");
    has({{.total = 11, .records = {seen(1ULL << 32, 10, 1)}}}, "outside the kernel");
    // Samples of kernels that the driver adds, or a few dropped ones, are not a gap.
    CHECK(tallied({{.total = 20, .dropped = 1, .nonUser = 8, .records = {seen(0, 10, 1)}}}).ok());
    // The total includes samples of other kernels.
    CHECK(tallied({{.total = 22, .records = {seen(0, 10, 1), seen(0, 10, 1, "other")}}}).ok());
}

TEST_CASE("each wanted launch is sampled by itself; after the last, sampling is off") {
    g = {};
    const Profile p = sampledBy(2, [](SamplingSession& session, SpoolWriter& spool) {
        launch(session, spool, 0);
        launch(session, spool, 1);
    });
    CHECK(g.calls == std::vector<std::string>{"enable", "configure", "start", "stop", "get",
                                              "start", "stop", "get", "disable"});
    CHECK(g.period == 9);
    CHECK(g.startStop == 1);
    CHECK(g.mostReasons == kReasons.size());  // although CUPTI overwrote it with a smaller number
    CHECK(p.issues.empty());
    REQUIRE(p.sources.size() == 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
        CHECK(p.sources[i].launch == i);
        REQUIRE(p.sources[i].instructions.size() == 1);
        CHECK(p.sources[i].instructions[0].offset == 16);
        CHECK(p.sources[i].counters.value("wait", 0) == 30.0);
        CHECK(p.sources[i].counters.value("wait_not_issued", 0) == 0.0);
    }
}

TEST_CASE(
    "the code and the lines of a sampled kernel come before its samples, if they are wanted") {
    g = {};
    const Profile p = sampledBy(
        1,
        [](SamplingSession& session, SpoolWriter& spool) {
            session.moduleLoaded("other", 5);
            session.moduleLoaded("code", 4);
            launch(session, spool, 0);
        },
        true);
    REQUIRE(p.sources.size() == 2);
    const SourcePass& code = p.sources.front();
    CHECK(code.counters.names().empty());
    REQUIRE(code.instructions.size() == 2);
    CHECK(code.files == std::vector<std::string>{"/src/a.cu"});
    CHECK(code.instructions[1].offset == 16);
    CHECK(code.instructions[1].line == 19);
    CHECK(p.sources.back().counters.value("wait", 0) == 30.0);
}

TEST_CASE("without the right to sample the program runs on, and one notice says so") {
    g = {};
    g.enableResult = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    const Profile p = sampledBy(2, [](SamplingSession& session, SpoolWriter& spool) {
        launch(session, spool, 0);
        launch(session, spool, 1);
    });
    CHECK(g.calls == std::vector<std::string>{"enable"});
    CHECK(p.sources.empty());
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].severity == Severity::Info);
    CHECK(p.issues[0].code == "stall-samples-unavailable");
    CHECK(p.issues[0].advice.find("administrators") != std::string::npos);
}

TEST_CASE("launches that fail, contexts that end and programs that end early stop sampling") {
    g = {};
    const Profile failed = sampledBy(1, [](SamplingSession& session, SpoolWriter&) {
        session.begin(contextNumber(1));
        session.cancel(contextNumber(1));
        session.end(contextNumber(1), 0, 0, "k");
        session.close(contextNumber(1));
        session.close(contextNumber(1));
        session.closeAll();
    });
    CHECK(g.calls == std::vector<std::string>{"enable", "configure", "start", "stop", "disable"});
    CHECK(failed.sources.empty());
    CHECK(failed.issues.empty());

    g = {};
    (void)sampledBy(3, [](SamplingSession& session, SpoolWriter& spool) {
        launch(session, spool, 0);
        session.end(contextNumber(2), 1, 0, "k");  // never begun in that context
        session.closeAll();
    });
    CHECK(g.calls.back() == "disable");
}

TEST_CASE("samples whose sum is not CUPTI's total are told of and left out") {
    g = {};
    g.samplesPerLaunch = 5;  // 10 of them selected: the sums do not match
    const Profile p = sampledBy(
        1, [](SamplingSession& session, SpoolWriter& spool) { launch(session, spool, 0); });
    CHECK(p.sources.empty());
    REQUIRE(p.issues.size() == 1);
    CHECK(p.issues[0].code == "stall-samples-unavailable");
}
