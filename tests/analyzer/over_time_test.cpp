// SPDX-License-Identifier: Apache-2.0
// What counters over a kernel's time say: its curve, tail and phases, and the rules on them.
#include <algorithm>
#include <limits>
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "analyzer/over_time/over_time_analysis.h"
#include "profile/codec/codec.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using test::SyntheticProfile;
using Doing = SyntheticProfile::Activity;

namespace {

constexpr double kUs = 1e-6;
constexpr Doing kCopying{.sms = 1, .dram = 0.8, .issue = 0.06, .l2 = 6e12};
constexpr Doing kComputing{.sms = 1, .dram = 0.01, .issue = 0.6};
constexpr Doing kOneSm{.sms = 1.0 / 132, .dram = 0.0001, .issue = 0.0004};
constexpr Doing kWaiting{.sms = 1, .dram = 0.0001, .issue = 0.01};

/// A kernel of this duration on a full grid of even waves.
test::LaunchRef kernelOf(SyntheticProfile& p, double microseconds) {
    return test::idle(p, "k(float*)", {132 * 8, 1, 1}, {256, 1, 1}, microseconds)
        .residentBlocksPerSm(8);
}

/// All SMs copy for 10 intervals of 2 µs, then one works alone for 30 intervals.
SyntheticProfile serialTail() {
    SyntheticProfile p;
    p.overTime(kernelOf(p, 80), 2).intervals(10, kCopying).intervals(30, kOneSm);
    return p;
}

/// Rounds of 8 µs copying, 2 µs waiting and 20 µs computing, in intervals of 1 µs.
SyntheticProfile alternating(std::size_t rounds = 4) {
    SyntheticProfile p;
    auto trace = p.overTime(kernelOf(p, static_cast<double>(rounds) * 30), 1);
    for (std::size_t i = 0; i < rounds; ++i)
        trace.intervals(8, kCopying).intervals(2, kWaiting).intervals(20, kComputing);
    return p;
}

bool says(const KernelAnalysis& kernel, std::string_view rule) {
    return test::find(kernel, rule) || test::isRuledOut(kernel, rule) ||
           test::unknown(kernel, rule);
}

Approx near(double value) { return Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("a kernel without a curve has none, and its rules are silent") {
    SyntheticProfile p;
    kernelOf(p, 80);
    const KernelAnalysis kernel = test::analyzeOne(p);
    CHECK_FALSE(kernel.overTime);
    CHECK_FALSE(says(kernel, "serial-tail"));
    CHECK_FALSE(says(kernel, "alternating-phases"));
}

TEST_CASE("a curve is in shares of the roofs and of the SMs") {
    SyntheticProfile p;
    auto trace = p.overTime(kernelOf(p, 50), 2);
    trace.intervals(25, {.sms = 0.5, .dram = 0.4, .issue = 0.3, .tensor = 0.2, .l2 = 3e12});
    // 40 % of 1504 B/cycle × 3.2 GHz × 2 µs; the device has 132 SMs at 1.755 GHz.
    trace.trace().counters.set("dram__bytes_read.sum", 3, 1504 * 3.2e9 * 2e-6);
    trace.trace().counters.set("dram__bytes_write.sum", 3, 0);
    trace.trace().counters.set("sm__inst_executed.sum", 4, 132 * 1755.0 * 2);
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.overTime);
    const auto& curve = kernel.overTime->curve;
    REQUIRE(curve.size() == 25);
    CHECK(curve[2].from.value == near(4 * kUs));
    CHECK(curve[2].to.value == near(6 * kUs));
    CHECK(*curve[2].activity.sms == near(0.5));
    CHECK(*curve[2].activity.dram == near(0.4));
    CHECK(*curve[2].activity.issue == near(0.3));
    CHECK(*curve[2].activity.tensor == near(0.2));
    CHECK(*curve[2].activity.l2 == near(3e12));
    CHECK(*curve[3].activity.dram == near(1.0));
    CHECK(*curve[4].activity.issue == near(0.25));  // one of four schedulers issues
    CHECK(kernel.overTime->interval.value == near(2 * kUs));
    CHECK(kernel.overTime->lack == CurveProblem::None);
    CHECK(kernel.overTime->steadySms == near(0.5));
}

TEST_CASE("the ends of a kernel lie within its first and last interval") {
    SyntheticProfile p;
    Doing half = kCopying;
    half.sms = 0.25;  // the kernel runs for a quarter of the interval
    p.overTime(kernelOf(p, 43), 2).intervals(1, half).intervals(21, kCopying).intervals(1, half);
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.overTime);
    CHECK(kernel.overTime->begin.value == near(1.5 * kUs));
    CHECK(kernel.overTime->end.value == near(44.5 * kUs));
    CHECK(kernel.overTime->duration().value == near(43 * kUs));
    CHECK(kernel.overTime->ramp.value == near(0.5 * kUs));
    CHECK_FALSE(kernel.overTime->tail);
}

