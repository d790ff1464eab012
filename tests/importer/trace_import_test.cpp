// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/trace_import.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "analyzer/model/kernel_origin.h"
#include "importer/traces/cuda_calls.h"
#include "importer/traces/microseconds.h"
#include "importer/traces/python_frames.h"
#include "profile/codec/codec.h"
#include "profile/operations/merge.h"
#include "tests/importer/trace_text.h"
#include "tests/support/catch.h"

using namespace roofscope;
using roofscope::test::TraceText;

namespace {

Result<Profile> read(const std::string& text, const traces::TraceLimits& limits = {}) {
    std::stringbuf source(text);
    return importTrace(source, "t.json", "1.0", limits);
}

Profile importedTrace(const std::string& text) {
    auto profile = read(text);
    if (!profile.ok()) FAIL(profile.error().message());
    // A profile must survive being written.
    const auto again = parseProfile(formatProfile(*profile), "again");
    if (!again.ok()) FAIL(again.error().message());
    CHECK(again->timeline == profile->timeline);
    return *profile;
}
Profile importedTrace(const TraceText& trace) { return importedTrace(trace.text()); }

Error refusedTrace(const std::string& text, const traces::TraceLimits& limits = {}) {
    const auto profile = read(text, limits);
    REQUIRE_FALSE(profile.ok());
    CHECK(profile.error().code == ErrorCode::BadData);
    CHECK(profile.error().where.find("t.json") == 0);
    return profile.error();
}

bool hasIssue(const Profile& profile, const std::string& code) {
    return std::ranges::find(profile.issues, code, &Issue::code) != profile.issues.end();
}

/// Two launches, a copy and a wait.
TraceText small() {
    TraceText trace;
    trace.onCpu("user_annotation", "ProfilerStep#1", "1000.000", "100.000")
        .onCpu("cpu_op", "aten::linear", "1010.000", "30.000", R"("Input Dims": [[8, 4], [], [4]])")
        .onCpu("cpu_op", "aten::addmm", "1011.000", "20.000",
               R"("Input Dims": [[4], [[8, 4], [4, 4]], []])")
        .call("cudaLaunchKernel", "1012.000", "5.000", 1)
        .kernel("gemm", "1020.001", "10.002", 1)
        .call("cudaMemcpyAsync", "1050.000", "4.000", 2)
        .copy("Memcpy DtoH (Device -> Pageable)", "1052.000", "1.500", 4096, 2)
        .call("cudaDeviceSynchronize", "1060.000", "7.000", 3)
        .onCpu("user_annotation", "ProfilerStep#2", "1100.000", "100.000")
        .call("cudaLaunchKernel", "1112.000", "5.000", 4)
        .kernel("gemm", "1120.000", "10.000", 4);
    return trace;
}

}  // namespace

TEST_CASE("microseconds of a trace are exact nanoseconds") {
    using traces::nanosecondsIn;
    CHECK(nanosecondsIn("4458676983543.183") == 4458676983543183);
    CHECK(nanosecondsIn("1712195495505582.988") == 1712195495505582988);
    CHECK(nanosecondsIn("7") == 7000);
    CHECK(nanosecondsIn("-1.5") == -1500);
    CHECK(nanosecondsIn("0.0004") == 0);
    CHECK(nanosecondsIn("0.0005") == 1);
    CHECK(nanosecondsIn(".25") == 250);
    CHECK(nanosecondsIn("1.5e3") == 1500000);
    CHECK(nanosecondsIn("1500E-3") == 1500);
    CHECK(nanosecondsIn("1e-300") == 0);
    CHECK(nanosecondsIn("0e300") == 0);
    for (const char* text : {"", "-", ".", "1.2.3", "nan", "1e", "1e400", "1e30", "12a",
                             "9223372036854775807", "1e99999999999999999999"})
        CHECK_FALSE(nanosecondsIn(text));
    CHECK(traces::wholeIn("18446744073709551615") == 18446744073709551615ULL);
    CHECK(traces::wholeIn("7.0") == 7U);
    for (const char* text : {"", "-1", "1.5", "18446744073709551616", "1e3"})
        CHECK_FALSE(traces::wholeIn(text));
}

