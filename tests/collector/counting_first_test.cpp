// SPDX-License-Identifier: Apache-2.0
// A run that first counts and then times: which launches are counted and when that is enough, what
// the injected library writes (with a fake driver and CUPTI), and how it is joined.
#include "collector/inject/launches/counting_first.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "collector/inject/frameworks/frameworks.h"
#include "collector/run/join/join_runs.h"
#include "collector/run/measure/count_then_time.h"
#include "collector/spool/reader/spool_reader.h"
#include "tests/fake_gpu/fake_program.h"
#include "tests/fake_gpu/fake_session.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using inject::CountingFirst;
using test::FakeProgram;
using namespace std::chrono_literals;

namespace {

/// One step of a model: two kernels that occur once, and between them `layers` times the same 12.
std::vector<std::uint64_t> step(int layers) {
    std::vector<std::uint64_t> signatures{1};
    for (int layer = 0; layer < layers; ++layer)
        for (std::uint64_t kernel = 0; kernel < 12; ++kernel) signatures.push_back(100 + kernel);
    signatures.push_back(2);
    return signatures;
}

/// The time of a launch, 5 ms after that of the one before.
CountingFirst::Clock::time_point tick() {
    static CountingFirst::Clock::time_point now{1h};
    return now += 5ms;
}

/// How many launches are counted until that is enough, and how many there were by then.
struct CountingResult {
    std::size_t counted = 0, launches = 0;
};
/// `between`: the time from one launch to the next.
CountingResult go(CountingFirst& phase, const std::vector<std::uint64_t>& round, int rounds,
                  CountingFirst::Duration each, CountingFirst::Duration between = 1ms,
                  bool fillsTensors = true) {
    CountingResult went;
    CountingFirst::Clock::time_point now{1h};
    for (int i = 0; i < rounds; ++i)
        for (const std::uint64_t signature : round) {
            now += between;
            if (phase.enough(fillsTensors)) return went;
            ++went.launches;
            if (!phase.wants(signature, now)) continue;
            ++went.counted;
            phase.counted(each);
        }
    went.launches = 0;
    return went;
}

}  // namespace

TEST_CASE("counting ends when the program's outer loop has come round, not a layer's") {
    CountingFirst quick(3, true, 10s);
    const auto round = step(12);
    // 14 kernels, each counted three times but not its second launch: kernels that occur once per
    // round need four rounds.
    const CountingResult went = go(quick, round, 20, 1ms);
    CHECK(went.counted == 14 * 3);
    CHECK(went.launches > 2 * round.size());
    CHECK(went.launches <= 5 * round.size());
    CHECK(quick.loop() == round.size());
    CHECK(quick.spent() == 42ms);
}

TEST_CASE("where a counted launch takes long, one of each kernel is enough") {
    CountingFirst slow(3, true, 10s);
    const auto round = step(12);
    const CountingResult went = go(slow, round, 20, 100ms);
    CHECK(went.counted == 14);
    CHECK(went.launches >= 2 * round.size());
    CHECK(went.launches <= 3 * round.size());
}

TEST_CASE("who asks for a number of launches gets it, however long counting takes") {
    CountingFirst asked(3, false, 30s);
    CHECK(go(asked, step(12), 20, 100ms).counted == 14 * 3);
}

TEST_CASE("a kernel that is launched once is counted, and the budget is kept") {
    CountingFirst phase(3, true, 250ms);
    constexpr CountingFirst::Clock::time_point kNow{};
    CHECK(phase.wants(7, kNow));
    for (int i = 0; i < 3; ++i) phase.counted(100ms);
    CHECK_FALSE(phase.wants(8, kNow));
    CHECK(phase.enough());
    CountingFirst memory(3, true, 10s);
    CHECK_FALSE(memory.enough());
    memory.giveUp();
    CHECK(memory.enough());
}

TEST_CASE("a program without a loop counts for longer; one with graphs only counts") {
    CountingFirst phase(3, true, 10s);
    const CountingResult went = go(phase, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 200, 1ms, 100us);
    CHECK(went.launches >= 1024);
    CHECK(went.launches < 1200);
    CHECK(phase.loop() == 0);
    CountingFirst graphs(3, true, 10s);
    graphs.onlyCount();
    CHECK(go(graphs, {1, 2, 3}, 1000, 1ms).launches == 0);
}