TEST_CASE("nothing is said of a curve that does not show the kernel") {
    const auto curveProblemOf = [](const SyntheticProfile& p) {
        const KernelAnalysis kernel = test::analyzeOne(p);
        REQUIRE(kernel.overTime);
        CHECK_FALSE(kernel.overTime->tail);
        CHECK_FALSE(kernel.overTime->phases);
        CHECK_FALSE(says(kernel, "serial-tail"));
        CHECK_FALSE(says(kernel, "alternating-phases"));
        return kernel.overTime->lack;
    };
    SECTION("too short") {
        SyntheticProfile p;
        p.overTime(kernelOf(p, 38), 2).intervals(5, kCopying).intervals(14, kOneSm);
        CHECK(curveProblemOf(p) == CurveProblem::Intervals);
    }
    SECTION("a counter is missing in one interval") {
        for (const auto name : {counter::kDramReadBytes, counter::kSmCyclesActiveAvg,
                                counter::kSmInstructions, counter::kSmCyclesElapsedMax}) {
            SyntheticProfile p = serialTail();
            p.profile().overTime[0].counters.set(name, 7, std::numeric_limits<double>::quiet_NaN());
            CHECK(curveProblemOf(p) == CurveProblem::Counters);
        }
    }
    SECTION("the launch took another time than launches usually do") {
        for (const double usual : {80 * 1.3, 80 / 1.3}) {
            SyntheticProfile p;
            p.overTime(kernelOf(p, usual), 2).intervals(10, kCopying).intervals(30, kOneSm);
            CHECK(curveProblemOf(p) == CurveProblem::Duration);
        }
    }
    SECTION("no SM was active") {
        SyntheticProfile p;
        p.overTime(kernelOf(p, 60), 2).intervals(30, {});
        CHECK(curveProblemOf(p) == CurveProblem::Counters);
    }
}

TEST_CASE("more than the GPU can do in some interval is missing there, and noted") {
    const auto impossible = [](std::string_view counter, double value) {
        SyntheticProfile p = serialTail();
        p.profile().overTime[0].counters.set(counter, 7, value);
        return std::pair(test::analyzeOne(p),
                         analyze(std::make_shared<const Profile>(p.build())).notes);
    };
    for (const auto& [counter, value, name] :
         {std::tuple(counter::kDramReadBytes, 1504 * 3.2e9 * 2e-6 * 197, "(DRAM)"),
          std::tuple(counter::kSmCyclesActiveAvg, 1e9, "(SMs)"),
          std::tuple(counter::kSmInstructions, 132 * 1755.0 * 8 * 13.5, "(instruction issue)"),
          std::tuple(counter::kTensorPipe, 120.0, "(tensor)"),
          std::tuple(counter::kL2Sectors, 1e15, "(L2)")}) {
        CAPTURE(counter);
        const auto [kernel, notes] = impossible(counter, value);
        REQUIRE(kernel.overTime);
        const Activity& at = kernel.overTime->curve[7].activity;
        for (const auto& share : {at.sms, at.dram, at.issue, at.tensor})
            CHECK(share.value_or(0) <= 1.05);
        CHECK(at.l2.value_or(0) < 1e14);
        CHECK(std::ranges::any_of(notes, [&](const Words& note) {
            return note.in(Language::En).find(std::string("what the GPU can do ") + name) !=
                   std::string::npos;
        }));
        const bool needed = counter != counter::kTensorPipe && counter != counter::kL2Sectors;
        CHECK((kernel.overTime->lack == CurveProblem::Counters) == needed);
    }
    // Clocks and passes differ a little.
    const auto [kernel, notes] = impossible(counter::kTensorPipe, 104);
    CHECK(kernel.overTime->curve[7].activity.tensor.value_or(0) > 1);
    CHECK(notes.empty());
}

