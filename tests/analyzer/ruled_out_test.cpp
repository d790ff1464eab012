// SPDX-License-Identifier: Apache-2.0
// "Ruled out" means that the fault costs less than 3 % of the time.
#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

TEST_CASE("no recorded kernel has a fault ruled out that costs 3 % or more") {
    std::size_t seen = 0;
    for (const char* file : {"h200_bundled", "h200_compare", "h200_torch_chain", "h200_source"})
        for (const KernelAnalysis& kernel : recorded(file).kernels)
            for (const RuledOut& out : kernel.ruledOut) {
                CAPTURE(file, kernel.fullName, out.ruleId);
                ++seen;
                CHECK(out.cost < rules::kMinorShare);
                CHECK(out.cost >= 0);
            }
    CHECK(seen > 50);
}

TEST_CASE("few small blocks for all SMs do not rule the grid out") {
    for (const std::uint32_t blocks : {512u, 2112u}) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "small(float*)", {blocks, 1, 1}, {64, 1, 1}, 50);
        launch.set(kIssueActive, 20);
        const auto kernel = analyzeOne(p);
        REQUIRE(kernel.quantities.occupancy.waves.has());
        const double waves = *kernel.quantities.occupancy.waves;
        CAPTURE(blocks, waves);
        CHECK(isRuledOut(kernel, "grid-too-small") == (waves >= 1.0));
    }
}

TEST_CASE("instruction issue above 60 % leaves access width undecided") {
    SyntheticProfile p(testDevice());
    copy(p, "narrow(float*)", 268435456, 4, 250).set(kIssueActive, 65);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, "global-narrow-access"));
    CHECK_FALSE(isRuledOut(kernel, "global-narrow-access"));

    SyntheticProfile wide(testDevice());
    copy(wide, "wide(float4*)", 268435456, 16, 250);
    CHECK(isRuledOut(analyzeOne(wide), "global-narrow-access"));
}

TEST_CASE("a verdict that atomics may change is of low confidence until they are counted") {
    SyntheticProfile p(testDevice());
    auto launch = idle(p, "histogram(int*)", {2112, 1, 1}, {256, 1, 1}, 100);
    launch.set("smsp__sass_inst_executed_op_global.sum", 1e6).set(kGlobalLoads, 5e5);
    const auto kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, "atomic-contention");
    REQUIRE(cannot);
    CHECK(cannot->groups == std::vector{CounterGroup::Atomics});
    CHECK(kernel.verdict.confidence == Confidence::Low);
    CHECK(kernel.verdict.reason.undecided == std::vector<SharedText>{"atomic-contention"});
}

TEST_CASE("HFMA2 on the tensor pipe is not taken for tensor cores") {
    for (const KernelAnalysis& kernel : recorded("h200_bundled").kernels) {
        if (!kernel.range.starts_with("patterns/hfma2/")) continue;
        for (const RuledOut& out : kernel.ruledOut)
            if (out.ruleId == "missing-tensor-core")
                for (const Arg& arg : out.args)
                    CHECK(arg.text.in(Language::En).find("in use") == std::string::npos);
    }
}