TEST_CASE("functions of CUDA and copies by their names") {
    using traces::kindOfCall;
    CHECK(kindOfCall("cudaLaunchKernelExC") == CallKind::Launch);
    CHECK(kindOfCall("cuLaunchKernel") == CallKind::Launch);
    CHECK(kindOfCall("cudaLaunchHostFunc") == CallKind::Other);
    CHECK(kindOfCall("cudaGraphLaunch") == CallKind::GraphLaunch);
    CHECK(kindOfCall("cudaStreamSynchronize") == CallKind::Wait);
    CHECK(kindOfCall("cudaStreamWaitEvent") == CallKind::Other);
    CHECK(kindOfCall("cudaEventQuery") == CallKind::Other);
    CHECK(kindOfCall("cudaMemsetAsync") == CallKind::Transfer);
    CHECK(kindOfCall("cudaMalloc") == CallKind::Allocate);
    CHECK(kindOfCall("cudaFreeHost") == CallKind::Free);
    CHECK(kindOfCall("cuModuleLoadData") == CallKind::Load);
    CHECK(kindOfCall("cudaGraphInstantiate") == CallKind::Graph);
    CHECK(kindOfCall("hipLaunchKernel") == CallKind::Other);

    const auto pageable = traces::transferNamed("Memcpy HtoD (Pageable -> Device)");
    CHECK(pageable.kind == TransferKind::HostToDevice);
    CHECK(pageable.source == MemoryKind::Pageable);
    CHECK(pageable.target == MemoryKind::Device);
    CHECK(traces::transferNamed("Memset (Device)").kind == TransferKind::Memset);
    CHECK(traces::transferNamed("Memcpy PtoP (Device -> Device)").kind ==
          TransferKind::BetweenDevices);
    const auto unknown = traces::transferNamed("Memcpy XtoY)( -> ");
    CHECK(unknown.kind == TransferKind::Other);
    CHECK(unknown.source == MemoryKind::Unknown);
}

TEST_CASE("a Python function is the program's own or a framework's") {
    const auto own = traces::ownFrame("models/vit (2).py(12): forward");
    REQUIRE(own);
    CHECK(own->file == "models/vit (2).py");
    CHECK(own->function == "forward");
    for (const char* name :
         {"torch/nn/modules/module.py(1501): _call_impl", "<built-in method linear of type>",
          "nn.Module: Linear_0", "/x/site-packages/a.py(1): f", "<string>(1): <module>", "",
          "f(): ", "threading.py(3): run"})
        CHECK_FALSE(traces::ownFrame(name));
}

TEST_CASE("kernels, copies and calls of a trace") {
    const Profile profile = importedTrace(small());
    CHECK(profile.capture.origin == "imported");
    CHECK(profile.capture.cacheControl == "not in the trace");
    CHECK(profile.capture.clockControl == "not in the trace");
    CHECK(profile.capture.createdUtc == "2023-11-14T22:13:20Z");
    REQUIRE(profile.launches.size() == 2);
    const Launch& first = profile.launches[0];
    CHECK(first.start->value == 0);
    CHECK(first.duration->value == Approx(10002e-9).epsilon(1e-15));
    CHECK(profile.launches[1].start->value == Approx(99999e-9).epsilon(1e-15));
    CHECK(first.grid == Dim3{64, 2, 1});
    CHECK(first.block == Dim3{128, 1, 1});
    CHECK(first.dynamicSharedBytes == 1024);
    CHECK_FALSE(first.afterSync);
    CHECK(profile.launches[1].afterSync);
    REQUIRE(profile.kernels.size() == 1);
    CHECK(profile.kernels[0].registersPerThread == 40U);
    CHECK_FALSE(profile.kernels[0].staticSharedBytes);
    CHECK(profile.counters.names().empty());

    REQUIRE(profile.timeline.transfers.size() == 1);
    const Transfer& copy = profile.timeline.transfers[0];
    CHECK(copy.bytes == 4096);
    CHECK(copy.target == MemoryKind::Pageable);
    CHECK(copy.time == TimeSpan{31999, 33499});
    REQUIRE(profile.timeline.calls.size() == 4);
    CHECK(profile.timeline.calls[0].work == 0U);
    CHECK(profile.timeline.calls[0].time == TimeSpan{-8001, -3001});
    CHECK(profile.timeline.calls[1].work == 0U);  // of the transfers
    CHECK_FALSE(profile.timeline.calls[2].work);

    REQUIRE(profile.devices.size() == 1);
    CHECK(profile.devices[0].name == "Test GPU");
    CHECK(profile.devices[0].smCount == 108);
    REQUIRE(profile.processes.size() == 1);
    const Process& process = profile.processes[0];
    CHECK(process.pid == 100);
    CHECK(process.launchesSeen == 2);
    CHECK(process.clockZero == 1700000000000000000ULL + 1020001);
    CHECK_FALSE(process.rank);
    CHECK_FALSE(process.tracedLaunch);
    REQUIRE(process.timeline);
    CHECK(process.timeline->copies);
    CHECK(process.timeline->launches);
    CHECK(process.timeline->waits);
    CHECK_FALSE(process.timeline->loads);  // calls of the driver are not in a trace
    CHECK(hasIssue(profile, "trace-times-only"));
}