TEST_CASE("tensor cores and the L2 need not be counted") {
    SyntheticProfile p = serialTail();
    CounterTable& table = p.profile().overTime[0].counters;
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (const auto name : {counter::kTensorPipe, counter::kL2Sectors})
            table.set(name, row, std::numeric_limits<double>::quiet_NaN());
    const KernelAnalysis kernel = test::analyzeOne(p);
    CHECK_FALSE(kernel.overTime->curve[0].activity.tensor);
    CHECK_FALSE(kernel.overTime->steady.l2);
    CHECK(test::find(kernel, "serial-tail"));
}

TEST_CASE("one block that works alone at the end is a serial tail") {
    const KernelAnalysis kernel = test::analyzeOne(serialTail());
    REQUIRE(kernel.overTime);
    REQUIRE(kernel.overTime->tail);
    const Tail& tail = *kernel.overTime->tail;
    CHECK(kernel.overTime->steadyTo.value == near(20 * kUs));
    CHECK(tail.from.value == near(20 * kUs));
    CHECK(tail.length.value == near(60 * kUs));
    CHECK(*tail.activity.sms == near(1.0 / 132));
    CHECK(tail.medianSms == near(1.0 / 132));
    // Without the last interval: 29 of 2 µs in which 131 of 132 SMs are idle.
    CHECK(tail.lost.value == near(58 * kUs * 131 / 132));
    // Spread over all SMs, its instructions would take 0.0004 / 0.06 of the time.
    CHECK(tail.atMost.value == near(60 * kUs * (1 - 0.0004 / 0.06)));

    const Finding* finding = test::find(kernel, "serial-tail");
    REQUIRE(finding);
    CHECK(finding->gain->value == near(60 * kUs * (1 - 0.0004 / 0.06)));
    CHECK_FALSE(finding->estimate);
    CHECK_FALSE(finding->minor);
    CHECK(test::unfilled(kernel) == "");
    const auto argument = [&](std::string_view name) {
        return std::ranges::find(finding->args, name, &Arg::name)->value;
    };
    CHECK(argument("active") == 1);
    CHECK(argument("before") == 132);
    CHECK(argument("share") == near(0.75));
}

TEST_CASE("a tail of blocks without work is told to start none") {
    const auto causeOf = [](double writers) {
        SyntheticProfile p;
        Doing starting{.sms = 0.64, .dram = 0.02, .issue = 0.05};
        auto launch = kernelOf(p, 94);
        const double warps = 132.0 * 8 * 8;
        launch.set(counter::kGlobalLoads, warps)
            .set(counter::kGlobalStores, writers * warps)
            .set(counter::kGlobalInstructions, (1 + writers) * warps);
        p.overTime(launch, 2).intervals(27, kComputing).intervals(20, starting);
        const KernelAnalysis kernel = test::analyzeOne(p);
        const Finding* finding = test::find(kernel, "serial-tail");
        REQUIRE(finding);
        CHECK(test::unfilled(*finding).empty());
        return std::ranges::find(finding->args, "cause", &Arg::name)->text.in(Language::En);
    };
    CHECK(causeOf(0.5).starts_with("At most 50 % of the warps write anything"));
    CHECK(causeOf(1).starts_with("Some blocks work longer"));
}

