// SPDX-License-Identifier: Apache-2.0
// Synthetic: there is no recording of a GPU with tensor memory.
#include "reports/quantities/tensor_memory_words.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/text.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

SyntheticProfile::LaunchRef product(SyntheticProfile& p) {
    return idleLaunch(p, "gemm(bf16*)", {148, 1, 1}, {192, 1, 1}, 100)
        .set("sm__inst_executed_pipe_tc_scope_2cta.sum", 512)
        .set("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 40);
}

std::string words(const SyntheticProfile& p, Language language) {
    const Analysis analysis = analysisOf(p);
    return tensorMemoryWords(*analysis.profile, analysis.kernels.front(), language);
}

}  // namespace

TEST_CASE("the use of tcgen05 and tensor memory is told as far as it was counted") {
    SyntheticProfile p;
    product(p)
        .set("sm__inst_executed_pipe_tc.sum", 1024)
        .set("sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 43)
        .set("sm__mem_tensor_reads.sum", 8192)
        .set("sm__mem_tensor_reads_op_ldt.sum", 2048)
        .set("sm__mem_tensor_reads_op_utcmma_matrix_c.sum", 6144)
        .set("sm__mem_tensor_writes.sum", 4096)
        .set("sm__mem_tensor_writes_op_stt.sum", 0);
    CHECK(words(p, Language::En) ==
          "tcgen05: 1,024 instructions, 50 % of them for block pairs; tensor memory active 43 % "
          "of the time; 8,192 reads (of accumulators 6,144, tcgen05.ld 2,048); 4,096 writes.");
    CHECK(contains(words(p, test::kZh), "张量内存活动占时间的 43 %"));
    CHECK(contains(renderReport(analysisOf(p), ReportFormat::Markdown, {}).value(),
                   "tcgen05: 1,024 instructions"));
}

TEST_CASE("tensor cores that are busy without tcgen05 are told, idle ones are not") {
    SyntheticProfile p;
    auto launch = product(p).set("sm__inst_executed_pipe_tc.sum", 0);
    CHECK(contains(words(p, Language::En), "issued as mma.sync"));
    launch.set("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 0);
    CHECK(words(p, Language::En).empty());
    SyntheticProfile none;
    product(none);  // not counted
    CHECK(words(none, Language::En).empty());
}