TEST_CASE("a short loop that brings nothing new for a while is the program's") {
    CountingFirst phase(3, true, 10s);
    const CountingResult went = go(phase, step(3), 100, 1ms, 10ms);  // 0.38 s per round
    CHECK(went.counted == 14 * 3);
    CHECK(went.launches >= 8 * step(3).size());  // four rounds to count all, four without news
    CHECK(went.launches < 9 * step(3).size());
    CHECK(phase.loop() == step(3).size());
    // A round of 4 ms: four quiet ones are too short.
    CountingFirst quick(3, true, 10s);
    CHECK(go(quick, step(3), 20, 1ms, 100us).launches == 0);
    // A new kernel in every third round keeps the counting going.
    CountingFirst anew(3, true, 10s);
    std::vector<std::uint64_t> rounds;
    for (std::uint64_t i = 0; i < 12; ++i) {
        const auto round = step(3);
        rounds.insert(rounds.end(), round.begin(), round.end());
        if (i % 3 == 0) rounds.push_back(1000 + i);
    }
    CHECK(go(anew, rounds, 1, 1ms, 10ms).launches == 0);
}

TEST_CASE("a short loop is the program's if it waits for the GPU or has a range in each round") {
    struct Case {
        bool waits, ranges, numberAsked;
        int rounds;  ///< until it is enough; 20: never
    };
    // Layers do not wait or have one range each. In the first round everything is new. If a number
    // of launches was asked for, each signature also needs its third and fourth launch.
    for (const Case& c :
         {Case{false, false, false, 20}, Case{true, false, false, 5}, Case{false, true, false, 3},
          Case{true, true, false, 3}, Case{true, false, true, 8}, Case{false, true, true, 6}}) {
        CAPTURE(c.waits, c.ranges, c.numberAsked);
        CountingFirst phase(3, !c.numberAsked, 10s);
        int launches = 0;
        for (int round = 0; round < 20 && !phase.enough(); ++round) {
            if (c.ranges) phase.rangeBegan("step");
            for (std::uint64_t signature = 1; signature <= 3 && !phase.enough(); ++signature) {
                ++launches;
                if (phase.wants(signature, tick(), c.waits && signature == 1)) phase.counted(1ms);
            }
        }
        CHECK(launches == 3 * c.rounds);
        CHECK(phase.loop() == (c.rounds < 20 ? 3 : 0));
    }
}

TEST_CASE("ranges with other names in each round, or within one, are not rounds") {
    CountingFirst phase(3, true, 10s);
    for (int round = 0; round < 20; ++round) {
        phase.rangeBegan("step " + std::to_string(round));
        for (const std::uint64_t signature : {1, 2, 3}) {
            CHECK_FALSE(phase.enough());
            (void)phase.wants(signature, tick());
        }
    }
    // One range per operator.
    CountingFirst operators(3, true, 10s);
    for (int round = 0; round < 20; ++round)
        for (const std::uint64_t signature : {1, 2, 3}) {
            operators.rangeBegan("linear");
            CHECK_FALSE(operators.enough());
            (void)operators.wants(signature, tick());
        }
}

TEST_CASE("new launches reset the evidence of a loop, and waits count once per round") {
    CountingFirst ranges(3, true, 10s);
    for (int round = 0; round < 4; ++round) {
        ranges.rangeBegan("step");
        if (round < 3) (void)ranges.wants(1, tick());
    }
    CHECK(ranges.enough());
    CHECK(ranges.wants(2, tick()));
    CHECK_FALSE(ranges.enough());
    CountingFirst waits(3, true, 10s);
    for (int round = 0; round < 20; ++round)
        for (const std::uint64_t signature : {1, 2, 3, 4, 5}) {
            CHECK_FALSE(waits.enough());
            (void)waits.wants(signature, tick(), round == 1);
        }
}

TEST_CASE("a long round inside a range must occur twice, even if the first one is longer") {
    CountingFirst phase(3, true, 10s);
    auto first = step(12);
    for (std::uint64_t once = 0; once < 60; ++once) first.push_back(1000 + once);
    std::size_t launches = 0;
    CountingFirst::Clock::time_point now{1h};
    for (int round = 0; round < 4 && !phase.enough(); ++round) {
        phase.rangeBegan("step");
        for (const std::uint64_t signature : round == 0 ? first : step(12)) {
            if (phase.enough()) break;
            ++launches;
            if (phase.wants(signature, now += 200us)) phase.counted(100ms);
        }
    }
    CHECK(launches == first.size() + step(12).size());
    CHECK(phase.loop() == step(12).size());
}