TEST_CASE("a tail far longer than the blocks before it comes from items that are longer") {
    const auto causeOf = [](int steady, int tail) {
        SyntheticProfile p;
        const Doing few{.sms = 0.12, .dram = 0.01, .issue = 0.01};
        p.overTime(kernelOf(p, 2.0 * (steady + tail)), 2)
            .intervals(steady, kComputing)
            .intervals(tail, few);
        const KernelAnalysis kernel = test::analyzeOne(p);
        const Finding* finding = test::find(kernel, "serial-tail");
        REQUIRE(finding);
        CHECK(test::unfilled(*finding).empty());
        return std::ranges::find(finding->args, "cause", &Arg::name)->text.in(Language::En);
    };
    CHECK(causeOf(10, 60).starts_with("Some threads or blocks have far more work"));
    CHECK_FALSE(causeOf(40, 20).starts_with("Some threads or blocks have far more work"));
}

TEST_CASE("the last blocks of all SMs do not hide that one works alone afterwards") {
    SyntheticProfile p;
    Doing half = kCopying;
    half.sms = 0.6;
    p.overTime(kernelOf(p, 80), 2).intervals(10, kCopying).intervals(2, half).intervals(28, kOneSm);
    const KernelAnalysis kernel = test::analyzeOne(p);
    const Finding* finding = test::find(kernel, "serial-tail");
    REQUIRE(finding);
    CHECK(std::ranges::find(finding->args, "active", &Arg::name)->value == 1);
    CHECK(std::ranges::find(finding->args, "cause", &Arg::name)
              ->text.in(Language::En)
              .starts_with("One block"));
}

TEST_CASE("the mean of a tail is over the kernel's time, not to the end of the last interval") {
    SyntheticProfile p;
    Doing quarter = kOneSm;
    quarter.sms /= 4;
    quarter.issue = 0;
    p.overTime(kernelOf(p, 32), 1)
        .intervals(16, kCopying)
        .intervals(15, kOneSm)
        .intervals(1, quarter);
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.overTime->tail);
    CHECK(kernel.overTime->tail->length.value == near(15.25 * kUs));
    CHECK(*kernel.overTime->tail->activity.sms == near(1.0 / 132));
}

TEST_CASE("a tail in which a roof is as busy as before loses nothing") {
    // A copy's SMs finish one after the other over a quarter of its time, but the DRAM stays busy.
    SyntheticProfile p;
    auto trace = p.overTime(kernelOf(p, 80), 2);
    trace.intervals(30, kCopying);
    for (int i = 0; i < 10; ++i) {
        Doing decaying = kCopying;
        decaying.sms = 0.85 - 0.06 * i;
        decaying.dram = 0.8 - 0.012 * i;
        decaying.l2 = 6e12 * (1 - 0.015 * i);
        trace.intervals(1, decaying);
    }
    SECTION("the DRAM") {
        const KernelAnalysis kernel = test::analyzeOne(p);
        REQUIRE(kernel.overTime->tail);
        // 9 intervals in which DRAM and L2 do 0, 1.5, 3 … 12 % less.
        CHECK(kernel.overTime->tail->lost.value == near(2 * kUs * 0.015 * 36));
        CHECK_FALSE(test::find(kernel, "serial-tail"));
        CHECK(test::isRuledOut(kernel, "serial-tail"));
    }
    SECTION("but a roof that never was busy says nothing") {
        CounterTable& table = p.profile().overTime[0].counters;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            for (const auto name : {counter::kDramReadBytes, counter::kDramWriteBytes})
                table.set(name, row, *table.value(name, row) * 0.1);
            table.set(counter::kL2Sectors, row, *table.value(counter::kL2Sectors, row) * 0.1);
        }
        CHECK(test::find(test::analyzeOne(p), "serial-tail"));
    }
    SECTION("the L2") {
        CounterTable& table = p.profile().overTime[0].counters;
        for (std::size_t row = 0; row < table.rows(); ++row)
            for (const auto name : {counter::kDramReadBytes, counter::kDramWriteBytes})
                table.set(name, row, 0);
        CHECK_FALSE(test::find(test::analyzeOne(p), "serial-tail"));
        for (std::size_t row = 30; row < table.rows(); ++row)
            table.set(counter::kL2Sectors, row, 0);
        CHECK(test::find(test::analyzeOne(p), "serial-tail"));
    }
}

