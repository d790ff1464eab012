// SPDX-License-Identifier: Apache-2.0
// PM sampling with a fake CUPTI.
#include "collector/inject/sessions/over_time_session.h"

#include <functional>

#include "collector/run/measure/over_time.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::inject;

namespace {

struct Sample {
    std::uint64_t start = 0, end = 0;
    double busy = 0, bytes = 0;
};

/// The fake CUPTI, launch after launch.
struct OverTimeCupti {
    std::vector<Sample> samples;  ///< of the next launch
    std::size_t room = 0;         ///< samples that fit the image
    std::vector<Sample> image;    ///< decoded
    std::size_t passesPer = 0;    ///< counters that fit into one pass; 0: all
    std::size_t configured = 0;   ///< counters
    std::string lacking;          ///< a counter that the chip does not have
    std::uint64_t interval = 0;
    bool overflow = false;
    CUptiResult configResult = CUPTI_SUCCESS;
    int enabled = 0, started = 0, enables = 0;
};
OverTimeCupti g_overTime;

/// What is known of the chip, and the image of the configuration.
void fakeConfiguration(CuptiApi& api) {
    api.GetResultString = [](CUptiResult, const char** text) {
        *text = "CUPTI_ERROR";
        return CUPTI_SUCCESS;
    };
    api.ProfilerInitialize = [](CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; };
    api.DeviceGetChipName = [](CUpti_Device_GetChipName_Params* p) {
        p->pChipName = "GH100";
        return CUPTI_SUCCESS;
    };
    api.PmSamplingGetCounterAvailability = [](CUpti_PmSampling_GetCounterAvailability_Params* p) {
        p->counterAvailabilityImageSize = 8;
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostInitialize = [](CUpti_Profiler_Host_Initialize_Params* p) {
        CHECK(p->profilerType == CUPTI_PROFILER_TYPE_PM_SAMPLING);
        p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(1);
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostDeinitialize = [](CUpti_Profiler_Host_Deinitialize_Params*) {
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostGetMetricProperties = [](CUpti_Profiler_Host_GetMetricProperties_Params* p) {
        return p->pMetricName == g_overTime.lacking ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
    };
    api.ProfilerHostConfigAddMetrics = [](CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
        g_overTime.configured = p->numMetrics;
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostGetConfigImageSize = [](CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
        p->configImageSize = 4;
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostGetConfigImage = [](CUpti_Profiler_Host_GetConfigImage_Params*) {
        return CUPTI_SUCCESS;
    };
    api.ProfilerHostGetNumOfPasses = [](CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
        p->numOfPasses =
            g_overTime.passesPer == 0 || g_overTime.configured <= g_overTime.passesPer ? 1 : 2;
        return CUPTI_SUCCESS;
    };
}

void fakeSampling(CuptiApi& api) {
    api.PmSamplingEnable = [](CUpti_PmSampling_Enable_Params* p) {
        ++g_overTime.enabled;
        ++g_overTime.enables;
        p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(2);
        return CUPTI_SUCCESS;
    };
    api.PmSamplingDisable = [](CUpti_PmSampling_Disable_Params*) {
        --g_overTime.enabled;
        return CUPTI_SUCCESS;
    };
    api.PmSamplingSetConfig = [](CUpti_PmSampling_SetConfig_Params* p) {
        g_overTime.interval = p->samplingInterval;
        return g_overTime.configResult;
    };
    api.PmSamplingGetCounterDataSize = [](CUpti_PmSampling_GetCounterDataSize_Params* p) {
        p->counterDataSize = 16;
        g_overTime.room = p->maxSamples;
        return CUPTI_SUCCESS;
    };
    api.PmSamplingStart = [](CUpti_PmSampling_Start_Params*) {
        ++g_overTime.started;
        return CUPTI_SUCCESS;
    };
    api.PmSamplingStop = [](CUpti_PmSampling_Stop_Params*) {
        --g_overTime.started;
        return CUPTI_SUCCESS;
    };
}

void fakeDecoding(CuptiApi& api) {
    api.PmSamplingCounterDataImageInitialize =
        [](CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
            g_overTime.image.clear();
            return CUPTI_SUCCESS;
        };
    api.PmSamplingDecodeData = [](CUpti_PmSampling_DecodeData_Params* p) {
        g_overTime.image = g_overTime.samples;
        if (g_overTime.image.size() > g_overTime.room) g_overTime.image.resize(g_overTime.room);
        p->decodeStopReason = g_overTime.room < g_overTime.samples.size()
                                  ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                  : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
        p->overflow = g_overTime.overflow ? 1 : 0;
        return CUPTI_SUCCESS;
    };
    api.PmSamplingGetCounterDataInfo = [](CUpti_PmSampling_GetCounterDataInfo_Params* p) {
        p->numCompletedSamples = g_overTime.image.size();
        return CUPTI_SUCCESS;
    };
    api.PmSamplingCounterDataGetSampleInfo =
        [](CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
            p->startTimestamp = g_overTime.image.at(p->sampleIndex).start;
            p->endTimestamp = g_overTime.image.at(p->sampleIndex).end;
            return CUPTI_SUCCESS;
        };
    api.ProfilerHostEvaluateToGpuValues = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
        for (std::size_t i = 0; i < p->numMetrics; ++i) {
            const std::string name = p->ppMetricNames[i];
            if (name == "sm__cycles_active.avg")
                p->pMetricValues[i] = g_overTime.image.at(p->rangeIndex).busy;
            if (name == "dram__bytes_read.sum")
                p->pMetricValues[i] = g_overTime.image.at(p->rangeIndex).bytes;
        }
        return CUPTI_SUCCESS;
    };
}

CuptiApi overTimeCupti() {
    CuptiApi api;
    fakeConfiguration(api);
    fakeSampling(api);
    fakeDecoding(api);
    return api;
}

/// The profile of the spool that `body` wrote with a session.
Profile sampledBy(const std::function<void(OverTimeSession&, SpoolWriter&)>& body) {
    const test::TemporaryFolder folder;
    const CuptiApi cupti = overTimeCupti();
    DriverApi driver;
    driver.cuCtxSynchronize = [] { return CUDA_SUCCESS; };
    {
        SpoolWriter spool(folder.path().string());
        spool.process({.pid = 7});
        spool.device(0, {.name = "GPU"});
        spool.kernel(0, {.name = "k", .symbol = "k"});
        OverTimeSession session(cupti, driver, spool);
        body(session, spool);
        spool.end();
    }
    CHECK(g_overTime.enabled == 0);  // nothing is left switched on
    CHECK(g_overTime.started == 0);
    auto profile = readSpools(folder.path());
    REQUIRE(profile.ok());
    return *profile;
}

void launch(OverTimeSession& session, SpoolWriter& spool, std::uint64_t n) {
    session.begin(0, 2000);
    spool.launch(n, {.kernel = 0, .device = 0});
    session.end(n, 0, "k");
}

bool toldUnavailable(const Profile& profile, const std::string& why) {
    return std::ranges::any_of(profile.issues, [&](const Issue& issue) {
        return issue.code == "over-time-unavailable" &&
               issue.message.find(why) != std::string::npos;
    });
}

/// Idle, three busy intervals (the second one idle), idle.
const std::vector<Sample> kLaunch{{1000, 9'000'000, 0, 5e5},    {9'000'000, 9'002'000, 10, 100},
                                  {9'002'000, 9'004'000, 0, 0}, {9'004'000, 9'006'016, 900, 300},
                                  {9'006'016, 9'008'000, 1, 1}, {9'008'000, 9'010'000, 0, 77},
                                  {9'010'000, 9'012'000, 0, 88}};

}  // namespace

TEST_CASE("a launch over its time: from the first busy interval to the last", "[over-time]") {
    g_overTime = {.samples = kLaunch};
    const Profile p = sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); });
    CHECK(g_overTime.interval == 2000);
    REQUIRE(p.overTime.size() == 1);
    const OverTime& trace = p.overTime[0];
    CHECK(trace.launch == 0U);
    REQUIRE(trace.ends.size() == 4);
    CHECK(trace.ends[0].value == Approx(2000e-9));
    CHECK(trace.ends[2].value == Approx(6016e-9));
    CHECK(trace.ends[3].value == Approx(8000e-9));
    CHECK(trace.counters.names().size() == 7);
    CHECK(trace.counters.value("dram__bytes_read.sum", 2) == 300.0);
    CHECK(trace.counters.value("sm__cycles_active.avg", 1) == 0.0);
    // Values that CUPTI did not write are missing.
    CHECK_FALSE(trace.counters.value("lts__t_sectors.sum", 1).has_value());
    CHECK(p.issues.empty());
}

TEST_CASE("the first interval does not reach back to when sampling was set up", "[over-time]") {
    g_overTime = {.samples = {{1000, 9'000'000, 50, 1}, {9'000'000, 9'002'000, 60, 1}}};
    const Profile p = sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); });
    REQUIRE(p.overTime.size() == 1);
    REQUIRE(p.overTime[0].ends.size() == 2);
    CHECK(p.overTime[0].ends[0].value == Approx(2000e-9));
}

