// SPDX-License-Identifier: Apache-2.0
// Programs whose time is known to the nanosecond: each class of the account holds its own.
#include "analyzer/program/account/account.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "analyzer/program/program.h"
#include "profile/times/impossible_times.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

Program judgedAccount(const Profile& profile) {
    return analyzeProgram(analyze(std::make_shared<const Profile>(profile)), {}, Stretches::Kept);
}

double us(const Program& program, TimeClass cls) { return program.account.time[cls].value * 1e6; }

/// Checks that the stretches of each class cover the window once, and have the account's time.
void checkStretches(const Lane& lane) {
    PerTimeClass<Nanoseconds> time{};
    Nanoseconds all = 0, covered = 0;
    auto occurrence = lane.occurrences.begin();
    std::optional<TimeSpan> before;
    for (const ClassStretch& stretch : lane.stretches) {
        if (before) CHECK(stretch.time.start >= before->end);
        before = stretch.time;
        while (occurrence != lane.occurrences.end() && occurrence->end <= stretch.time.start)
            ++occurrence;
        REQUIRE(occurrence != lane.occurrences.end());
        CHECK((occurrence->start <= stretch.time.start && stretch.time.end <= occurrence->end));
        CHECK(stretch.time.length() > 0);
        time[stretch.cls] += stretch.time.length();
        covered += stretch.time.length();
    }
    for (const TimeSpan& span : lane.occurrences) all += span.length();
    CHECK(covered == all);
    const auto count = static_cast<double>(lane.occurrences.size());
    double tracing = 0;
    for (const TimeClass cls : kTimeClasses) {
        const double more =
            static_cast<double>(time[cls]) / count / 1e9 - lane.account.time[cls].value;
        CHECK(more >= -1e-12);
        tracing += more;
    }
    CHECK(tracing == Approx(lane.window.traced.value).margin(1e-12));
}

/// Checks that the spans of the window, and all classes in it, add up.
void checkSums(const Program& program) {
    for (const Lane& lane : program.lanes) checkStretches(lane);
    double sum = 0;
    for (const TimeClass cls : kTimeClasses) {
        CHECK(program.account.time[cls].value >= 0);
        sum += program.account.share(cls).value;
    }
    CHECK(sum == Approx(1).epsilon(1e-12));
    CHECK(program.window.seconds.value == Approx(program.account.total().value).epsilon(1e-12));
}

/// Several steps; each begins when the GPU is idle.
template <class AccountStep>
Program steps(AccountStep step, std::size_t count = 6) {
    SyntheticProgram p;
    p.launch("init", 1).sync();
    for (std::size_t i = 0; i < count; ++i) {
        p.push("step");
        step(p);
        p.pop();
    }
    const Program program = judgedAccount(p.build());
    REQUIRE(program.lanes.size() == 1);
    CHECK(program.window.kind == WindowKind::Range);
    checkSums(program);
    return program;
}

constexpr double kTolerance = 1e-6;  // µs; exact except for the conversion to seconds

}  // namespace

TEST_CASE("kernel time is in the class of kernels") {
    const Program program =
        steps([](SyntheticProgram& p) { p.launch("spin", 1000).launch("spin", 500).sync(); });
    CHECK(us(program, TimeClass::Kernels) == Approx(1500).margin(kTolerance));
    // The launch causes its call and the latency until the GPU begins; the wait causes its return.
    CHECK(us(program, TimeClass::IdleSync) == Approx(4 + 2 + 3).margin(kTolerance));
    CHECK(program.busy.value == Approx(1500.0 / 1509).epsilon(1e-9));
}