TEST_CASE("ends of blocks that scatter are no serial tail") {
    SyntheticProfile p;
    p.overTime(kernelOf(p, 200), 2).intervals(96, kCopying).intervals(4, kOneSm);
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.overTime->tail);
    CHECK(kernel.overTime->tail->lost.value < 0.05 * 200 * kUs);
    CHECK_FALSE(test::find(kernel, "serial-tail"));
}

TEST_CASE("a small grid has no serial tail of its own") {
    SyntheticProfile p;
    Doing few = kOneSm;
    few.sms = 0.4;
    p.overTime(kernelOf(p, 80), 2).intervals(20, few).intervals(20, kOneSm);
    CHECK_FALSE(says(test::analyzeOne(p), "serial-tail"));
}

TEST_CASE("a serial tail is not told again as uneven work or as a last wave") {
    const auto uneven = [](bool sampled) {
        SyntheticProfile p;
        auto launch =
            test::idle(p, "k(float*)", {132 * 9, 1, 1}, {256, 1, 1}, 80).residentBlocksPerSm(8);
        launch.set(counter::kSmCyclesActiveAvg, 40 * 1755.0)
            .set(counter::kSmCyclesActiveMax, 80 * 1755.0);
        if (sampled) p.overTime(launch, 2).intervals(20, kCopying).intervals(20, kOneSm);
        return test::analyzeOne(p);
    };
    const KernelAnalysis without = uneven(false), with = uneven(true);
    CHECK(test::find(without, "wave-tail"));
    CHECK_FALSE(test::find(with, "wave-tail"));
    CHECK_FALSE(test::find(with, "imbalance"));
    const Finding* finding = test::find(with, "serial-tail");
    REQUIRE(finding);
    const auto cause = std::ranges::find(finding->args, "cause", &Arg::name);
    CHECK(cause->text.in(Language::En) == "The last wave of blocks is partly filled.");
}

TEST_CASE("a last wave or uneven work that a curve does not show is ruled out") {
    const auto grid = [](bool sampled, bool uneven) {
        SyntheticProfile p;
        auto launch =
            test::idle(p, "k(float*)", {uneven ? 132U * 16 : 132U * 9, 1, 1}, {256, 1, 1}, 80)
                .residentBlocksPerSm(8);
        if (uneven)
            launch.set(counter::kSmCyclesActiveAvg, 40 * 1755.0)
                .set(counter::kSmCyclesActiveMax, 80 * 1755.0);
        if (sampled) p.overTime(launch, 2).intervals(40, kComputing);
        return test::analyzeOne(p);
    };
    CHECK(test::find(grid(false, false), "wave-tail"));
    CHECK(test::isRuledOut(grid(true, false), "wave-tail"));
    CHECK(test::find(grid(false, true), "imbalance"));
    CHECK(test::isRuledOut(grid(true, true), "imbalance"));
}

namespace {

/// All SMs wait for `waiting` intervals of 2 µs, then copy for `copying`.
KernelAnalysis startsAfter(std::size_t waiting, std::size_t copying, Doing before = kWaiting) {
    SyntheticProfile p;
    p.overTime(kernelOf(p, 2.0 * static_cast<double>(waiting + copying)), 2)
        .intervals(waiting, before)
        .intervals(copying, kCopying);
    return test::analyzeOne(p);
}

}  // namespace

