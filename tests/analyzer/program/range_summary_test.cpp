// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/range_summary.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::SyntheticProgram;

namespace {

const RangeSummary& named(const std::vector<RangeSummary>& all, const Profile& profile,
                          const std::string& path) {
    for (const RangeSummary& one : all)
        if (profile.ranges[one.range] == path) return one;
    FAIL("no range " << path);
    return all.front();
}

}  // namespace

TEST_CASE("ranges are summed over their occurrences, most time first") {
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) {
        p.push("step");
        // The GPU waits for 300 us of host work between two kernels.
        p.launch("gemm", 500).sync().work(300).launch("add", 100).sync();
        p.push("log").work(i == 3 ? 90 : 50).pop();
        p.pop();
    }
    const Profile profile = p.build();
    const std::vector<RangeSummary> all = summarizeRanges(profile);
    REQUIRE(all.size() == 2);
    const RangeSummary& step = all[0];
    CHECK(profile.ranges[step.range] == "step");
    CHECK(step.count == 4);
    CHECK(step.onGpu == 4);
    CHECK(step.gpu.value == Approx(4 * 600e-6));
    // From the end of one kernel to the start of the next.
    const double gap = SyntheticProgram::kWaitReturn + 300 + SyntheticProgram::kLaunchCall;
    CHECK(step.idle.value >= 4 * (gap - SyntheticProgram::kLaunchCall) * 1e-6);
    CHECK(step.idle.value <= 4 * (gap + SyntheticProgram::kLatency) * 1e-6);
    CHECK(step.mean().value == Approx(step.total.value / 4));
    CHECK(step.total.value > step.gpu.value + step.idle.value);

    const RangeSummary& log = named(all, profile, "step > log");
    CHECK(log.count == 4);
    CHECK(log.total.value == Approx(240e-6));
    CHECK(log.median.value == Approx(50e-6));
    CHECK(log.shortest.value == Approx(50e-6));
    CHECK(log.longest.value == Approx(90e-6));
    CHECK(log.longestAt.length() == 90'000);
    // It issued no GPU work: it has no GPU time, which is not the same as an idle GPU.
    CHECK(log.onGpu == 0);
    CHECK(log.idle.value == 0);
}

TEST_CASE("kernels that overlap count once as GPU time, and without ranges there is no summary") {
    SyntheticProgram p;
    p.push("step").launch("one", 500).launch("two", 500).sync().pop();
    Profile profile = p.build();
    Launch& second = profile.launches[1];
    second.start = *profile.launches[0].start + Seconds{250e-6};
    profile.timeline.ranges[0].gpu->end = profile.timeline.ranges[0].gpu->start + 750'000;
    const std::vector<RangeSummary> all = summarizeRanges(profile);
    REQUIRE(all.size() == 1);
    CHECK(all[0].gpu.value == Approx(750e-6));
    CHECK(all[0].idle.value == Approx(0).margin(1e-9));
    profile.timeline.ranges.clear();
    CHECK(summarizeRanges(profile).empty());
}