TEST_CASE("copies are copies by kind, and those beside kernels are stated beside") {
    const Program program = steps([](SyntheticProgram& p) {
        p.copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 4000, 300);
        p.launch("gemm", 500);
        p.copyBeside(TransferKind::DeviceToHost, 8e6, 200);
        p.memset(1e6, 50);
        p.sync();
    });
    // The 300 us of CPU staging, the call and the latency also belong to the copy.
    CHECK(us(program, TimeClass::Copies) == Approx(4000 + 300 + 4 + 2 + 50).margin(kTolerance));
    CHECK(us(program, TimeClass::Kernels) == Approx(500).margin(kTolerance));
    CHECK(program.account.hiddenCopies.value * 1e6 == Approx(200).margin(kTolerance));
    REQUIRE(program.account.copies.size() == 3);
    const CopyTime& first = program.account.copies[0];
    CHECK(first.kind == TransferKind::HostToDevice);
    CHECK(first.pageable);
    CHECK(first.bytes.value == 64e6);
    CHECK(first.count == 6);
    CHECK(first.time.value * 1e6 == Approx(4000).margin(kTolerance));
    CHECK(first.exposed.value * 1e6 == Approx(4306).margin(kTolerance));
    CHECK(program.account.copies[2].exposed.value == 0);  // the copy next to the kernel
}

TEST_CASE("what the CPU takes out of the driver's buffer after a copy belongs to the copy") {
    // The call of each copy back lasts 500 us longer than the copy.
    const auto copiesBack = [](MemoryKind host, double bytes) {
        SyntheticProgram p;
        for (int i = 0; i < 6; ++i) {
            p.launch("k", 100).sync();
            p.copy(TransferKind::DeviceToHost, host, bytes, 400).sync().work(500);
        }
        Profile profile = p.build();
        for (Call& call : profile.timeline.calls)
            if (profile.timeline.callNames[call.name].kind == CallKind::Transfer)
                call.time.end = profile.timeline.transfers[*call.work].time.end + 500'000;
        // The wait that follows comes later.
        for (Call& call : profile.timeline.calls)
            if (profile.timeline.callNames[call.name].kind == CallKind::Wait &&
                call.time.length() < 50'000)
                call.time = {call.time.end + 495'000, call.time.end + 496'000};
        std::ranges::sort(profile.timeline.calls, {},
                          [](const Call& call) { return call.time.start; });
        return judgedAccount(profile);
    };
    const Program pageable = copiesBack(MemoryKind::Pageable, 8e6);
    CHECK(us(pageable, TimeClass::Copies) > 890);
    CHECK(us(pageable, TimeClass::IdleSync) < 30);
    const CopyTime& copy = pageable.account.copies.front();
    CHECK(copy.time.value * 1e6 == Approx(400).margin(kTolerance));
    CHECK(copy.exposed.value * 1e6 > 890);
    // Page-locked memory has no such buffer, and a few bytes need no time.
    CHECK(us(copiesBack(MemoryKind::Pinned, 8e6), TimeClass::Copies) < 410);
    CHECK(us(copiesBack(MemoryKind::Pageable, 4), TimeClass::Copies) < 410);
    // 0.1 MB take 0.1 ms at the slowest.
    CHECK(us(copiesBack(MemoryKind::Pageable, 1e5), TimeClass::Copies) < 510);
}

TEST_CASE("a launch that waits until other threads have allocated is no launch-bound program") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.launch("k", 100).work(500);
    Profile profile = p.build();
    Timeline& timeline = profile.timeline;
    std::vector<TimeSpan> waits;
    for (Call& call : timeline.calls)
        if (timeline.callNames[call.name].kind == CallKind::Launch && call.time.start > 300'000) {
            call.time.start -= 390'000;  // the call took nearly all of the work's time
            waits.push_back(call.time);
        }
    CHECK(us(judgedAccount(profile), TimeClass::IdleLaunch) > 300);
    timeline.threads.push_back(timeline.threads.front());
    timeline.callNames.push_back({.name = "cuMemHostAlloc", .kind = CallKind::Allocate});
    for (const TimeSpan& wait : waits)
        timeline.calls.push_back({.name = static_cast<std::uint32_t>(timeline.callNames.size() - 1),
                                  .thread = 1,
                                  .time = {wait.start - 10'000, wait.end - 100'000}});
    std::ranges::stable_sort(timeline.calls, {}, [](const Call& call) { return call.time.start; });
    const Program program = judgedAccount(profile);
    CHECK(us(program, TimeClass::IdleAlloc) == Approx(300).margin(15));
    CHECK(us(program, TimeClass::IdleLaunch) < 130);
    REQUIRE_FALSE(program.account.calls.empty());
    CHECK(program.account.calls.front().name == "cuMemHostAlloc");
}

