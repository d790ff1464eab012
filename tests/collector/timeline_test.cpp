// SPDX-License-Identifier: Apache-2.0
// What a timing run sees besides kernels, from a program's calls (with a fake driver and CUPTI) to
// the profile. What the GPU does is tested on a GPU (tests/gpu).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using test::FakeProgram;
using test::kernelRan;

namespace {

Profile recorded(TimelineDetail detail, const std::function<void(FakeProgram&)>& program) {
    const test::TemporaryFolder folder;
    const RunConfiguration configuration{.mode = TimingMode{.timeline = detail}};
    REQUIRE(test::runFakeProgram(configuration, folder.path(), program));
    auto profile = readSpools(folder.path());
    REQUIRE(profile);
    return *profile;
}

CUpti_ActivityMemcpy6 copyRecord(std::uint32_t correlation, std::uint64_t start,
                                 std::uint64_t end) {
    CUpti_ActivityMemcpy6 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.bytes = 64 << 20;
    copy.correlationId = correlation;
    copy.start = start;
    copy.end = end;
    copy.contextId = 1;
    copy.streamId = 7;
    return copy;
}

/// "cuMemAlloc 5..9" per call, in order of start.
std::vector<std::string> calls(const Profile& p) {
    auto list = p.timeline.calls;
    std::ranges::sort(list, {}, [](const Call& c) { return c.time.start; });
    std::vector<std::string> words;
    for (const Call& c : list)
        words.push_back(p.timeline.callNames.at(c.name).name + " " + std::to_string(c.time.start) +
                        ".." + std::to_string(c.time.end));
    return words;
}

/// A kernel launched at 1000 to 1010 that runs from 1100 to 1400.
void launchOne(FakeProgram& program) {
    program.at(1000);
    program.launch({.kernel = "k", .meanwhile = [&] { program.at(1010); }});
    kernelRan(program, 1100, 1400);
}

}  // namespace

TEST_CASE("a timed process says when it ran, on the clock of its launches") {
    constexpr std::uint64_t kNow = 1'800'000'000'000'000'000;
    const test::TemporaryFolder folder;
    const RunConfiguration configuration{.mode = TimingMode{.timeline = TimelineDetail::Full}};
    REQUIRE(test::runFakeProgram(
        configuration, folder.path(),
        [](FakeProgram& program) {
            program.at(kNow + 1000);
            program.launch({.kernel = "k", .meanwhile = [&] { program.at(kNow + 1010); }});
            kernelRan(program, kNow + 1100, kNow + 1400);
            program.at(kNow + 5000);
        },
        {}, kNow));
    const auto profile = readSpools(folder.path());
    REQUIRE(profile);
    const std::optional<ProcessRun>& run = profile->processes.at(0).run;
    REQUIRE(run);
    CHECK(run->time.end == 5000 - 1100);
    CHECK(run->setup.end == -1100);
    CHECK(run->setup.start <= run->setup.end);
    CHECK(run->firstLaunch == 1000 - 1100);
    CHECK_FALSE(run->countedUntil);
    // The child was forked a moment ago, and /proc counts in steps of 10 ms.
    CHECK(run->time.start <= run->setup.start);
    CHECK(run->time.start > -60'000'000'000);
    // Unless it is timed, its time is not that of the program.
    const test::TemporaryFolder counted;
    REQUIRE(test::runFakeProgram(
        {}, counted.path(), [](FakeProgram& program) { program.launch({.kernel = "k"}); },
        {.readable = true}, kNow));
    CHECK_FALSE(readSpools(counted.path())->processes.at(0).run);
}

TEST_CASE("calls, copies and kernels are on one clock, which begins at the first kernel") {
    const Profile p = recorded(TimelineDetail::Full, [](FakeProgram& program) {
        program.at(500);
        program.call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, [&] { program.at(700); });
        const auto copy =
            program.call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, [&] { program.at(900); });
        program.did(copyRecord(copy, 720, 890));
        launchOne(program);
        program.at(1020);
        program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, [&] { program.at(1410); });
    });
    REQUIRE(p.launches.size() == 1);
    CHECK(p.launches[0].start == Seconds{0});
    CHECK(calls(p) ==
          std::vector<std::string>{"cuMemAlloc -600..-400", "cuMemcpyHtoDAsync -400..-200",
                                   "cuLaunchKernel -100..-90", "cuStreamSynchronize -80..310"});
    REQUIRE(p.timeline.transfers.size() == 1);
    const Transfer& copy = p.timeline.transfers[0];
    CHECK(copy.time == TimeSpan{-380, -210});
    CHECK(copy.kind == TransferKind::HostToDevice);
    CHECK(copy.source == MemoryKind::Pageable);
    CHECK(copy.target == MemoryKind::Device);
    CHECK(copy.bytes == 64 << 20);
    CHECK(copy.stream == p.launches[0].stream);
    for (const Call& c : p.timeline.calls) {
        const CallKind kind = p.timeline.callNames[c.name].kind;
        CHECK(c.work.has_value() == (kind == CallKind::Launch || kind == CallKind::Transfer));
    }
    CHECK(p.timeline.threads.size() == 1);
    CHECK(p.timeline.threads[0].id > 0);
    REQUIRE(p.processes[0].timeline);
    CHECK(p.processes[0].timeline->launches);
    CHECK(p.processes[0].clockZero == 1100U);
    CHECK(p.issues.empty());
}