TEST_CASE("every launch is sampled anew, since CUPTI keeps the first interval", "[over-time]") {
    g_overTime = {.samples = kLaunch};
    const Profile p = sampledBy([](auto& session, auto& spool) {
        launch(session, spool, 0);
        launch(session, spool, 1);
    });
    CHECK(g_overTime.enables == 2);
    REQUIRE(p.overTime.size() == 2);
    CHECK(p.overTime[1].launch == 1U);
}

TEST_CASE("counters that a chip lacks, or that need a second pass, are left out", "[over-time]") {
    g_overTime = {.samples = kLaunch, .passesPer = 5, .lacking = "lts__t_sectors.sum"};
    const Profile p = sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); });
    REQUIRE(p.overTime.size() == 1);
    CHECK(p.overTime[0].counters.names() ==
          std::vector<std::string>{"dram__bytes_read.sum", "dram__bytes_write.sum",
                                   "sm__cycles_active.avg", "sm__cycles_elapsed.max",
                                   "sm__inst_executed.sum"});
}

TEST_CASE("a failure to sample is reported once and leaves nothing switched on", "[over-time]") {
    g_overTime = {.samples = kLaunch, .configResult = CUPTI_ERROR_NOT_SUPPORTED};
    const Profile p = sampledBy([](auto& session, auto& spool) {
        launch(session, spool, 0);
        launch(session, spool, 1);
    });
    CHECK(p.overTime.empty());
    CHECK(p.issues.size() == 1);
    CHECK(toldUnavailable(p, "cuptiPmSamplingSetConfig"));

    g_overTime = {.samples = {{0, 1000, 0, 0}, {1000, 2000, 0, 0}}};
    CHECK(toldUnavailable(sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); }),
                          "in none of the intervals of 2000 ns was an SM busy with k"));
    g_overTime = {.samples = {}};
    CHECK(toldUnavailable(sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); }),
                          "in none of the intervals"));
    std::vector<Sample> many;
    for (std::uint64_t i = 0; i < 1001; ++i) many.push_back({2000 * i, 2000 * i + 2000, 9, 9});
    g_overTime = {.samples = many};  // at 2 µs there is room for 1,000 samples
    CHECK(toldUnavailable(sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); }),
                          "much longer"));
    g_overTime = {.samples = kLaunch, .overflow = true};
    CHECK(toldUnavailable(sampledBy([](auto& session, auto& spool) { launch(session, spool, 0); }),
                          "much longer"));
}

