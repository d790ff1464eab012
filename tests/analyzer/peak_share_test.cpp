// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/peak_share.h"

#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

Derived<Ratio> share(const Analysis& a, const KernelAnalysis& k, const char* counter) {
    static const ChipTable chip = chipTable("GH100").value();
    return peakShare(*a.profile, &chip, k.group.device, k.group.launches, counter);
}

}  // namespace

TEST_CASE("recorded: shares of peak of single counters add up to the utilisation of their unit") {
    const Analysis& a = test::recorded("h200_bundled");
    for (const KernelAnalysis& k : a.kernels) {
        INFO(k.range);
        const Quantities& q = k.quantities;
        const auto read = share(a, k, "dram__bytes_read.sum");
        const auto write = share(a, k, "dram__bytes_write.sum");
        REQUIRE((read.has() && write.has()));
        CHECK(read->value + write->value == Approx(q.utilisation[Level::Dram]->value));
        CHECK(share(a, k, "l1tex__data_pipe_lsu_wavefronts.sum")->value ==
              Approx(q.sharedPipeUtilisation->value).epsilon(0.02).margin(0.001));
        CHECK(
            share(a, k, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed")->value ==
            Approx(q.tensorUtilisation->value));
        const auto fused = share(a, k, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
        REQUIRE(fused.has());
        CHECK(fused->value <= q.pipeUtilisation[Precision::Fp32]->value * (1 + 1e-9));
        CHECK_FALSE(share(a, k, "smsp__inst_executed.sum").has());  // no peak is recorded for it
        CHECK(share(a, k, "smsp__inst_executed.sum").notApplicable());
    }
}

TEST_CASE("a share of peak is missing, not 0, without the counter or the clock") {
    Profile p = test::sample("h200_bundled");
    const ChipTable chip = chipTable("GH100").value();
    const std::vector<std::uint32_t> first{0};
    CHECK_FALSE(peakShare(p, &chip, 0, first, "dram__bytes_read_of_nothing.sum").has());
    CHECK_FALSE(peakShare(p, nullptr, 0, first, "dram__bytes_read.sum").has());
    p.devices[0].peaks.clear();
    CHECK_FALSE(peakShare(p, &chip, 0, first, "dram__bytes_read.sum").has());
}