TEST_CASE("a GPU that waits for launches is launch-bound") {
    // Launch calls take 4 us with 6 us between them; kernels take 1 us.
    const Program program = steps([](SyntheticProgram& p) {
        for (int i = 0; i < 100; ++i) p.launch("tiny", 1).work(6);
        p.sync();
    });
    CHECK(us(program, TimeClass::Kernels) == Approx(100).margin(kTolerance));
    // 10 us from one kernel's start to the next; after the last kernel 3 us of the break are idle.
    CHECK(us(program, TimeClass::IdleLaunch) == Approx(99 * 9 + 3).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleHost) == 0);
}

TEST_CASE("time after a synchronisation is named after the call") {
    const Program program = steps([](SyntheticProgram& p) {
        for (int i = 0; i < 10; ++i) p.launch("k", 100).sync("cudaEventSynchronize").work(50);
    });
    CHECK(us(program, TimeClass::Kernels) == Approx(1000).margin(kTolerance));
    // Return 3, work 50, call 4, latency 2; a step's first gap includes work of the step before.
    CHECK(us(program, TimeClass::IdleSync) == Approx(10 * 59).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleLaunch) == 0);
    REQUIRE_FALSE(program.account.calls.empty());
    CHECK(program.account.calls[0].name == "cudaEventSynchronize");
}

TEST_CASE("a sleep is host work, whatever was before it") {
    const Program program = steps([](SyntheticProgram& p) {
        p.launch("k", 1000).sync().work(5000).launch("k", 1000).work(3000);
    });
    CHECK(us(program, TimeClass::Kernels) == Approx(2000).margin(kTolerance));
    // The second kernel and its latency hide 1002 of the 3000 us.
    CHECK(us(program, TimeClass::IdleHost) == Approx(5000 + 3000 - 1002).margin(kTolerance));
    CHECK(program.account.hostAfterSync.value * 1e6 == Approx(5000).margin(kTolerance));
}

TEST_CASE("issued work that does not begin is idle time of unknown cause") {
    SyntheticProgram p;
    p.launch("k", 1000).launch("k", 1000);
    // As if another process had the GPU before the second kernel, issued long ago.
    for (const double late : {20.0, 5000.0}) {
        Profile profile = p.build();
        profile.launches[1].start = *profile.launches[1].start + Seconds{late * 1e-6};
        const Program program = judgedAccount(profile);
        checkSums(program);
        CHECK(us(program, TimeClass::Kernels) == Approx(2000).margin(kTolerance));
        const double known = std::min(late, 50.0);
        CHECK(us(program, TimeClass::IdleLaunch) == Approx(known).margin(kTolerance));
        CHECK(us(program, TimeClass::IdleUnknown) == Approx(late - known).margin(kTolerance));
    }
}

TEST_CASE("a class that was not recorded has no time, whatever calls a file has") {
    SyntheticProgram p;
    p.launch("k", 100).sync().call("cudaMalloc", CallKind::Allocate, 700).launch("k", 100);
    p.recorded().allocations = false;
    const Program program = judgedAccount(p.build());
    checkSums(program);
    CHECK_FALSE(program.account.knows(TimeClass::IdleAlloc));
    CHECK(us(program, TimeClass::IdleAlloc) == 0);
    CHECK(us(program, TimeClass::IdleUnknown) >= 700);
}

TEST_CASE("allocations and loaded code have their own classes") {
    const Program program = steps([](SyntheticProgram& p) {
        p.call("cudaMalloc", CallKind::Allocate, 700).launch("k", 1000).sync();
        p.call("cudaFree", CallKind::Free, 400);
        p.call("cuModuleLoadData", CallKind::Load, 900).launch("k", 10).sync();
    });
    CHECK(us(program, TimeClass::IdleAlloc) == Approx(1100).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleLoad) == Approx(900).margin(kTolerance));
    CHECK(us(program, TimeClass::Kernels) == Approx(1010).margin(kTolerance));
}