TEST_CASE("a kernel that waits before it begins to copy starts slowly") {
    const KernelAnalysis kernel = startsAfter(10, 30);
    REQUIRE(kernel.overTime);
    REQUIRE(kernel.overTime->slowStart);
    const SlowStart& start = *kernel.overTime->slowStart;
    CHECK(start.from.value == 0);
    CHECK(start.length.value == near(20 * kUs));
    CHECK(start.resource == SlowStart::Resource::Dram);
    CHECK(start.level == near(0.8));
    // Nine of the ten intervals; there the DRAM runs at 0.0001 instead of 0.8.
    CHECK(start.lost.value == near(18 * kUs * (1 - 0.0001 / 0.8)));
    const Finding* finding = test::find(kernel, "slow-start");
    REQUIRE(finding);
    CHECK(finding->gain->value == near(20 * kUs * (1 - 0.0001 / 0.8)));  // at most all ten
    CHECK(test::unfilled(kernel) == "");
    const auto text = [&](std::string_view name) {
        return std::ranges::find(finding->args, name, &Arg::name)->text.in(Language::En);
    };
    CHECK(text("what") == "the DRAM's bandwidth");
    CHECK(std::string(text("cause")).starts_with("The blocks are already on the SMs"));
    CHECK_FALSE(test::find(kernel, "alternating-phases"));
    CHECK_FALSE(test::find(kernel, "serial-tail"));

    Doing few = kWaiting;
    few.sms = 0.2;
    const KernelAnalysis late = startsAfter(10, 30, few);
    const Finding* other = test::find(late, "slow-start");
    REQUIRE(other);
    CHECK(std::string(std::ranges::find(other->args, "cause", &Arg::name)->text.in(Language::En))
              .starts_with("Most SMs have no block yet"));
}

TEST_CASE("what every launch takes, and a first part that works, are no slow start") {
    CHECK_FALSE(test::find(startsAfter(3, 30), "slow-start"));   // 4 µs
    CHECK_FALSE(test::find(startsAfter(5, 195), "slow-start"));  // 2 % of the time
    CHECK_FALSE(says(startsAfter(25, 20), "slow-start"));        // more than half of the time
    CHECK_FALSE(test::find(startsAfter(10, 30, kComputing), "slow-start"));
    Doing half = kCopying;
    half.dram = 0.5;
    half.l2 = 3.5e12;
    CHECK_FALSE(test::find(startsAfter(10, 30, half), "slow-start"));
    // If nothing ever gets busy, there is no start to find.
    SyntheticProfile idle;
    idle.overTime(kernelOf(idle, 80), 2).intervals(40, kWaiting);
    CHECK_FALSE(test::analyzeOne(idle).overTime->slowStart);
}

TEST_CASE("phases of copying and computing in turns are told, with what overlap hides") {
    const KernelAnalysis kernel = test::analyzeOne(alternating());
    REQUIRE(kernel.overTime);
    REQUIRE(kernel.overTime->phases);
    const Phases& phases = *kernel.overTime->phases;
    CHECK(phases.memoryCount == 4);
    CHECK(phases.computeCount == 4);
    CHECK(phases.changes == 7);
    CHECK(phases.from.value == 0);
    CHECK(phases.to.value == near(120 * kUs));
    // Two intervals of waiting are too few for a phase; they belong to neither kind.
    CHECK(phases.memory.value == near(32 * kUs));
    CHECK(phases.compute.value == near(80 * kUs));
    CHECK(*phases.inMemory.dram == near(0.8));
    CHECK(*phases.inCompute.issue == near(0.6));
    CHECK_FALSE(phases.tensor);
    // Each phase separately, without the waits between them.
    REQUIRE(phases.list.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        const double round = 30.0 * static_cast<double>(i / 2);
        const bool copies = i % 2 == 0;
        CHECK(phases.list[i].kind == (copies ? Phase::Kind::Memory : Phase::Kind::Compute));
        CHECK(phases.list[i].from.value == near((round + (copies ? 0 : 10)) * kUs).margin(1e-12));
        CHECK(phases.list[i].to.value == near((round + (copies ? 8 : 30)) * kUs));
    }
    // At the rate of its phases computing takes 80 µs, plus what the other phases issue.
    const double computing = 80 + (32 * 0.06 + 8 * 0.01) / 0.6;
    CHECK(phases.hidden.value == near((120 - computing) * kUs));
    const Finding* finding = test::find(kernel, "alternating-phases");
    REQUIRE(finding);
    CHECK(finding->gain->value == near((120 - computing) * kUs));
    CHECK(finding->estimate);
    CHECK(test::unfilled(kernel) == "");
    CHECK_FALSE(test::find(kernel, "serial-tail"));
}