TEST_CASE("a copy on a stream of its own, between GPUs, and a memset") {
    const Profile p = recorded(TimelineDetail::Full, [](FakeProgram& program) {
        launchOne(program);
        program.launch({.kernel = "other", .context = test::kOtherContext});
        CUpti_ActivityMemcpyPtoP4 peer{};
        peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
        peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
        peer.bytes = 5;
        peer.start = 1500;
        peer.end = 1600;
        peer.deviceId = peer.dstDeviceId = 0;
        peer.srcDeviceId = 1;
        peer.contextId = 1;
        peer.streamId = 9;
        program.did(peer);
        CUpti_ActivityMemset4 memset{};
        memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
        memset.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
        memset.bytes = 6;
        memset.start = 1700;
        memset.end = 1701;
        memset.contextId = 1;
        memset.streamId = 7;
        program.did(memset);
        auto untimed = copyRecord(1, 0, 0);
        program.did(untimed);
    });
    REQUIRE(p.timeline.transfers.size() == 2);
    CHECK(p.timeline.transfers[0].kind == TransferKind::BetweenDevices);
    CHECK(p.timeline.transfers[0].peer == 1U);
    CHECK(p.timeline.transfers[0].stream != p.launches[0].stream);
    CHECK(p.timeline.transfers[1].kind == TransferKind::Memset);
    CHECK(p.timeline.transfers[1].target == MemoryKind::Device);
    CHECK(p.timeline.transfers[1].stream == p.launches[0].stream);
}

TEST_CASE("a launch that loads code counts as loading; nested calls are part of the outer call") {
    const Profile p = recorded(TimelineDetail::Full, [](FakeProgram& program) {
        launchOne(program);
        program.at(2000);
        program.launch({.kernel = "lazy", .meanwhile = [&] {
                            program.at(2500);
                            program.loadCode();
                            program.call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
                            program.at(3000);
                        }});
    });
    REQUIRE(calls(p) ==
            std::vector<std::string>{"cuLaunchKernel -100..-90", "cuLaunchKernel 900..1900"});
    std::vector<CallKind> kinds;
    for (const Call& c : p.timeline.calls) kinds.push_back(p.timeline.callNames[c.name].kind);
    CHECK(kinds == std::vector<CallKind>{CallKind::Launch, CallKind::Load});
}