TEST_CASE("a long call may have loaded code, where loading was not recorded") {
    SyntheticProgram p;
    p.launch("k", 100).sync().call("cudaMalloc", CallKind::Allocate, 5000).launch("k", 100);
    Profile profile = p.build();
    CHECK(us(judgedAccount(profile), TimeClass::IdleAlloc) == Approx(5000).margin(kTolerance));
    profile.processes[0].timeline->loads = false;
    const Program program = judgedAccount(profile);
    checkSums(program);
    CHECK(us(program, TimeClass::IdleAlloc) == Approx(1000).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleUnknown) == Approx(4000).margin(kTolerance));

    // The same in a launch: its call ends where the kernel begins.
    profile.timeline.callNames.push_back({"cudaLaunchKernel", CallKind::Launch});
    profile.timeline.calls[3].time.start = profile.timeline.calls[2].time.start;
    profile.timeline.calls.erase(profile.timeline.calls.begin() + 2);
    const Program launch = judgedAccount(profile);
    checkSums(launch);
    CHECK(us(launch, TimeClass::IdleUnknown) == Approx(4004).margin(kTolerance));
    CHECK(us(launch, TimeClass::IdleLaunch) + us(launch, TimeClass::IdleSync) < 1010);
}

TEST_CASE("time in which another profiler holds the program up is of unknown cause") {
    SyntheticProgram p;
    p.launch("k", 10).sync().work(100).call("profiler: Buffer Flush", CallKind::Other, 700);
    p.call("cudaOther", CallKind::Other, 30).launch("k", 10).sync();
    const Program program = judgedAccount(p.build());
    checkSums(program);
    CHECK(us(program, TimeClass::IdleUnknown) == Approx(700).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleHost) == Approx(130).margin(kTolerance));
}

TEST_CASE("host work ends with a launch of which only the loading was noted") {
    SyntheticProgram p;
    p.launch("k", 1000).sync().work(5000).launch("new", 1000).sync();
    Profile profile = p.build();
    Timeline& t = profile.timeline;
    t.callNames.push_back({"cuLaunchKernelEx", CallKind::Load});
    t.calls[2].name = static_cast<std::uint32_t>(t.callNames.size() - 1);
    t.calls[2].work.reset();
    const Program program = judgedAccount(profile);
    checkSums(program);
    CHECK(us(program, TimeClass::IdleHost) == Approx(5000).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleUnknown) == 0);
    CHECK(us(program, TimeClass::IdleLoad) > 0);
}

TEST_CASE("loading code inside of a launch is loading") {
    SyntheticProgram p;
    p.launch("k", 100).launch("k", 100).sync();
    Profile profile = p.build();
    // The second launch call takes 500 us longer, 480 of which load code.
    Timeline& t = profile.timeline;
    const Nanoseconds later = 500'000;
    t.callNames.push_back({"cuLibraryLoadData", CallKind::Load});
    const Nanoseconds began = t.calls[1].time.start;
    t.calls[1].time.end += later;
    t.calls.push_back({.name = static_cast<std::uint32_t>(t.callNames.size() - 1),
                       .thread = 0,
                       .time = {began + 10'000, began + 490'000},
                       .work = {}});
    t.calls[2].time = {t.calls[2].time.start + later, t.calls[2].time.end + later};
    profile.launches[1].start = Seconds{profile.launches[1].start->value + 400e-6};
    const Program program = judgedAccount(profile);
    checkSums(program);
    // From the first kernel's end, 102 us after the call began, until the load ends at 490 us.
    CHECK(us(program, TimeClass::IdleLoad) == Approx(490 - 102).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleLaunch) == Approx(400 - 388).margin(kTolerance));
}