TEST_CASE("a long wait within a phase makes two of it, and no change") {
    SyntheticProfile p;
    auto trace = p.overTime(kernelOf(p, 130), 1);
    trace.intervals(10, kCopying).intervals(10, kWaiting);
    for (int i = 0; i < 3; ++i) trace.intervals(10, kCopying).intervals(20, kComputing);
    trace.intervals(20, kWaiting);
    const Phases phases = test::analyzeOne(p).overTime->phases.value();
    CHECK(phases.memoryCount == 4);
    CHECK(phases.computeCount == 3);
    CHECK(phases.changes == 5);
    CHECK(phases.memory.value == near(40 * kUs));
    REQUIRE(phases.list.size() == 7);
    CHECK(phases.list[0].to.value == near(10 * kUs));
    CHECK(phases.list[1].kind == Phase::Kind::Memory);
    CHECK(phases.list[1].from.value == near(20 * kUs));
}

TEST_CASE("phases of tensor cores are told as such") {
    SyntheticProfile p;
    auto trace = p.overTime(kernelOf(p, 80), 1);
    for (int i = 0; i < 4; ++i)
        trace.intervals(10, kCopying)
            .intervals(10, {.sms = 1, .dram = 0.02, .issue = 0.1, .tensor = 0.9});
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.overTime->phases);
    CHECK(kernel.overTime->phases->tensor);
    const Finding* finding = test::find(kernel, "alternating-phases");
    REQUIRE(finding);
    CHECK(std::ranges::find(finding->args, "busy", &Arg::name)->value == near(0.9));
}

TEST_CASE("what does not alternate has no phases") {
    const auto isOut = [](const SyntheticProfile& p) {
        const KernelAnalysis kernel = test::analyzeOne(p);
        REQUIRE(kernel.overTime);
        CHECK(kernel.overTime->lack == CurveProblem::None);
        CHECK_FALSE(kernel.overTime->phases);
        return test::isRuledOut(kernel, "alternating-phases");
    };
    SECTION("one phase") {
        SyntheticProfile p;
        p.overTime(kernelOf(p, 80), 2).intervals(40, kCopying);
        CHECK(isOut(p));
    }
    SECTION("reading first, then computing") { CHECK(isOut(alternating(1))); }
    SECTION("phases that are shorter than three intervals") {
        SyntheticProfile p;
        auto trace = p.overTime(kernelOf(p, 80), 1);
        trace.intervals(4, kCopying).intervals(4, kComputing);
        for (int i = 0; i < 18; ++i) trace.intervals(2, kCopying).intervals(2, kComputing);
        CHECK(isOut(p));
    }
    SECTION("both at once") {
        SyntheticProfile p;
        p.overTime(kernelOf(p, 80), 2).intervals(40, {.sms = 1, .dram = 0.6, .issue = 0.6});
        CHECK(isOut(p));
    }
    SECTION("levels that swing without one of them resting") {
        SyntheticProfile p;
        auto trace = p.overTime(kernelOf(p, 80), 1);
        for (int i = 0; i < 8; ++i)
            trace.intervals(5, {.sms = 1, .dram = 0.8, .issue = 0.3})
                .intervals(5, {.sms = 1, .dram = 0.4, .issue = 0.6});
        CHECK(isOut(p));
    }
    SECTION("nothing that is ever busy") {
        SyntheticProfile p;
        auto trace = p.overTime(kernelOf(p, 80), 1);
        for (int i = 0; i < 8; ++i)
            trace.intervals(5, {.sms = 1, .dram = 0.2, .issue = 0.01})
                .intervals(5, {.sms = 1, .dram = 0.01, .issue = 0.2});
        CHECK(isOut(p));
    }
}