TEST_CASE("more rounds than a model has layers are the program's loop") {
    CountingFirst phase(3, true, 10s);
    const CountingResult went = go(phase, {1, 2, 3}, 1000, 1ms, 700us);
    CHECK(went.counted == 9);
    CHECK(went.launches >= 3 * 128);
    CHECK(went.launches < 3 * 132);
    CHECK(phase.loop() == 3);
    // The tensors of a model get their values within milliseconds.
    CountingFirst setUp(3, true, 10s);
    CHECK(go(setUp, {1}, 300, 1ms, 10us).launches == 0);
    // Without a framework there are none: a program that does not wait issues its loop as quickly.
    CountingFirst loop(3, true, 10s);
    const CountingResult ended = go(loop, {1}, 700, 1ms, 10us, false);
    CHECK(ended.counted == 3);
    CHECK(ended.launches >= 512);
    CHECK(ended.launches <= 516);
}

TEST_CASE("a pause does not count as a repeating loop") {
    // Weights are created, then data is loaded for 5 s, then the first step begins.
    CountingFirst phase(3, true, 10s);
    CHECK(go(phase, std::vector<std::uint64_t>(20, 7), 1, 1ms, 1ms).launches == 0);
    CountingFirst::Clock::time_point now = CountingFirst::Clock::time_point{1h} + 5s;
    auto first = step(3);
    first.insert(first.begin(), 7);
    for (const std::uint64_t signature : first) {
        CHECK_FALSE(phase.enough());
        if (phase.wants(signature, now += 1ms)) phase.counted(1ms);
    }
}

TEST_CASE("a size that changes in every round does not keep the counting from ending") {
    CountingFirst phase(3, true, 10s);
    std::uint64_t size = 1000;
    CountingResult went;
    for (int i = 0; i < 30 && !phase.enough(); ++i) {
        auto round = step(12);
        round.push_back(++size);
        for (const auto signature : round) {
            ++went.launches;
            if (phase.wants(signature, tick())) phase.counted(1ms);
        }
    }
    CHECK(went.launches < 10 * step(12).size());
}

TEST_CASE("this process exists, and has no XLA in it") {
    CHECK(inject::processAge().count() > 0);
    CHECK(inject::processAge().count() < 3600);
    CHECK_FALSE(inject::launchesOneByOneWhileCounted());
}

namespace {

constexpr FakeProgram::Counters kTwoPasses{.readable = true, .passes = 2};

struct Spooled {
    Profile profile;
    CountedFirstBy countedFirst;
};
Spooled spooled(const RunConfiguration& configuration,
                const std::function<void(FakeProgram&)>& program) {
    const test::TemporaryFolder folder;
    REQUIRE(test::runFakeProgram(configuration, folder.path(), program, kTwoPasses));
    SpoolDetails details;
    auto profile = readSpools(folder.path(), &details);
    REQUIRE(profile);
    return {.profile = std::move(*profile), .countedFirst = std::move(details.countedFirst)};
}

/// So many first launches come slowly: in its first moments a program shows no loop.
constexpr unsigned kSlow = 6;
const CountFirstMode kCountFirst{.counting = {.perKernel = 3}, .leastStart = 0, .rests = false};

}  // namespace

