// SPDX-License-Identifier: Apache-2.0
// Synthetic: there is no recording of a GPU with tensor memory.
#include "analyzer/quantities/tensor_memory.h"

#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

std::optional<TensorMemoryUse> useOf(const SyntheticProfile& p) {
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    return tensorMemoryUse(*analysis.profile, analysis.kernels.front().group);
}

}  // namespace

TEST_CASE("use of tensor memory is a mean over launches, and missing is missing") {
    SyntheticProfile p;
    const auto kernel = p.kernel("gemm(bf16*)");
    for (const double scale : {1.0, 3.0})
        p.launch(kernel, {148, 1, 1}, {192, 1, 1})
            .set("sm__inst_executed_pipe_tc.sum", 1000 * scale)
            .set("sm__inst_executed_pipe_tc_scope_2cta.sum", 400 * scale)
            .set("sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 30 * scale)
            .set("sm__mem_tensor_reads.sum", 5000)
            .set("l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_b_scope_1cta.sum", 7)
            .set("l1tex__data_pipe_tc_wavefronts_mem_shared_op_utcmma_matrix_b_scope_2cta.sum", 4)
            .counterDurationUs(10);
    const auto use = useOf(p);
    REQUIRE(use);
    CHECK(use->instructions == Approx(2000));
    CHECK(use->ofPairs == Approx(800));
    CHECK(use->active->value == Approx(0.6));
    CHECK(*use->reads == Approx(5000));
    CHECK(*use->operandsB == Approx(11));
    CHECK_FALSE(use->operandsA.has());
    CHECK_FALSE(use->writes.has());
    CHECK(use->writes.missing == "sm__mem_tensor_writes.sum");
}

TEST_CASE("without its counters nothing is said of tensor memory") {
    SyntheticProfile p;
    p.launch(p.kernel("k()"), {148, 1, 1}, {192, 1, 1}).counterDurationUs(10);
    CHECK_FALSE(useOf(p));
}