TEST_CASE("a launch that fails is not sampled", "[over-time]") {
    g_overTime = {.samples = kLaunch};
    const Profile p = sampledBy([](auto& session, auto& spool) {
        session.begin(0, 2000);
        session.cancel();
        session.end(0, 0, "k");
        launch(session, spool, 0);
    });
    CHECK(p.overTime.size() == 1);
    g_overTime = {.samples = kLaunch};
    const Profile open = sampledBy([](auto& session, auto&) { session.begin(0, 2000); });
    CHECK(open.overTime.empty());
}

TEST_CASE("the sampling interval follows from the duration of the launch", "[over-time]") {
    CHECK(samplingInterval(Seconds{5e-6}) == 500);
    CHECK(samplingInterval(Seconds{24e-6}) == 500);
    CHECK(samplingInterval(Seconds{25e-6}) == 1000);
    CHECK(samplingInterval(Seconds{250e-6}) == 1000);
    CHECK(samplingInterval(Seconds{251e-6}) == 2000);
    CHECK(samplingInterval(Seconds{50e-3}) == 200'000);
    CHECK(samplingInterval(Seconds{100}) == 100'000'000);
    CHECK(samplingInterval(std::nullopt) == 10'000);
}

TEST_CASE("lines of a spool about a launch's time that make no sense are refused", "[over-time]") {
    const test::TemporaryFolder folder;
    {
        std::ofstream file(folder.file("1-1.spool"));
        file << R"({"t":"process","pid":1}
{"t":"device","id":0,"name":"GPU","chip":"GH100","major":9,"minor":0,"sms":132,"warp":32}
{"t":"kernel","id":0,"name":"k","symbol":"k"}
{"t":"over-time","n":0,"k":0,"end":[10,10],"names":["a.sum"],"v":[[1,2]]}
{"t":"over-time","n":0,"k":0,"end":[10,20],"names":["a.sum"],"v":[[1]]}
{"t":"over-time","n":0,"k":0,"end":[-10,20],"names":["a.sum"],"v":[[1,2]]}
{"t":"over-time","n":0,"k":9,"end":[10,20],"names":["a.sum"],"v":[[1,2]]}
{"t":"over-time","n":0,"k":0,"end":[10,20],"names":["a.sum","b.sum"],"v":[[1,2]]}
{"t":"over-time","n":0,"k":0,"end":[10,20],"names":["a.sum"],"v":[[1,null]]}
{"t":"end"}
)";
    }
    const auto profile = readSpools(folder.path());
    REQUIRE(profile.ok());
    REQUIRE(profile->overTime.size() == 1);
    CHECK(profile->overTime[0].counters.value("a.sum", 0) == 1.0);
    CHECK_FALSE(profile->overTime[0].launch.has_value());
    CHECK(std::ranges::any_of(profile->issues, [](const Issue& issue) {
        return issue.code == "spool-damaged" && issue.message.find("5 lines") != std::string::npos;
    }));
}