TEST_CASE("a curve belongs to the group of its launch") {
    SyntheticProfile p;
    const auto first = kernelOf(p, 80);
    p.launch(0, {1, 1, 1}, {32, 1, 1}).counterDurationUs(5);
    auto trace = p.overTime(first, 2);
    trace.intervals(40, kCopying);
    const auto withCurve = [&p] {
        const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        REQUIRE(analysis.kernels.size() == 2);
        std::vector<bool> curves;
        for (const KernelAnalysis& kernel : analysis.kernels)
            curves.push_back(kernel.overTime != nullptr);
        return curves;
    };
    CHECK(withCurve() == std::vector<bool>{true, false});
    trace.trace().launch.reset();  // its group is unknown
    CHECK(withCurve() == std::vector<bool>{false, false});
}

TEST_CASE("recorded kernels did over their time what they said themselves") {
    // tests/gpu/phases_program.cu on an H200. Measured with the GPU's own clock, its tail took 98.5
    // µs and its phases 38.7, 105.5, 37.4, … µs.
    const Analysis analysis = test::analysisIn(
        ROOFSCOPE_SOURCE_DIR "/tests/data/over_time/h200_phases.roofscope.json.gz");
    const auto kernel = [&](const std::string& name) -> const KernelAnalysis& {
        const auto found = std::ranges::find_if(analysis.kernels, [&](const KernelAnalysis& k) {
            return k.fullName.find("::" + name + "(") != std::string::npos;
        });
        REQUIRE(found != analysis.kernels.end());
        REQUIRE(found->overTime);
        CHECK(found->overTime->lack == CurveProblem::None);
        return *found;
    };
    const KernelAnalysis& tail = kernel("tail");
    REQUIRE(tail.overTime->tail);
    CHECK(tail.overTime->tail->length.value == Approx(98.5 * kUs).margin(2 * kUs));
    CHECK(tail.overTime->tail->medianSms == Approx(1.0 / 132).epsilon(0.05));
    REQUIRE(test::find(tail, "serial-tail"));
    CHECK_FALSE(test::find(tail, "serial-tail")->minor);

    const KernelAnalysis& turns = kernel("alternating");
    REQUIRE(turns.overTime->phases);
    CHECK(turns.overTime->phases->memoryCount == 5);
    CHECK(turns.overTime->phases->computeCount == 5);
    CHECK(turns.overTime->phases->memory.value == Approx(188 * kUs).margin(30 * kUs));
    CHECK(turns.overTime->phases->compute.value == Approx(5 * 105.5 * kUs).margin(30 * kUs));
    REQUIRE(turns.overTime->phases->list.size() == 10);
    double sum = 0, before = 0;
    for (const Phase& phase : turns.overTime->phases->list) {
        CHECK(phase.from.value >= before);
        before = phase.to.value;
        const bool copies = phase.kind == Phase::Kind::Memory;
        sum += (phase.to - phase.from).value;
        CHECK((phase.to - phase.from).value == Approx((copies ? 38 : 105) * kUs).margin(10 * kUs));
    }
    CHECK(sum == near((turns.overTime->phases->memory + turns.overTime->phases->compute).value));
    REQUIRE(test::find(turns, "alternating-phases"));

    const KernelAnalysis& steady = kernel("steady");
    CHECK_FALSE(steady.overTime->phases);
    CHECK_FALSE(test::find(steady, "serial-tail"));
    CHECK(steady.overTime->steady.dram.value_or(0) > 0.8);
}
