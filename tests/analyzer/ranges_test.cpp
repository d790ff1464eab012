// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranges/ranges.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;

namespace {

/// An occurrence of a range on a synthetic H200: a row of Profile::rangeMeasurements with counters.
struct Occurrence {
    std::string path;
    std::optional<double> milliseconds;         ///< unprofiled
    std::optional<double> counterMilliseconds;  ///< of the counter run; if set, 1 GB was read
    std::optional<std::uint64_t> launches = 2;
    std::optional<double> busyMilliseconds = {};
};

Profile profileOf(const std::vector<Occurrence>& occurrences) {
    test::SyntheticProfile p;
    Profile& profile = p.profile();
    for (const Occurrence& o : occurrences) {
        const auto known = std::ranges::find(profile.ranges, o.path);
        const auto range = static_cast<std::uint32_t>(known - profile.ranges.begin());
        if (known == profile.ranges.end()) profile.ranges.push_back(o.path);
        RangeMeasurement m{.range = range, .launches = o.launches};
        if (o.milliseconds) m.duration = Seconds{*o.milliseconds / 1e3};
        if (o.busyMilliseconds) m.busy = Seconds{*o.busyMilliseconds / 1e3};
        const std::size_t row = profile.rangeMeasurements.size();
        profile.rangeMeasurements.push_back(m);
        profile.rangeCounters.resize(row + 1);
        if (!o.counterMilliseconds) continue;
        profile.rangeCounters.set("gpu__time_duration.sum", row, *o.counterMilliseconds * 1e6);
        profile.rangeCounters.set("dram__bytes_read.sum", row, 1e9);
        profile.rangeCounters.set("dram__bytes_write.sum", row, 0);
        profile.rangeCounters.set("dram__cycles_elapsed.avg.per_second", row,
                                  test::SyntheticProfile::kDramClockHz);
        profile.rangeCounters.set("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                                  row, 10);
    }
    return p.build();
}

std::vector<RangeAnalysis> rangesOf(const std::vector<Occurrence>& occurrences) {
    static const auto chip = chipTable("GH100");
    REQUIRE(chip);
    return analyzeRanges(
        profileOf(occurrences), [](std::uint32_t) { return &*chip; }, Convention::Roofscope);
}

}  // namespace

TEST_CASE("ratios over the occurrences of a range are ratios of sums") {
    const auto ranges = rangesOf({{"decode", 1.0, 1.2}, {"decode", 3.0, 2.8}});
    REQUIRE(ranges.size() == 1);
    const RangeAnalysis& r = ranges[0];
    CHECK(r.occurrences == 2);
    CHECK(r.counted == 2);
    CHECK(r.duration.unprofiled());
    CHECK(r.duration.median.value == Approx(2e-3));
    const Quantities& q = r.quantities;
    REQUIRE(q.bytes[Level::Dram].has());
    CHECK(q.bytes[Level::Dram]->value == Approx(1e9));  // per occurrence
    REQUIRE(q.bandwidth[Level::Dram].has());
    CHECK(q.bandwidth[Level::Dram]->value == Approx(2e9 / 4e-3));
    REQUIRE(q.utilisation[Level::Dram].has());
    CHECK(q.utilisation[Level::Dram]->value == Approx(2e9 / (1504 * 3.2e9 * 4e-3)));
    CHECK(r.slow == 0);
    CHECK_FALSE(r.busy.has());
}

TEST_CASE("shares of a range are of the time that is shown, as its rates are") {
    // The range took twice as long while counters were read.
    const auto ranges = rangesOf({{"decode", 1.0, 2.0, 2, 0.25}, {"decode", 3.0, 6.0, 2, 0.75}});
    REQUIRE(ranges.size() == 1);
    const Quantities& q = ranges[0].quantities;
    CHECK(q.bandwidth[Level::Dram]->value == Approx(2e9 / 4e-3));
    CHECK(q.utilisation[Level::Dram]->value == Approx(2e9 / (1504 * 3.2e9 * 4e-3)));
    REQUIRE(q.tensorUtilisation.has());
    CHECK(q.tensorUtilisation->value == Approx(0.2));
    CHECK(q.counterDuration->value == Approx(4e-3));
    REQUIRE(ranges[0].busy.has());
    CHECK(ranges[0].busy->value == Approx(0.25));
}

TEST_CASE("an occurrence that loads code is in the total, and not in the median and the rates") {
    const auto ranges = rangesOf({{"decode", 60.0, 120.0, 2, 0.5},
                                  {"decode", 1.0, 1.0, 2, 0.5},
                                  {"decode", 1.0, 1.0, 2, 0.5}});
    REQUIRE(ranges.size() == 1);
    const RangeAnalysis& r = ranges[0];
    CHECK(r.duration.max.value == Approx(60e-3));
    CHECK(r.counted == 3);
    CHECK(r.slow == 1);
    CHECK(r.quantities.bandwidth[Level::Dram]->value == Approx(1e12));
    CHECK(r.busy->value == Approx(0.5));
    // Nor is it in the median, which it would move if there are few occurrences.
    CHECK(rangesOf({{"decode", 60.0, 60.0}, {"decode", 1.0, 1.0}, {"decode", 2.0, 2.0}})[0]
              .duration.median.value == Approx(1.5e-3));
    // No kernel runs longer than its range.
    CHECK_FALSE(rangesOf({{"decode", 1.0, 1.0, 2, 2.0}})[0].busy.has());
    // If no other occurrence was counted, it is better than nothing.
    const auto only = rangesOf({{"decode", 60.0, 60.0}, {"decode", 1.0, {}}, {"decode", 1.0, {}}});
    CHECK(only[0].counted == 1);
    CHECK(only[0].slow == 0);
    CHECK(only[0].quantities.bandwidth[Level::Dram]->value == Approx(1e9 / 60e-3));
}

TEST_CASE("leaving out slow occurrences moves the median until no more are slow") {
    // 4.047 is less than twice the median of all four, but 2.8 times that of the last two.
    const auto ranges = rangesOf({{"head", 244.62, 240.0, 3, 1.0},
                                  {"head", 4.047, 5.0, 3, 0.9},
                                  {"head", 1.437, 2.0, 3, 0.882},
                                  {"head", 1.290, 2.0, 3, 0.881}});
    const RangeAnalysis& r = ranges.at(0);
    CHECK(r.slow == 2);
    CHECK(r.counted == 4);
    CHECK(r.duration.count == 4);
    CHECK(r.duration.median.value == Approx(1363.5e-6));
    // Bytes by mean time is the rate; busy time by mean time is the busy share.
    REQUIRE(meanTime(r).has());
    CHECK(meanTime(r)->value == Approx(1363.5e-6));
    CHECK(r.quantities.bandwidth[Level::Dram]->value ==
          Approx(r.quantities.bytes[Level::Dram]->value / meanTime(r)->value));
    CHECK(r.busy->value == Approx(176.3 / 272.7));
    // If two kinds of occurrence are both common, both stand for the range.
    CHECK(rangesOf({{"a", 1.0, 1.0}, {"a", 1.0, 1.0}, {"a", 4.0, 4.0}, {"a", 4.0, 4.0}})[0].slow ==
          0);
}

TEST_CASE("time, bytes and busy share of a range are of the same occurrences") {
    // Occurrences without counters take twice as long and are busy for less of the time.
    const auto ranges = rangesOf(
        {{"decode", 1.0, 1.0, 2, 0.9}, {"decode", 2.0, {}, 2, 0.1}, {"decode", 2.0, {}, 2, 0.1}});
    const RangeAnalysis& r = ranges.at(0);
    CHECK(r.duration.median.value == Approx(2e-3));
    CHECK(meanTime(r)->value == Approx(1e-3));
    CHECK(r.busy->value == Approx(0.9));
    CHECK(r.quantities.bandwidth[Level::Dram]->value == Approx(1e12));
    // Without counters all occurrences count that are not slow.
    const auto timed = rangesOf({{"a", 1.0, {}, 2, 0.5}, {"a", 2.0, {}, 2, 0.5}, {"a", 9.0, {}}});
    CHECK(timed[0].slow == 1);
    CHECK(meanTime(timed[0])->value == Approx(1.5e-3));
    CHECK(timed[0].busy->value == Approx(1.0 / 3));
    CHECK_FALSE(meanTime(rangesOf({{"a", {}, {}}})[0]).has());
}

TEST_CASE("occurrences without counters count for the time and for nothing else") {
    const auto ranges = rangesOf({{"decode", 1.0, 1.0}, {"decode", 1.0, {}}, {"decode", 7.0, {}}});
    REQUIRE(ranges.size() == 1);
    CHECK(ranges[0].occurrences == 3);
    CHECK(ranges[0].counted == 1);
    CHECK(ranges[0].duration.count == 3);
    CHECK(ranges[0].quantities.bandwidth[Level::Dram]->value == Approx(1e12));
    CHECK_FALSE(
        ranges[0].quantities.pipeUtilisation[Precision::Fp64].has());  // not measured, not 0
}

TEST_CASE("without a timing run's duration the counter run's is taken, never both") {
    const auto ranges = rangesOf({{"decode", 1.0, 2.0}, {"decode", {}, 4.0}});
    REQUIRE(ranges.size() == 1);
    CHECK_FALSE(ranges[0].duration.unprofiled());
    CHECK(ranges[0].duration.median.value == Approx(3e-3));
    CHECK(ranges[0].quantities.bandwidth[Level::Dram]->value == Approx(2e9 / 6e-3));
}

TEST_CASE("ranges without any counter, of unknown launches; the longest comes first") {
    const auto ranges =
        rangesOf({{"short", 1.0, {}, 5}, {"long", 5.0, {}, {}}, {"short", 1.0, {}, 7}});
    REQUIRE(ranges.size() == 2);
    CHECK(ranges[0].name == "long");
    CHECK_FALSE(ranges[0].mostLaunches);
    CHECK(ranges[0].counted == 0);
    CHECK_FALSE(ranges[0].quantities.bytes[Level::Dram].has());
    CHECK(ranges[1].fewestLaunches == 5U);
    CHECK(ranges[1].mostLaunches == 7U);
    CHECK(rangesOf({}).empty());
}