TEST_CASE("the program of a trace is one of PyTorch in Python") {
    const Frameworks frameworks = frameworksOf(importedTrace(small()));
    CHECK(frameworks.python);
    CHECK(frameworks.torch);
}

TEST_CASE("steps are one range, with the work they issued") {
    const Profile profile = importedTrace(small());
    REQUIRE(profile.ranges == std::vector<std::string>{"ProfilerStep"});
    REQUIRE(profile.timeline.ranges.size() == 2);
    CHECK(profile.timeline.ranges[0].gpu == TimeSpan{0, 33499});
    CHECK(profile.launches[0].range == 0U);

    TraceText nested;
    nested.onCpu("user_annotation", "step", "0", "100")
        .onCpu("user_annotation", "forward", "10", "50")
        .call("cudaLaunchKernel", "20", "5", 1)
        .kernel("k", "30.5", "10", 1);
    const Profile inner = importedTrace(nested);
    CHECK(inner.ranges == std::vector<std::string>{"step", "step > forward"});
    CHECK(inner.launches[0].range == 1U);
}

TEST_CASE("the sign that joins ranges is replaced in their names") {
    TraceText trace;
    trace.onCpu("user_annotation", "train > step", "0", "100")
        .onCpu("user_annotation", "> a->b >", "10", "50")
        .call("cudaLaunchKernel", "20", "5", 1)
        .kernel("k", "30.5", "10", 1);
    CHECK(importedTrace(trace).ranges ==
          std::vector<std::string>{"train / step", "train / step > / a->b /"});
}

TEST_CASE("a launch site is the operator, with the sizes of its tensors") {
    const Profile profile = importedTrace(small());
    REQUIRE(profile.callSites.size() == 1);
    const CallSite& site = profile.callSites[0];
    CHECK(site.kernel == 0U);
    CHECK(site.op == "aten::addmm");
    CHECK(site.sizes == "[4], [8, 4], [4, 4]");
    CHECK(site.count == 1);
}

TEST_CASE("a backward pass has the function of autograd, and the line that waits for it") {
    TraceText trace;
    trace.onCpu("python_function", "train.py(3): main", "0", "200")
        .onCpu("python_function", "torch/_tensor.py(490): backward", "10", "100")
        .onCpu("cpu_op", "autograd::engine::evaluate_function: MulBackward0", "20", "50",
               R"("Input Dims": [[3]])", 200)
        .onCpu("cpu_op", "MulBackward0", "21", "40", R"("Input Dims": [[3]])", 200)
        .onCpu("cpu_op", "aten::mul", "22", "30", R"("Input Dims": [[3], [3]])", 200)
        .call("cudaLaunchKernel", "25", "5", 1, 200)
        .kernel("k", "30.5", "10", 1);
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.callSites.size() == 1);
    const CallSite& site = profile.callSites[0];
    CHECK(site.backward == "MulBackward0");
    CHECK(site.op == "aten::mul");
    CHECK(site.sizes.empty());
    CHECK(site.file == "train.py");
    CHECK(site.function == "main");
    CHECK(site.line == 0);  // the trace has that of the function's beginning
    CHECK(site.indirect);
}