TEST_CASE("a process counts, then times; launches of the counting phase have no start time") {
    bool sessionAfterwards = true;
    const Spooled s = spooled({.mode = kCountFirst}, [&](FakeProgram& program) {
        for (unsigned i = 0; i < 200; ++i) {
            program.at(1000 * i);
            program.launch({.kernel = "a", .grid = 7});
            test::kernelRan(program, 1000 * i + 100, 1000 * i + 600);
            program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
            if (i < kSlow) std::this_thread::sleep_for(11ms);
        }
        sessionAfterwards = test::FakeSession::runs();
        if (sessionAfterwards) std::abort();  // in a child process
        program.call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize);
    });
    REQUIRE(s.countedFirst.size() == 1);
    const CountedFirst& first = s.countedFirst.at(0);
    REQUIRE(s.profile.launches.size() == 200);
    CHECK(first.firstTimed == 4 + 4);  // the fourth launch is counted; four more have waits
    CHECK(first.spent);
    CHECK(first.end);
    for (const std::size_t row : {0, 2, 3}) {  // the second launch is timed
        CHECK(s.profile.counters.value(test::FakeSession::kCounter, row) == 7.0);
        CHECK_FALSE(s.profile.launches[row].duration);
    }
    for (const std::size_t row : {std::size_t{1}, std::size_t{4}, first.firstTimed}) {
        CHECK_FALSE(s.profile.counters.value(test::FakeSession::kCounter, row));
        CHECK(s.profile.launches[row].duration->value == Approx(500e-9));
    }
    CHECK_FALSE(s.profile.launches[first.firstTimed - 1].start);
    CHECK(s.profile.launches[first.firstTimed].start == Seconds{});
    REQUIRE(s.profile.timeline.calls.size() > 1);
    CHECK(s.profile.issues.empty());
}

TEST_CASE("a process of long kernels is timed at once after counting, one of short ones rests") {
    CountFirstMode rests = kCountFirst;
    rests.rests = true;
    const auto timed = [&](unsigned microseconds) {
        const Spooled s = spooled({.mode = rests}, [&](FakeProgram& program) {
            for (unsigned i = 0; i < 700; ++i) {
                const std::uint64_t begin = 1'000'000ULL * i;
                program.at(begin);
                program.launch({.kernel = "a", .grid = 7});
                test::kernelRan(program, begin + 100, begin + 100 + 1000ULL * microseconds);
            }
            program.call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize);
        });
        REQUIRE(s.countedFirst.size() == 1);
        // Launches of a rest have no rows.
        return s.profile.launches.size() - s.countedFirst.at(0).firstTimed;
    };
    CHECK(timed(500) >= 160);
    CHECK(timed(50) == 0);
}

