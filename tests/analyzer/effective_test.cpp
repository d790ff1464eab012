// SPDX-License-Identifier: Apache-2.0
// What follows from declared bytes and from observed clocks.
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// Two launches of 1 ms and 3 ms that must each move 4 GB, without counters.
SyntheticProfile declared(Device device) {
    SyntheticProfile p(std::move(device));
    const auto k = p.kernel("copy");
    for (const double milliseconds : {1.0, 3.0})
        p.launch(k, {1320, 1, 1}, {256, 1, 1})
            .durationUs(1e3 * milliseconds)
            .launch()
            .declaredBytes = 4'000'000'000;
    return p;
}

std::vector<Words> notesOf(std::optional<ObservedClocks> observed) {
    SyntheticProfile p;
    p.profile().devices[0].observed = std::move(observed);
    return analyze(std::make_shared<const Profile>(p.build())).notes;
}

}  // namespace

TEST_CASE("declared bytes per duration: a ratio of sums, apart from what was measured") {
    Device device = SyntheticProfile::h200();
    auto p = declared(device);
    const Quantities q = analyzeOne(p).quantities;
    CHECK(q.declaredBytes->value == 4e9);
    CHECK(q.effectiveBandwidth->value == Approx(8e9 / 4e-3));  // 2 TB/s, not the mean of 4 and 1.33
    // 1504 B per cycle at 3.201 GHz.
    CHECK(q.effectiveShare->value == Approx(2e12 / (1504 * 3.201e9)));
    CHECK_FALSE(q.effectiveRoofMeasured);
    CHECK_FALSE(q.bandwidth[Level::Dram].has());
    CHECK_FALSE(q.bytes[Level::Dram].has());
    CHECK_FALSE(q.utilisation[Level::Dram].has());
    device.ceilings.push_back(
        {.name = "dram_copy", .kind = Ceiling::Kind::Bandwidth, .burst = 4e12, .method = ""});
    auto measured = declared(device);
    const Quantities m = analyzeOne(measured).quantities;
    CHECK(m.effectiveRoofMeasured);
    CHECK(m.effectiveShare->value == Approx(0.5));
}

TEST_CASE("launches without declared bytes or without a duration take no part") {
    auto p = declared(SyntheticProfile::h200());
    p.launch(0, {1320, 1, 1}, {256, 1, 1}).durationUs(1e6);  // no declared bytes
    p.launch(0, {1320, 1, 1}, {256, 1, 1})
        .durationUs(0)  // a failed measurement
        .launch()
        .declaredBytes = 4'000'000'000;
    CHECK(analyzeOne(p).quantities.effectiveBandwidth->value == Approx(2e12));
    // Without counters, if one launch is untimed, no duration is shown either.
    p.launch(0, {1320, 1, 1}, {256, 1, 1}).launch().declaredBytes = 4'000'000'000;
    const Quantities untimed = analyzeOne(p).quantities;
    CHECK(untimed.declaredBytes->value == 4e9);
    CHECK_FALSE(untimed.effectiveBandwidth.has());
    CHECK(untimed.effectiveBandwidth.missing == "duration");
    SyntheticProfile none;
    none.launch(none.kernel("k"), {1, 1, 1}, {32, 1, 1}).durationUs(10);
    const Quantities n = analyzeOne(none).quantities;
    CHECK_FALSE(n.declaredBytes.has());
    CHECK_FALSE(n.effectiveBandwidth.has());
    CHECK_FALSE(n.effectiveShare.has());
    CHECK(n.effectiveBandwidth.notApplicable());  // it is not a counter that is missing
}

TEST_CASE("without any roof the bandwidth is there and its share is not") {
    Device device = SyntheticProfile::h200();
    device.peaks.clear();
    auto p = declared(device);
    const Quantities q = analyzeOne(p).quantities;
    CHECK(q.effectiveBandwidth.has());
    CHECK_FALSE(q.effectiveShare.has());
    CHECK_FALSE(q.effectiveShare.missing.empty());
}

TEST_CASE("clocks that were throttled are noted, with how often; others are not") {
    const std::size_t usual = notesOf({}).size();
    ObservedClocks seen{
        .samples = 40, .smLowest = Hertz{1.2e9}, .smHighest = Hertz{1.98e9}, .throttledSamples = 0};
    CHECK(notesOf(seen).size() == usual);
    seen.throttledSamples.reset();  // not known
    CHECK(notesOf(seen).size() == usual);
    seen.throttledSamples = 3;
    seen.throttledBy = {"power cap", "thermal slowdown"};
    const auto notes = notesOf(seen);
    REQUIRE(notes.size() == usual + 1);
    const auto is = [](const std::string& text) {
        return [text](const Words& note) {
            return note.in(Language::En) == text && !note.in(test::kZh).empty();
        };
    };
    CHECK(std::any_of(notes.begin(), notes.end(),
                      is("NVIDIA H200: clocks were throttled during the timing run: power cap, "
                         "thermal slowdown (3 of 40 samples; SM clock 1200–1980 MHz)")));
}