TEST_CASE("communication counts where no other kernel runs") {
    SyntheticProgram p;
    p.launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000).sync();
    p.launch("gemm", 1000).sync();
    Profile profile = p.build();
    profile.launches[1].start = Seconds{600e-6};  // 400 us overlap with the first
    const Program program = judgedAccount(profile);
    checkSums(program);
    CHECK(us(program, TimeClass::Kernels) == Approx(1000).margin(kTolerance));
    CHECK(us(program, TimeClass::Communication) == Approx(600).margin(kTolerance));
    CHECK(program.account.hiddenCommunication.value * 1e6 == Approx(400).margin(kTolerance));
}

TEST_CASE("what tracing adds to launch calls is taken off, where it is known") {
    SyntheticProgram p;
    for (int i = 0; i < 100; ++i) p.launch("tiny", 1);
    Profile profile = p.build();
    const double with = judgedAccount(profile).window.seconds.value;
    profile.capture.origin = "recorded";
    profile.processes[0].tracedLaunch = Seconds{20e-6};
    const Program program = judgedAccount(profile);
    checkSums(program);
    CHECK(program.window.traced.value > 0);
    CHECK(program.window.seconds.value == Approx(with - program.window.traced.value));
    // Three quarters of each launch call that the GPU waited for.
    CHECK(program.window.traced.value <= 100 * 4e-6 * 0.75 + 1e-12);
}

TEST_CASE("what was not recorded is unknown and not idle for a reason") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step").copy(TransferKind::HostToDevice, MemoryKind::Pageable, 64e6, 4000);
        p.launch("k", 500).sync().pop();
    }
    Profile profile = p.build();
    SECTION("an older profile") {
        profile.timeline = {};
        profile.processes[0].timeline.reset();
        const Program program = judgedAccount(profile);
        checkSums(program);
        CHECK_FALSE(program.account.copiesKnown);
        CHECK(us(program, TimeClass::Copies) == 0);
        CHECK(us(program, TimeClass::IdleSync) == 0);
        CHECK(us(program, TimeClass::IdleUnknown) > 4000);
        REQUIRE_FALSE(program.unknown.empty());
        CHECK(program.actions.empty());
    }
    SECTION("without calls of the CPU") {
        profile.processes[0].timeline->waits = false;
        const Program program = judgedAccount(profile);
        checkSums(program);
        CHECK(program.account.copiesKnown);
        CHECK_FALSE(program.account.causesKnown);
        CHECK(us(program, TimeClass::Copies) >= 4000);
        CHECK(us(program, TimeClass::IdleUnknown) > 0);
    }
    SECTION("launches were left out") {
        profile.capture.filters = {"--kernel gemm"};
        const Program program = judgedAccount(profile);
        checkSums(program);
        CHECK(us(program, TimeClass::IdleUnknown) > 4000);
        REQUIRE_FALSE(program.unknown.empty());
    }
}

TEST_CASE("in any timeline each nanosecond is in exactly one class") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        const auto upTo = [&](unsigned most) {
            return std::uniform_int_distribution<unsigned>(0, most)(random);
        };
        SyntheticProgram p;
        for (unsigned n = 1 + upTo(60); n > 0; --n) {
            switch (upTo(9)) {
                case 0:
                    p.copy(upTo(1) ? TransferKind::HostToDevice : TransferKind::DeviceToHost,
                           upTo(1) ? MemoryKind::Pageable : MemoryKind::Pinned, 1e5, upTo(300),
                           upTo(50));
                    break;
                case 1:
                    p.sync();
                    break;
                case 2:
                    p.work(upTo(1000));
                    break;
                case 3:
                    p.call("cudaMalloc", CallKind::Allocate, upTo(200));
                    break;
                case 4:
                    p.copyBeside(TransferKind::HostToDevice, 1e6, upTo(100));
                    break;
                case 5:
                    p.call("cuModuleLoad", CallKind::Load, upTo(200));
                    break;
                default:
                    p.launch(upTo(1) ? "a" : "ncclDevKernel_AllReduce", upTo(100));
            }
        }
        p.launch("last", 1);
        Profile profile = p.build();
        // Disorder: overlapping kernels, overlapping calls on a thread, empty events.
        for (Launch& launch : profile.launches)
            if (upTo(3) == 0) launch.start = Seconds{double(upTo(2000)) * 1e-6};
        for (Call& call : profile.timeline.calls)
            if (upTo(5) == 0) call.time.end += upTo(500'000);
        const Program program = judgedAccount(profile);
        checkSums(program);
        Nanoseconds first = std::numeric_limits<Nanoseconds>::max(), last = 0;
        for (const Launch& launch : profile.launches) {
            const auto span = *program::spanOf(launch);
            first = std::min(first, span.start);
            last = std::max(last, span.end);
        }
        for (const Transfer& t : profile.timeline.transfers) {
            first = std::min(first, t.time.start);
            last = std::max(last, t.time.end);
        }
        if (program.window.kind == WindowKind::Whole)
            CHECK(program.window.seconds.value == Approx(double(last - first) / 1e9));
    }
}

