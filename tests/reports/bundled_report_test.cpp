// SPDX-License-Identifier: Apache-2.0
// What the reports on bundled kernels, recorded on an H200, must say: what a specialist looks for,
// without fixing every word around it.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

/// Required parts of the hint report on a rung's slowest kernel.
struct MustSay {
    std::string_view rung;
    std::vector<std::string_view> parts;
};

const std::vector<MustSay> kMustSay{
    {"causal_linear_attention/low_occupancy",
     {"latency-bound", "redundant-read", "1.66 ms", "from 13.0 GB to ≤ 6.51 GB"}},
    {"causal_linear_attention/block_per_head",
     {"underfilled", "32 blocks on 132 SMs: 100 SMs have nothing to do", "from 32 to ≥ 132"}},
    {"gelu/unfused",
     {"near the DRAM roof", "unfused-chain", "only fewer bytes help", "Fuse the launches"}},
    {"gelu/fused_scalar", {"latency-bound", "global-narrow-access", "84.8 µs", "float4"}},
    {"gelu/fused_vec4", {"near the DRAM roof", "Stop here"}},
    {"lightning_attention_decode/naive",
     {"memory-bound at L2", "global-uncoalesced", "threadIdx.x the index",
      "bytes and operations that stay"}},
    {"lightning_attention_decode/shared_conflict",
     {"shared-bank-conflict", "Bound from the DRAM bytes and operations that stay: at most 753 µs",
      "global-uncoalesced"}},
    {"lightning_attention_decode/coalesced",
     {"DRAM at 48 %", "global-narrow-access", "79.3 µs (52.4 %, 2.10×)"}},
    {"matmul/naive", {"L1 data pipe at 98 %", "global-uncoalesced", "from 70.9 G to"}},
    {"matmul/tiled_shared",
     {"Shared pipe at 89 %", "FMA loop bound by shared-memory bandwidth", "17.7 ms"}},
    {"matmul/register_tiled_vec4", {"missing-tensor-core", "FP32 pipe at 65 %", "bf16", "TF32"}},
    {"merge_attn_states/scalar16", {"global-narrow-access", "485 µs", "from 22 M to ≤ 1.65 M"}},
    {"patterns/atomic_contention",
     {"latency-bound", "confidence low", "the counter group \"atomics\" would tell"}},
    {"patterns/spill", {"local-memory-spill", "Make every array index a constant"}},
    {"patterns/transpose_unpadded",
     {"near the shared pipe roof", "at least 32-way", "93.9 %", "94.3 % busy", "Pad the row",
      "from 67.1 M to ≤ 2.1 M"}},
    {"patterns/partial_wave", {"wave-tail", "from 60 % to 100 %"}},
    {"patterns/divergent_branch",
     {"Instruction issue at 98 %", "idle-lanes", "from 13.1 % to 100 %"}},
    {"patterns/ffma", {"FP32 pipe at 94 %: only fewer operations help", "Stop here"}},
    {"patterns/copy_16b", {"DRAM at 87 %", "98 % of the attainable", "Stop here"}},
    {"patterns/empty", {"underfilled", "as short as the launch of an empty kernel"}},
    {"rope/tables", {"unfused-chain", "chain of 4 launches", "DRAM at 88 %"}},
    {"softmax/block_per_row_shared",
     {"confidence low", "shared-bank-conflict", "from 13.6 M to ≤ 3.41 M"}},
};

}  // namespace

TEST_CASE("reports of bundled kernels say what a specialist looks for") {
    const Analysis& analysis = test::recorded("h200_bundled");
    for (const MustSay& must : kMustSay) {
        const auto kernel = std::ranges::find_if(analysis.kernels, [&](const KernelAnalysis& k) {
            return k.range.starts_with(std::string(must.rung) + "/");
        });
        INFO(must.rung);
        REQUIRE(kernel != analysis.kernels.end());
        const std::string report = renderKernelHints(
            analysis, static_cast<std::size_t>(kernel - analysis.kernels.begin()), {});
        INFO(report);
        for (const std::string_view part : must.parts) {
            INFO("must say: " << part);
            CHECK(report.find(part) != report.npos);
        }
    }
}

TEST_CASE("only kernels at their roof get the advice to stop") {
    const Analysis& analysis = test::recorded("h200_bundled");
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        const std::string report = renderKernelHints(analysis, i, {});
        const bool stops = report.find("**Stop here:**") != report.npos;
        const bool hasFinding = std::ranges::any_of(
            kernel.findings, [](const Finding& finding) { return !finding.minor; });
        INFO(report);
        if (stops) CHECK_FALSE(hasFinding);
        if (stops && kernel.verdict.speedupBound.has()) CHECK(*kernel.verdict.speedupBound <= 1.10);
    }
}