TEST_CASE("a process with short rounds counts until it has shown that they are the program's") {
    struct Case {
        bool ranges, synchronises;
        std::size_t firstTimed;
    };
    constexpr unsigned kRounds = 10, kLaunches = 3;
    for (const Case& c : {Case{true, false, 3 * kLaunches}, Case{false, true, 5 * kLaunches},
                          Case{false, false, kRounds * kLaunches}}) {
        CAPTURE(c.ranges, c.synchronises);
        CountFirstMode noNumber = kCountFirst;
        noNumber.counting.countOneIfCostly = true;
        const Spooled s = spooled({.mode = noNumber}, [&](FakeProgram& program) {
            for (unsigned round = 0; round < kRounds; ++round) {
                if (c.ranges) program.pushRange("step");
                for (unsigned grid = 1; grid <= kLaunches; ++grid) {
                    if (c.ranges) program.pushRange("layer");
                    program.launch({.kernel = "a", .grid = grid});
                    if (round * kLaunches + grid <= kSlow) std::this_thread::sleep_for(11ms);
                    if (c.ranges) program.popRange();
                }
                if (c.ranges) program.popRange();
                if (c.synchronises) program.call(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
            }
        });
        REQUIRE(s.countedFirst.size() == 1);
        CHECK(s.countedFirst.at(0).firstTimed == c.firstTimed);
    }
}

TEST_CASE("a run with counters times the launches that it does not count, if it is to") {
    for (const bool asked : {false, true}) {
        const Spooled s = spooled(
            {.mode = CountersMode{.perKernel = 1, .timeOthers = asked}}, [&](FakeProgram& program) {
                for (unsigned i = 0; i < 3; ++i) {
                    program.launch({.kernel = "a", .grid = 7});
                    if (asked) test::kernelRan(program, 1000 * i + 100, 1000 * i + 600);
                }
            });
        REQUIRE(s.profile.launches.size() == 3);
        CHECK(s.profile.counters.value(test::FakeSession::kCounter, 0) == 7.0);
        CHECK_FALSE(s.profile.launches[0].duration);  // replayed several times, so untimed
        for (const std::size_t row : {1, 2}) {
            CHECK_FALSE(s.profile.counters.value(test::FakeSession::kCounter, row));
            CHECK(s.profile.launches[row].duration.has_value() == asked);
        }
        CHECK(s.profile.issues.empty());
    }
}

TEST_CASE("if XLA allocates on demand, no counted launch has too much memory to save") {
    for (const std::size_t bytes : {1'000'000, 300'000'000}) {
        const Spooled s = spooled({.mode = CountersMode{.perKernel = 2, .growMemory = true}},
                                  [&](FakeProgram& program) {
                                      program.launch({.kernel = "a", .grid = 7});
                                      program.pin(bytes);
                                      program.launch({.kernel = "a", .grid = 7});
                                  });
        CHECK(s.profile.counters.value(test::FakeSession::kCounter, 0) == 7.0);
        CHECK(s.profile.counters.value(test::FakeSession::kCounter, 1).has_value() ==
              (bytes < 278'000'000));
        CHECK(s.profile.issues.empty());
    }
}

TEST_CASE("a kernel that waits for others ends the counting") {
    const Spooled s = spooled({.mode = kCountFirst}, [](FakeProgram& program) {
        program.launch({.kernel = "a", .grid = 7});
        for (int i = 0; i < 100; ++i) {
            program.launch({.kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
            program.launch({.kernel = "a", .grid = 7});
        }
    });
    REQUIRE(s.countedFirst.size() == 1);
    CHECK(s.countedFirst.at(0).firstTimed == 2);
}

TEST_CASE("a process that used CUDA at once is only timed, and one with graphs only counted") {
    CountFirstMode young = kCountFirst;
    young.leastStart = 1e9;
    const auto loop = [](FakeProgram& program) {
        for (int i = 0; i < 1200; ++i) program.launch({.kernel = "a"});
    };
    const Spooled timed = spooled({.mode = young}, loop);
    CHECK(timed.countedFirst.empty());
    CHECK(timed.profile.counters.names().empty());
    const Spooled counted = spooled({.mode = kCountFirst}, [&](FakeProgram& program) {
        static const test::FakeGraph graph({"g"});
        program.make(graph);  // which may be launched once only times are taken
        loop(program);
        program.launch(graph);
    });
    REQUIRE(counted.countedFirst.size() == 1);
    CHECK_FALSE(counted.countedFirst.at(0).spent);
    CHECK(counted.countedFirst.at(0).firstTimed == counted.profile.launches.size());
}

namespace {

/// Launches of "a". The first `early` ones come before the timed part; those in `counted` have the
/// counter values 10, 11, …. Then one launch per duration in `timed`.
Profile both(std::size_t early, const std::vector<std::size_t>& counted,
             const std::vector<double>& timed) {
    Profile p;
    p.processes.emplace_back();
    p.devices.push_back({.smCount = 132});
    p.kernels.push_back({.name = "a", .symbol = "a"});
    double at = 0;
    for (std::size_t i = 0; i < early + timed.size(); ++i) {
        Launch launch{.grid = {1, 1, 1}, .block = {32, 1, 1}};
        if (i < early && !std::ranges::count(counted, i)) launch.duration = Seconds{4e-6};
        if (i >= early) {
            launch.duration = Seconds{timed[i - early]};
            launch.start = Seconds{at};
            at += timed[i - early] + 1e-6;
        }
        p.launches.push_back(launch);
    }
    p.counters.resize(p.launches.size());
    double value = 10;
    for (const std::size_t row : counted) p.counters.set("c", row, value++);
    return p;
}

CountedFirstBy after(std::size_t row, std::uint64_t loop = 0) {
    return {{0U, CountedFirst{.firstTimed = row, .spent = Seconds{1}, .loop = loop}}};
}

void moveToTimed(Profile& run, std::size_t firstTimed) {
    const CountedFirstBy countedFirst = after(firstTimed);
    moveCountersToTimed(run, countedFirst, serialTimes(run, countedFirst));
}

}  // namespace

TEST_CASE("counters go to the timed launches that are most typical, and the others stay") {
    Profile p = both(4, {1, 2}, {9e-6, 5e-6, 5.1e-6, 4.9e-6});
    p.timeline.callNames.push_back({.name = "cuLaunchKernel", .kind = CallKind::Launch});
    p.timeline.threads.emplace_back();
    p.timeline.calls.push_back({.time = {0, 1}, .work = 4});
    p.timeline.calls.push_back({.time = {0, 1}, .work = 1});
    moveToTimed(p, 4);
    // Two rows fewer: serialised early launches, then timed ones. Their median is 5.1 µs.
    REQUIRE(p.launches.size() == 6);
    CHECK(p.launches[1].duration == Seconds{4e-6});
    CHECK_FALSE(p.launches[1].start);
    CHECK(p.counters.value("c", 4) == 10.0);  // 5.1 µs
    CHECK(p.counters.value("c", 3) == 11.0);  // 5 µs
    CHECK_FALSE(p.counters.value("c", 2));    // 9 µs
    CHECK(p.timeline.calls[0].work == 2U);
    CHECK_FALSE(p.timeline.calls[1].work);
    CHECK(p.processes[0].launchesSeen == 4);
}

TEST_CASE("what ran only before keeps its counters and what it took one by one") {
    Profile p = both(4, {1, 2}, {});
    moveToTimed(p, 4);
    REQUIRE(p.launches.size() == 2);
    CHECK(p.counters.value("c", 0) == 10.0);
    CHECK(p.counters.value("c", 1) == 11.0);
    Profile once = both(1, {0}, {});
    moveToTimed(once, 1);
    REQUIRE(once.launches.size() == 1);
    CHECK(once.counters.value("c", 0) == 10.0);
}

TEST_CASE("a run has timed enough with a third of its launches and a whole round") {
    CHECK(timedEnough(both(4, {}, std::vector<double>(2, 1e-6)), after(4)));
    CHECK_FALSE(timedEnough(both(5, {}, std::vector<double>(2, 1e-6)), after(5)));
    // If one and a half rounds were timed, at least one is complete, wherever timing began.
    CHECK_FALSE(timedEnough(both(8, {}, std::vector<double>(8, 1e-6)), after(8, 6)));
    CHECK(timedEnough(both(8, {}, std::vector<double>(9, 1e-6)), after(8, 6)));
    CHECK_FALSE(timedEnough(Profile(), {}));
}

TEST_CASE("kernels that matter and lack counters are found") {
    Profile p = both(0, {}, std::vector<double>(100, 1e-6));
    p.kernels.push_back({.name = "b", .symbol = "b"});
    CHECK(timedOnly(p).size() == 100);
    p.counters.set("c", 0, 1);
    CHECK(timedOnly(p).empty());
    p.launches[50].kernel = 1;  // 1 % of the time
    CHECK(timedOnly(p).empty());
    for (std::size_t row = 50; row < 53; ++row) p.launches[row].kernel = 1;
    const std::vector<std::uint32_t> missing{50, 51, 52};
    // 3 % of the kernels' time, but the GPU idles for most of it: they are not worth a run, unless
    // the user named them.
    CHECK(timedOnly(p).empty());
    CHECK(timedOnly(p, true) == missing);
    for (std::size_t row = 0; row < 100; ++row)
        p.launches[row].start = Seconds{1e-6 * static_cast<double>(row)};
    CHECK(timedOnly(p) == missing);
    p.kernels[1].symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    CHECK(timedOnly(p).empty());
}

TEST_CASE("instrumentation is taken off by what launches took one by one, and never more") {
    Profile p = both(3, {}, {110e-6, 110e-6});
    const SerialTimes serial = serialTimes(p, after(3));
    REQUIRE(serial.size() == 1);
    CHECK(serial.begin()->second.value == Approx(4e-6));
    Profile two = p;
    two.devices.push_back({.name = "another model", .smCount = 16});
    CHECK(serialTimes(two, after(3)).size() == 1);
    two.launches[4].device = 1;
    CHECK(serialTimes(two, after(3)).empty());
    for (Launch& launch : p.launches) launch.grid = {132 * 5000, 1, 1};  // at most 7 µs were added
    joinSerialTimes(p, {{launchSignature(p, p.launches[3]), Seconds{100e-6}}});
    CHECK(p.launches[3].duration->value == Approx(103e-6));
    CHECK(p.launches[4].start->value - p.launches[3].start->value == Approx(104e-6));
    CHECK(p.launches[0].duration->value == Approx(4e-6));
}

TEST_CASE("what timing one by one adds to every launch is taken off") {
    // A short kernel takes 4 µs when serialised, else 2 µs; one that was only serialised, 5 µs.
    Profile p = both(3, {}, {2e-6, 2e-6});
    p.kernels.push_back({.name = "once", .symbol = "once"});
    p.launches[0].kernel = 1;
    p.launches[0].duration = Seconds{5e-6};
    moveToTimed(p, 3);
    CHECK(p.launches[0].duration->value == Approx(3e-6));
    CHECK(p.launches[1].duration->value == Approx(2e-6));
    CHECK(p.launches[4].duration->value == Approx(2e-6));
    // No duration drops below the shortest one timed.
    Profile tiny = both(3, {}, {2e-6, 2e-6});
    tiny.kernels.push_back({.name = "once", .symbol = "once"});
    tiny.launches[0].kernel = 1;
    tiny.launches[0].duration = Seconds{2.5e-6};
    moveToTimed(tiny, 3);
    CHECK(tiny.launches[0].duration->value == Approx(2e-6));

    // Instrumentation adds at most 7 µs to a long kernel; less the 2 µs of serialising, 3 µs show.
    Profile both2 = both(0, {}, {2e-6, 2e-6, 110e-6, 110e-6});
    both2.kernels.push_back({.name = "long", .symbol = "long"});
    for (const std::size_t row : {2, 3}) {
        both2.launches[row].kernel = 1;
        both2.launches[row].grid = {132 * 5000, 1, 1};
    }
    const SerialTimes serial{{launchSignature(both2, both2.launches[0]), Seconds{4e-6}},
                             {launchSignature(both2, both2.launches[2]), Seconds{109e-6}}};
    CHECK(timeAddedBySerialRuns(both2, serial).value == Approx(2e-6).epsilon(0.01));
    joinSerialTimes(both2, serial);
    CHECK(both2.launches[0].duration->value == Approx(2e-6));
    CHECK(both2.launches[2].duration->value == Approx(107e-6));
}

TEST_CASE(
    "nothing is subtracted unless a kernel was timed in both ways and the difference is constant") {
    const Profile p = both(0, {}, {2e-6, 2e-6});
    CHECK(timeAddedBySerialRuns(p, {}) == Seconds{});
    CHECK(timeAddedBySerialRuns(p, {{1U, Seconds{4e-6}}}) == Seconds{});
    const std::uint64_t signature = launchSignature(p, p.launches[0]);
    CHECK(timeAddedBySerialRuns(p, {{signature, Seconds{1e-6}}}) ==
          Seconds{});  // less when serialised
    CHECK(timeAddedBySerialRuns(p, {{signature, Seconds{1}}}) == Seconds{2e-6});
    // Long kernels also differ by clocks, so they count only where there are no short ones.
    Profile mixed = both(0, {}, {2e-6, 110e-6, 210e-6});
    mixed.kernels.push_back({.name = "long", .symbol = "long"});
    mixed.kernels.push_back({.name = "longer", .symbol = "longer"});
    mixed.launches[1].kernel = 1;
    mixed.launches[2].kernel = 2;
    SerialTimes times{{launchSignature(mixed, mixed.launches[0]), Seconds{3.5e-6}},
                      {launchSignature(mixed, mixed.launches[1]), Seconds{111e-6}},
                      {launchSignature(mixed, mixed.launches[2]), Seconds{215e-6}}};
    CHECK(timeAddedBySerialRuns(mixed, times).value == Approx(1.5e-6).epsilon(0.01));
    times.erase(launchSignature(mixed, mixed.launches[0]));
    CHECK(timeAddedBySerialRuns(mixed, times).value == Approx(1e-6).epsilon(0.01));
}

TEST_CASE("launches without rows are those between counting and timing") {
    Profile p = both(3, {0}, {5e-6, 5e-6});
    const CountedFirstBy countedFirst{{0, {.firstTimed = 3}}};
    CHECK(launchesAlone(p, countedFirst) == 0);  // the process never ran alone
    p.processes[0].pace = LaunchPace{.traced = {{.calls = 3, .time = 0}, {4, 10}}};
    CHECK(launchesAlone(p, countedFirst) == 0);
    p.processes[0].pace = LaunchPace{.traced = {{.calls = 40, .time = 0}, {41, 10}},
                                     .alone = {{.calls = 4, .time = 0}, {39, 10}}};
    CHECK(launchesAlone(p, countedFirst) == 37);
}