TEST_CASE("in an imported trace, work without a call was issued before it") {
    // Two launches whose calls are missing in the trace, with a wait of another thread between
    // them.
    SyntheticProgram p;
    p.launch("a", 10).sync().work(500).launch("b", 10).sync();
    Profile profile = p.build();
    const auto idle = [&](TimeClass cls) { return us(judgedAccount(profile), cls); };
    CHECK(idle(TimeClass::IdleUnknown) == Approx(0).margin(kTolerance));
    CHECK(idle(TimeClass::IdleHost) > 490);

    profile.capture.origin = "imported";
    CHECK(idle(TimeClass::IdleHost) > 490);  // the call of "b" is there
    for (Call& call : profile.timeline.calls) call.work.reset();
    const double unknown = idle(TimeClass::IdleUnknown);
    CHECK(unknown > 500);
    CHECK(idle(TimeClass::IdleHost) == 0);
    checkSums(judgedAccount(profile));
    // A recording has all calls, so there the latest call is taken.
    profile.capture.origin = "recorded";
    CHECK(idle(TimeClass::IdleHost) > 490);

    // A node of a graph begins after the launch of a graph, which had returned long before.
    profile.capture.origin = "imported";
    profile.launches[1].fromGraph = true;
    CHECK(idle(TimeClass::IdleUnknown) == Approx(unknown).margin(kTolerance));
    profile.timeline.callNames[profile.timeline.calls[0].name].kind = CallKind::GraphLaunch;
    std::erase_if(profile.timeline.calls,
                  [](const Call& call) { return call.time.start > 100'000; });
    CHECK(idle(TimeClass::IdleLaunch) == Approx(50).margin(kTolerance));
}

TEST_CASE("where kernels launch kernels, the GPU is idle only once the CPU has waited for it") {
    SyntheticProgram waits, goesOn;
    waits.launch("parent", 100).sync().work(5000).launch("parent", 100).sync().work(700);
    goesOn.launch("parent", 100).work(5000).launch("parent", 100).sync().work(700);
    Profile waited = waits.build(), unwaited = goesOn.build();
    CHECK(us(judgedAccount(unwaited), TimeClass::IdleHost) > 4800);
    for (Profile* profile : {&waited, &unwaited})
        profile->issues.push_back({.source = "inject", .code = "kernels-launch-kernels"});

    const Program known = judgedAccount(waited), program = judgedAccount(unwaited);
    checkSums(known);
    checkSums(program);
    CHECK(us(known, TimeClass::IdleHost) > 4900);
    CHECK(us(known, TimeClass::IdleUnknown) < 100);
    CHECK(us(program, TimeClass::Kernels) == Approx(200).margin(kTolerance));
    CHECK(us(program, TimeClass::IdleHost) == 0);
    CHECK(us(program, TimeClass::IdleUnknown) > 4800);
    REQUIRE(program.unknown.size() == 1);
    CHECK(program.unknown[0].in(Language::En).find("launch kernels themselves") !=
          std::string::npos);

    // With two streams, waiting for one says nothing about the other.
    waited.launches[1].stream = 1;
    CHECK(us(judgedAccount(waited), TimeClass::IdleHost) == 0);
}

TEST_CASE("the first node of a graph may begin before its launch returns") {
    SyntheticProgram p;
    p.launch("a", 10).sync().work(500).launch("b", 100).sync();
    Profile profile = p.build();
    profile.capture.origin = "imported";
    // The launch of the graph takes 50 us, and its first node begins 6 us after the call does.
    Timeline& t = profile.timeline;
    t.callNames.push_back({"cudaGraphLaunch", CallKind::GraphLaunch});
    t.calls[2].name = static_cast<std::uint32_t>(t.callNames.size() - 1);
    t.calls[2].time.end = t.calls[2].time.start + 50'000;
    profile.launches[1].fromGraph = true;
    const Program known = judgedAccount(profile);
    CHECK(us(known, TimeClass::IdleHost) > 490);
    t.calls[2].work.reset();  // as if the call named another node
    const Program other = judgedAccount(profile);
    checkSums(other);
    for (const TimeClass cls : kTimeClasses)
        CHECK(us(other, cls) == Approx(us(known, cls)).margin(kTolerance));
}

TEST_CASE("what the CPU does after the last work of a run could not run beside any") {
    SyntheticProgram p;
    p.launch("k", 1000).sync().work(5000).launch("k", 1000).sync().work(3000);
    Profile profile = p.build();
    const Nanoseconds end = profile.timeline.calls.back().time.end + 3'000'000;
    profile.processes[0].run = ProcessRun{.time = {-500'000, end}, .setup = {-400'000, -400'000}};
    const Analysis analysis = analyze(std::make_shared<const Profile>(profile));
    const Program run = analyzeProgram(analysis, WindowChoice::Run);
    REQUIRE(run.window.kind == WindowKind::Run);
    CHECK(us(run, TimeClass::IdleHost) > 7900);
    CHECK(run.account.hostAfterSync.value * 1e6 == Approx(5000).margin(kTolerance));
}

TEST_CASE("where work ran whose recorded time cannot be, nothing is known") {
    // 6 steps: launch call 4 µs, 2 µs latency, kernels of 10 µs, a wait that returns after 3 µs,
    // 30 µs of host work.
    const auto program = [](Nanoseconds moved) {
        SyntheticProgram p;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) {
            p.push("step");
            p.launch("first", 10).launch("second", 10).launch("third", 10).sync().work(30);
            p.pop();
        }
        Profile profile = p.build();
        profile.capture.origin = "recorded";
        for (std::size_t step = 2; step < 6; ++step)
            profile.launches[1 + 3 * step + 1].start->value -= static_cast<double>(moved) * 1e-9;
        const std::size_t issues = profile.issues.size();
        dropImpossibleTimes(profile);
        CHECK(profile.issues.size() == issues + (moved > 0 ? 1 : 0));
        return judgedAccount(profile);
    };
    const Program right = program(0);
    checkSums(right);
    CHECK(us(right, TimeClass::IdleUnknown) == 0);
    CHECK(right.account.untimed.value == 0);
    // "second" ran between "first" and "third", for 10 µs of each of these 4 steps.
    const double mean = 10.0 * 4 / 6;
    const Program wrong = program(5'000'000);
    checkSums(wrong);
    CHECK(wrong.account.causesKnown);
    CHECK(us(wrong, TimeClass::Kernels) == Approx(us(right, TimeClass::Kernels) - mean));
    CHECK(us(wrong, TimeClass::IdleUnknown) == Approx(mean));
    CHECK(wrong.account.untimed.value * 1e6 == Approx(mean));
    CHECK(us(wrong, TimeClass::IdleHost) == Approx(us(right, TimeClass::IdleHost)));
    CHECK(us(wrong, TimeClass::IdleSync) == Approx(us(right, TimeClass::IdleSync)));
    CHECK(us(wrong, TimeClass::IdleLaunch) == Approx(us(right, TimeClass::IdleLaunch)));
}