TEST_CASE("Python stacks of a trace become samples of its threads") {
    TraceText trace;
    // 1000 us: of 600 in the program's own code, 300 are in a library and 100 of those in compiled
    // code; 200 are a wait for another thread. "nn.Module: Net_0" is no function.
    trace.onCpu("python_function", "train.py(3): main", "0", "1000")
        .onCpu("python_function", "train.py(9): prepare", "0", "600")
        .onCpu("python_function", "scipy/ndimage/_interpolation.py(700): zoom", "100", "300")
        .onCpu("python_function", "<built-in function zoom_shift>", "200", "100")
        .onCpu("python_function", "nn.Module: Net_0", "600", "200")
        .onCpu("python_function", "<built-in method acquire of _thread.lock object at 0x7f12ab>",
               "800", "200")
        .call("cudaLaunchKernel", "700", "5", 1)
        .kernel("k", "710.5", "10", 1);
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.processes[0].cpuSamples);
    const CpuSamples& samples = *profile.processes[0].cpuSamples;
    CHECK(samples.samples.size() == 47'620);
    CHECK(samples.period == 21);
    std::map<std::string, int> innermost;
    std::map<CpuWait, int> waits;
    for (const CpuSample& sample : samples.samples) {
        const CpuFrame& frame = samples.frames[samples.stacks[sample.stack][0]];
        innermost[frame.file + ":" + std::to_string(frame.line) + " " + frame.function] += 21;
        waits[sample.wait] += 21;
    }
    const auto about = [](int ns) { return Catch::Matchers::WithinAbs(ns, 42); };
    CHECK(innermost.size() == 5);
    CHECK_THAT(innermost["train.py:3 main"], about(200'000));
    CHECK_THAT(innermost["train.py:9 prepare"], about(300'000));
    CHECK_THAT(innermost["/site-packages/scipy/ndimage/_interpolation.py:700 zoom"],
               about(200'000));
    CHECK_THAT(innermost["<built-in>:0 zoom_shift"], about(100'000));
    CHECK_THAT(innermost["<built-in>:0 _thread.lock.acquire"], about(200'000));
    CHECK(waits.size() == 2);
    CHECK_THAT(waits[CpuWait::Lock], about(200'000));
    // Time 0 is the start of the first kernel.
    CHECK(samples.samples.front().time == -710'500);
    CHECK(samples.stacks[samples.samples[12'000].stack].size() == 4);
}

TEST_CASE("many threads share the samples of a trace") {
    TraceText trace;
    for (int thread = 0; thread < 40; ++thread)
        trace.onCpu("python_function", "serve.py(3): work", "0", "1000", "", 200 + thread)
            .call("cudaLaunchKernel", "1", "5", thread + 1, 200 + thread)
            .kernel("k", std::to_string(10 + thread * 10) + ".5", "5", thread + 1);
    const CpuSamples samples = importedTrace(trace).processes[0].cpuSamples.value();
    CHECK(samples.samples.size() <= 200'000);
    std::map<std::uint32_t, int> ofThread;
    for (const CpuSample& sample : samples.samples) ++ofThread[sample.thread];
    REQUIRE(ofThread.size() == 40);
    CHECK(ofThread.begin()->second > 4'900);
    CHECK(ofThread.rbegin()->second > 4'900);
}

TEST_CASE("a trace without Python stacks has no samples") {
    TraceText trace;
    trace.onCpu("cpu_op", "aten::mul", "0", "50")
        .call("cudaLaunchKernel", "10", "5", 1)
        .kernel("k", "20.5", "10", 1);
    CHECK_FALSE(importedTrace(trace).processes[0].cpuSamples);
}

TEST_CASE("sizes that change from launch to launch are left out") {
    TraceText trace;
    for (int i = 1; i <= 5; ++i) {
        const std::string at = std::to_string(i * 100);
        trace
            .onCpu("cpu_op", "aten::add", at, "50",
                   R"("Input Dims": [[)" + std::to_string(i) + "]]")
            .call("cudaLaunchKernel", at + ".5", "5", i)
            .kernel("k", std::to_string(i * 100 + 10), "10", i);
    }
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.callSites.size() == 1);
    CHECK(profile.callSites[0].sizes.empty());
    CHECK(profile.callSites[0].count == 5);
}

TEST_CASE("nodes of a graph share a call") {
    TraceText trace;
    trace.call("cudaGraphLaunch", "10", "5", 1)
        .onGpu("gpu_memset", "Memset (Device)", "20.5", "1", R"("bytes": 8, "correlation": 1)")
        .kernel("a", "22", "2", 1)
        .kernel("b", "25", "2", 1);
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.launches.size() == 2);
    CHECK(profile.launches[0].fromGraph);
    CHECK(profile.launches[1].fromGraph);
    CHECK(profile.timeline.transfers[0].fromGraph);
    CHECK(profile.timeline.calls[0].work == 0U);
}

TEST_CASE("a copy between GPUs names them in its own way") {
    TraceText trace = small();
    trace.event(
        R"-({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)", "pid": 0,)-"
        R"( "tid": 7, "ts": 1140, "dur": 5, "args": {"fromDevice": 1, "inDevice": 1,)"
        R"( "toDevice": 0, "inContext": 3, "stream": 7, "correlation": 9, "bytes": 64}})");
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.timeline.transfers.size() == 2);
    const Transfer& copy = profile.timeline.transfers[1];
    CHECK(copy.kind == TransferKind::BetweenDevices);
    CHECK(copy.device == 1);
    CHECK(copy.peer == 0U);
    CHECK(copy.stream != profile.timeline.transfers[0].stream);
}

TEST_CASE("work of more GPUs than there can be is refused") {
    const auto devices = [](int count) {
        TraceText trace;
        for (int i = 0; i < count; ++i)
            trace.event(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,)"
                        R"( "ts": 1.5, "dur": 2, "args": {"device": )" +
                        std::to_string(i) + "}}");
        return trace.text();
    };
    CHECK(importedTrace(devices(1024)).devices.size() == 1024);
    CHECK(refusedTrace(devices(1025)).what == "work of more than 1024 GPUs");
}

TEST_CASE("loading code is a call, and the profiler's own time is not the program's") {
    TraceText trace;
    trace.call("cudaLaunchKernel", "10", "500", 1)
        .kernel("a", "515.5", "10", 1)
        .call("cudaLaunchKernel", "600", "5", 2, 200)
        .kernel("b", "610", "10", 2)
        .call("cudaLaunchKernel", "700", "5", 3)
        .kernel("c", "710", "10", 3);
    CHECK_FALSE(importedTrace(trace).processes[0].timeline->loads);
    const auto overhead = [&](const char* name, const char* start, const char* thread) {
        trace.event(R"({"ph": "X", "cat": "overhead", "name": ")" + std::string(name) +
                    R"(", "pid": -1, "tid": )" + thread + R"(, "ts": )" + start +
                    R"(, "dur": 2, "args": {}})");
    };
    overhead("Lazy Function Loading", "20", "0");
    overhead("Activity Buffer Request", "602", "0");
    overhead("Buffer Flush", "650", "200");
    overhead("Buffer Flush", "900", "0");  // after the last call
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.timeline.calls.size() == 6);
    const auto nameOf = [&](std::size_t call) {
        return profile.timeline.callNames[profile.timeline.calls[call].name];
    };
    CHECK(nameOf(3).name == "Lazy Function Loading");
    CHECK(nameOf(3).kind == CallKind::Load);
    CHECK(profile.timeline.calls[3].thread == 0);
    CHECK(nameOf(4).name == "profiler: Activity Buffer Request");
    CHECK(nameOf(4).kind == CallKind::Other);
    CHECK(profile.timeline.calls[4].thread == 1);  // that of the call around it
    CHECK(profile.timeline.calls[5].thread == 1);  // as the trace says
    CHECK(profile.processes[0].timeline->loads);
    const auto issue = std::ranges::find(profile.issues, "trace-profiler-overhead", &Issue::code);
    REQUIRE(issue != profile.issues.end());
    CHECK(issue->message.find("3 times, 0.006 ms (Activity Buffer Request, Buffer Flush)") !=
          std::string::npos);
}

TEST_CASE("the rank of a trace, and traces of ranks merged") {
    const auto ofRank = [](int rank) {
        TraceText trace = small();
        trace.member(R"("distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
                     R"(, "world_size": 2}, )");
        // Otherwise it would be the same recording.
        trace.kernel("other", std::to_string(1130 + rank), "1", 9);
        return importedTrace(trace);
    };
    const Profile zero = ofRank(0), one = ofRank(1);
    CHECK(zero.processes[0].rank == 0U);
    CHECK(one.processes[0].worldSize == 2U);
    const auto merged = mergeProfiles({{zero, "0"}, {one, "1"}});
    if (!merged.ok()) FAIL(merged.error().message());
    CHECK(merged->processes.size() == 2);
    CHECK(merged->launches.size() == 6);
}

TEST_CASE("what a trace does not have is unknown") {
    TraceText gpuOnly;
    gpuOnly.kernel("k", "10.5", "5", 1).kernel("k", "20", "5", 2);
    const Profile profile = importedTrace(gpuOnly);
    const TimelineParts parts = *profile.processes[0].timeline;
    CHECK(parts == TimelineParts{});
    CHECK(hasIssue(profile, "trace-without-calls"));

    // Calls that copy, and no copies: these were not recorded.
    TraceText noCopies;
    noCopies.call("cudaMemcpyAsync", "1", "2", 5)
        .call("cudaLaunchKernel", "5", "2", 1)
        .kernel("k", "10.5", "5", 1);
    CHECK_FALSE(importedTrace(noCopies).processes[0].timeline->copies);
    TraceText noneNeeded;
    noneNeeded.call("cudaLaunchKernel", "5", "2", 1).kernel("k", "10.5", "5", 1);
    CHECK(importedTrace(noneNeeded).processes[0].timeline->copies);
}

TEST_CASE("times that cannot be are not used") {
    TraceText trace = small();
    trace.kernel("negative", "1130", "-5", 11)
        .kernel("no number", "NaN", "5", 12)
        .kernel("no duration", "1131", "Infinity", 13)
        .kernel("overflow", "1e300", "5", 14)
        .kernel("in a year", "31536000000000", "5", 15)
        .kernel("long ago", "-31536000000000", "5", 16)
        .kernel("an hour too late", "3600000000", "5", 17)
        .copy("Memcpy HtoD (Pinned -> Device)", "1132", "-1", 8, 18)
        .call("cudaLaunchKernel", "1133", "-1", 19)
        .call("cudaLaunchKernel", "1e18", "1", 20);
    const Profile profile = importedTrace(trace);
    REQUIRE(profile.launches.size() == 9);
    CHECK(std::ranges::count_if(profile.launches,
                                [](const Launch& l) { return l.start.has_value(); }) == 2);
    CHECK(profile.timeline.transfers.size() == 1);
    CHECK(profile.timeline.calls.size() == 4);
    const TimelineParts parts = *profile.processes[0].timeline;
    CHECK_FALSE(parts.copies);
    CHECK_FALSE(parts.launches);
    CHECK_FALSE(parts.waits);
    CHECK(hasIssue(profile, "trace-times-impossible"));
    CHECK(hasIssue(profile, "trace-calls-left-out"));
}

TEST_CASE("a time that no profile may have is not used in a trace either") {
    TraceText trace = small();
    trace.call("cudaLaunchKernel", "8000", "4", 77).kernel("early", "5000", "5", 77);
    const Profile profile = importedTrace(trace);
    CHECK(hasIssue(profile, "times-impossible"));
    CHECK(profile.timeline.untimed.size() == 1);
    CHECK(std::ranges::count_if(profile.launches,
                                [](const Launch& l) { return !l.start.has_value(); }) == 1);
    CHECK(profile.processes[0].timeline->launches);
}

TEST_CASE("a negative duration costs the account no more than another impossible time") {
    TraceText trace = small();
    trace.call("cudaLaunchKernel", "8000", "4", 77)
        .kernel("negative", "8010", "-5", 77)
        .call("cudaLaunchKernel", "8020", "4", 78)
        .kernel("next", "8030", "5", 78);
    const Profile profile = importedTrace(trace);
    CHECK(hasIssue(profile, "trace-times-impossible"));
    // It ran after its call, and before the next work of its stream.
    REQUIRE(profile.timeline.untimed.size() == 1);
    const UntimedWork& untimed = profile.timeline.untimed[0];
    REQUIRE(untimed.launch);
    CHECK(profile.kernels[profile.launches[*untimed.launch].kernel].name == "negative");
    CHECK_FALSE(profile.launches[*untimed.launch].start.has_value());
    CHECK(untimed.time.length() == 30'000);
    CHECK(profile.processes[0].timeline->launches);
    CHECK(profile.processes[0].timeline->copies);
}

TEST_CASE("work whose calls are missing is counted, if it is much") {
    const auto with = [](int kernels) {
        TraceText trace = small();
        for (int i = 0; i < kernels; ++i)
            trace.kernel("lost", std::to_string(2000 + 10 * i), "5", 100 + i);
        return importedTrace(trace);
    };
    CHECK(hasIssue(with(20), "trace-calls-missing"));
    CHECK_FALSE(hasIssue(with(2), "trace-calls-missing"));
}

TEST_CASE("what one bad event of the CPU makes unknown") {
    const auto with = [](const char* category) {
        TraceText trace = small();
        trace.onCpu(category, "bad", "1133", "-1").onCpu(category, "far", "1e18", "1");
        return importedTrace(trace);
    };
    const auto partsOf = [](const Profile& profile) { return *profile.processes[0].timeline; };
    const Profile whole = importedTrace(small());
    for (const char* category : {"cpu_op", "python_function"}) {
        const Profile operators = with(category);
        CHECK(partsOf(operators) == partsOf(whole));
        CHECK(hasIssue(operators, "trace-operators-left-out"));
    }
    const Profile ranges = with("user_annotation");
    CHECK_FALSE(partsOf(ranges).ranges);
    CHECK(partsOf(ranges).launches);
    CHECK(hasIssue(ranges, "trace-ranges-left-out"));
    const Profile calls = with("cuda_runtime");
    CHECK(partsOf(calls).ranges);
    CHECK_FALSE(partsOf(calls).launches);
    CHECK_FALSE(partsOf(calls).allocations);
    CHECK(hasIssue(calls, "trace-calls-left-out"));
}

TEST_CASE("two early kernels of few are no clocks that disagree") {
    const auto early = [](int count) {
        TraceText trace;
        for (int i = 1; i <= 20; ++i)
            trace.call("cudaLaunchKernel", std::to_string(i * 100), "5", i)
                .kernel("k", std::to_string(i * 100 + (i <= count ? -20 : 10)) + ".5", "5", i);
        return importedTrace(trace);
    };
    CHECK_FALSE(hasIssue(early(2), "trace-clocks-differ"));
    CHECK(hasIssue(early(3), "trace-clocks-differ"));
}

TEST_CASE("kernels that begin before their calls") {
    TraceText few, many;
    for (int i = 1; i <= 200; ++i) {
        const int at = i * 100;
        few.call("cudaLaunchKernel", std::to_string(at), "5", i)
            .kernel("k", std::to_string(at + (i == 7 ? -50 : 10)) + ".5", "5", i);
        many.call("cudaLaunchKernel", std::to_string(at), "5", i)
            .kernel("k", std::to_string(at - 20) + ".5", "5", i);
    }
    const Profile one = importedTrace(few);
    CHECK(one.processes[0].timeline->launches);
    CHECK(std::ranges::count_if(one.timeline.calls,
                                [](const Call& c) { return c.work.has_value(); }) == 199);
    CHECK_FALSE(hasIssue(one, "trace-clocks-differ"));

    const Profile all = importedTrace(many);
    CHECK(hasIssue(all, "trace-clocks-differ"));
    CHECK_FALSE(all.processes[0].timeline->launches);
    CHECK(all.processes[0].timeline->copies);
    CHECK(std::ranges::all_of(all.launches, [](const Launch& l) { return l.start.has_value(); }));
}

TEST_CASE("calls that share a number are not taken for the one that launched") {
    TraceText trace;
    trace.call("cudaLaunchKernel", "1", "2", 1)
        .call("cudaLaunchKernel", "11", "2", 1)
        .kernel("k", "20.5", "5", 1)
        .kernel("k", "22", "5", 1);  // overlapping in one stream
    const Profile profile = importedTrace(trace);
    CHECK(hasIssue(profile, "trace-calls-ambiguous"));
    CHECK(std::ranges::none_of(profile.timeline.calls,
                               [](const Call& c) { return c.work.has_value(); }));
}

TEST_CASE("of nested calls that share a number the outer one launched") {
    TraceText trace;
    trace.call("cuLaunchKernel", "2", "1", 1)
        .call("cudaLaunchKernel", "1", "4", 1)
        .call("cudaLaunchKernel", "11", "4", 2)
        .call("cuLaunchKernel", "12", "1", 2)
        .kernel("k", "20.5", "5", 1)
        .kernel("k", "30", "5", 2);
    const Profile nested = importedTrace(trace);
    CHECK_FALSE(hasIssue(nested, "trace-calls-ambiguous"));
    CHECK(nested.timeline.calls[1].work == 0U);
    CHECK(nested.timeline.calls[2].work == 1U);

    trace.call("cuLaunchKernel", "13", "1", 2, 200);  // in another thread
    CHECK(hasIssue(importedTrace(trace), "trace-calls-ambiguous"));
}

TEST_CASE("a call with an unknown name is known by what it issued") {
    TraceText trace;
    trace.call("INVALID", "1", "2", 1)
        .call("INVALID", "5", "2", 2)
        .call("INVALID", "8", "2", 3)
        .kernel("k", "10.5", "5", 1)
        .copy("Memcpy HtoD (Pinned -> Device)", "20", "1", 8, 2);
    const Profile profile = importedTrace(trace);
    const auto kindOf = [&](std::size_t call) {
        return profile.timeline.callNames[profile.timeline.calls[call].name].kind;
    };
    CHECK(kindOf(0) == CallKind::Launch);
    CHECK(kindOf(1) == CallKind::Transfer);
    CHECK(kindOf(2) == CallKind::Other);
    CHECK(profile.timeline.calls[0].work == 0U);
    CHECK(profile.timeline.calls[1].work == 0U);  // of the transfers
    CHECK(profile.processes[0].timeline->launches);
}

TEST_CASE("what the profiler says of itself") {
    TraceText trace = small();
    trace.member(
        R"("INFO": ["INFO: Record counts: Out-of-range = 1, CUPTI stopped early? = 1"], )");
    const Profile profile = importedTrace(trace);
    CHECK(hasIssue(profile, "trace-stopped-early"));
    CHECK_FALSE(profile.processes[0].timeline->launches);

    TraceText whole;
    whole.call("cudaLaunchKernel", "1", "2", 1).kernel("k", "20", "5", 1);
    CHECK(hasIssue(importedTrace(whole), "trace-whole-microseconds"));
    CHECK_FALSE(hasIssue(importedTrace(small()), "trace-whole-microseconds"));
}

TEST_CASE("older and other writers of traces") {
    // Before 2022 categories had other names; keys come in any order; events may stand alone.
    const Profile old = importedTrace(
        R"([{"args": {"correlation": 1, "grid": [1], "device": 0, "stream": 7, "junk": [[{}]]},)"
        R"( "cat": "Kernel", "dur": 5, "name": "k\u00e9\n\ud83d\ude00\"\\", "ph": "X", "ts": 9,},)"
        R"( {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": "2",)"
        R"( "ts": 1, "dur": 2, "args": {"correlation": 1, "x": NaN, "y": -Infinity}}, null, 7,])");
    REQUIRE(old.launches.size() == 1);
    CHECK(old.kernels[0].name == "k\u00e9\n\U0001F600\"\\");
    CHECK(old.launches[0].grid == Dim3{1, 1, 1});
    CHECK(old.timeline.calls[0].work == 0U);
    CHECK(old.timeline.threads[0].id == 2);
    CHECK_FALSE(hasIssue(old, "trace-calls-left-out"));
}

TEST_CASE("members of a wrong type count as missing") {
    const Profile odd = importedTrace(
        R"({"deviceProperties": {"id": 0}, "distributedInfo": [1], "INFO": "x",)"
        R"( "baseTimeNanoseconds": "y", "traceEvents": [{"ph": "X", "cat": "kernel", "name": 5,)"
        R"( "pid": "a", "tid": [], "ts": 1.5, "dur": 2, "args": {"device": -1, "grid": [0, 1],)"
        R"( "block": "z", "registers per thread": 1e99, "shared memory": -5, "stream": {}}}]})");
    REQUIRE(odd.launches.size() == 1);
    CHECK(odd.launches[0].grid == Dim3{1, 1, 1});
    CHECK_FALSE(odd.kernels[0].registersPerThread);
    CHECK_FALSE(odd.processes[0].rank);
}

TEST_CASE("files that are no trace of CUDA say what they are") {
    TraceText cpu;
    cpu.onCpu("cpu_op", "aten::add", "1", "2");
    CHECK(refusedTrace(cpu.text()).what ==
          "is a PyTorch trace without any kernel or copy of a GPU");
    CHECK(refusedTrace(R"({"traceEvents": []})").what.find("Chrome trace") != std::string::npos);
    TraceText hip;
    hip.onCpu("cuda_runtime", "hipLaunchKernel", "1", "2").kernel("k", "3", "4", 1);
    CHECK(refusedTrace(hip.text()).what.find("AMD") != std::string::npos);
}

TEST_CASE("damaged traces end in an error") {
    const std::string whole = small().text();
    for (std::size_t length = 0; length < whole.size(); length += 7)
        CHECK_FALSE(refusedTrace(whole.substr(0, length)).what.empty());
    CHECK(refusedTrace(whole.substr(0, whole.size() - 1)).what.find("cut off") !=
          std::string::npos);
    CHECK(refusedTrace(whole + "x").what.find("not valid JSON") != std::string::npos);
    CHECK(refusedTrace(R"({"a": [1})").what.find("not valid JSON") != std::string::npos);
    CHECK(refusedTrace("7").what.find("not valid JSON") != std::string::npos);
}

TEST_CASE("hostile traces end soon") {
    const std::string nested(1'000'000, '[');
    for (const char* before : {R"({"x": )", R"({"traceEvents": [)", R"({"traceEvents": [{"args": )",
                               R"({"traceEvents": [{"cat": "cpu_op", "args": {"Input Dims": )"})
        CHECK(refusedTrace(before + nested).what.find("nested deeper") != std::string::npos);
    const std::string objects = [] {
        std::string text = R"({"x": )";
        for (int i = 0; i < 100'000; ++i) text += R"({"a":)";
        return text;
    }();
    CHECK(refusedTrace(objects).what.find("nested deeper") != std::string::npos);

    // A name of 100 MB is cut, and a number of a megabyte is refused.
    TraceText name;
    name.kernel(std::string(100'000'000, 'n'), "1", "2", 1);
    const Profile cut = importedTrace(name);
    CHECK(cut.kernels[0].name.size() == 65536);
    CHECK(refusedTrace(R"({"x": )" + std::string(1'000'000, '1')).what.find("400 digits") !=
          std::string::npos);

    traces::TraceLimits limits;
    limits.maxRows = 5;
    CHECK(refusedTrace(small().text(), limits).what == "more than 5 events");
}

TEST_CASE("deeply nested operators take no quadratic time") {
    TraceText trace;
    constexpr int kDepth = 20'000;
    for (int i = 0; i < kDepth; ++i)
        trace.onCpu(i % 2 == 0 ? "cpu_op" : "user_annotation", "f" + std::to_string(i % 100),
                    std::to_string(i), std::to_string(100'000 - 2 * i));
    for (int i = 0; i < kDepth; ++i)
        trace.call("cudaLaunchKernel", "30000", "1", i + 1).kernel("k", "31000.5", "1", i + 1);
    const auto from = std::chrono::steady_clock::now();
    const Profile profile = importedTrace(trace);
    CHECK(std::chrono::steady_clock::now() - from < std::chrono::seconds(20));
    CHECK(profile.launches.size() == kDepth);
}