TEST_CASE("NVTX ranges have both ends, and the GPU work that was issued in between") {
    const Profile p = recorded(TimelineDetail::Full, [](FakeProgram& program) {
        program.at(900);
        program.pushRange("step");
        launchOne(program);
        program.at(1050);
        program.pushRange("inner");
        program.at(1060);
        program.popRange();
        // Autograd's thread, without ranges of its own.
        std::thread([&] {
            program.at(1070);
            program.launch({.kernel = "backward"});
            kernelRan(program, 1400, 1900);
        }).join();
        // A thread with its own range.
        std::thread([&] {
            program.at(1075);
            program.pushRange("other");
            program.at(1080);
            program.launch({.kernel = "another's"});
            kernelRan(program, 2000, 3000);
            program.at(1090);
            program.popRange();
        }).join();
        program.at(1200);
        program.popRange();
        program.pushRange("open");
        program.at(1300);
        program.call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, [&] { program.at(3100); });
    });
    REQUIRE(p.timeline.ranges.size() == 4);
    const auto span = [&](const std::string& path) {
        for (const RangeSpan& r : p.timeline.ranges)
            if (p.ranges.at(r.range) == path) return r;
        FAIL("no range " + path);
        return RangeSpan{};
    };
    CHECK(span("step").time == TimeSpan{-200, 100});
    CHECK(span("step").gpu == TimeSpan{0, 800});
    CHECK(span("step > inner").time == TimeSpan{-50, -40});
    CHECK_FALSE(span("step > inner").gpu);
    CHECK(span("other").gpu == TimeSpan{900, 1900});
    CHECK(span("open").time == TimeSpan{100, 2000});  // never popped: lasts to the last event seen
}

TEST_CASE(
    "a program that just ends keeps what it waited for, and what another thread wrote since") {
    const test::TemporaryFolder folder;
    const auto kept = [&] {
        const auto profile = readSpools(folder.path());
        return profile ? profile->launches.size() : 0;
    };
    // The program ends early with _exit(): its exit code says whether the test holds.
    REQUIRE(test::runFakeProgram({.mode = TimingMode{}}, folder.path(), [&](FakeProgram& program) {
        launchOne(program);
        program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
        if (kept() != 1) _exit(1);
        program.launch({.kernel = "k"});
        for (int i = 0; i < 1000 && kept() != 2; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        _exit(kept() == 2 ? 0 : 2);
    }));
    CHECK(kept() == 2);
}

TEST_CASE("what is not asked for is not followed, and the profile says so") {
    const auto program = [](FakeProgram& p) {
        p.at(900);
        p.pushRange("step");
        launchOne(p);
        p.at(1020);
        p.call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, [&] { p.at(1030); });
        p.call(CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, [&] { p.at(1410); });
        p.popRange();
    };
    const Profile off = recorded(TimelineDetail::Off, program);
    CHECK(off.timeline.empty());
    CHECK_FALSE(off.processes[0].timeline);
    CHECK(off.launches[0].duration == Seconds{300e-9});
    const Profile gpu = recorded(TimelineDetail::Gpu, program);
    CHECK(calls(gpu) == std::vector<std::string>{"cuEventSynchronize -70..310"});
    CHECK(gpu.timeline.ranges.empty());
    CHECK(gpu.processes[0].timeline == TimelineParts{.copies = true, .waits = true});
}

TEST_CASE("cudaProfilerStart and cudaProfilerStop are on the timeline") {
    const Profile p = recorded(TimelineDetail::Full, [](FakeProgram& program) {
        launchOne(program);
        program.at(2100);
        program.profilerStart();
        program.at(2200);
        program.profilerStop();
        program.profilerStop();
        program.at(2300);
        program.profilerStart();
        program.at(2400);
        program.profilerStart();
        program.call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, [&] { program.at(2500); });
    });
    REQUIRE(p.timeline.profiler.size() == 2);
    CHECK(p.timeline.profiler[0].time == TimeSpan{1000, 1100});
    CHECK(p.timeline.profiler[1].time == TimeSpan{1200, 1400});
}
