// SPDX-License-Identifier: Apache-2.0
// What was promised of the bundled ladders on an H200, held to what their next rungs reached: an
// "at most" is never beaten.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

/// Rungs of one operator on one case, slowest first; all later ones solve the same problem.
const std::vector<std::vector<const char*>> kLadders{
    {"causal_linear_attention/low_occupancy/", "causal_linear_attention/auto/"},
    {"gelu/unfused/", "gelu/fused_scalar/", "gelu/fused_vec4/"},
    {"gelu/bias_unfused/", "gelu/bias_fused/"},
    {"lightning_attention_decode/naive/", "lightning_attention_decode/shared_conflict/",
     "lightning_attention_decode/shared_padded/", "lightning_attention_decode/coalesced/",
     "lightning_attention_decode/warp_per_row_vec4/", "lightning_attention_decode/split_heads/"},
    // Tensor cores multiply 16-bit numbers: of the others only the last is told to use them.
    {"matmul/naive/", "matmul/tiled_shared/", "matmul/register_tiled_vec4/"},
    {"matmul/register_tiled_vec4/", "matmul/tensor_core/"},
    {"merge_attn_states/scalar16/", "merge_attn_states/vec16B/"},
    {"patterns/copy_1b/", "patterns/copy_2b/", "patterns/copy_4b/", "patterns/copy_8b/",
     "patterns/copy_16b/", "patterns/tma_copy/"},
    {"patterns/transpose_unpadded/", "patterns/transpose_padded/"},
    {"rope/tables/", "rope/fused_scalar/", "rope/fused_vec4/"},
    {"softmax/unfused/", "softmax/block_per_row_shared/", "softmax/block_shuffle/",
     "softmax/online_vec4/"},
};

/// One run of a rung: all its kernels.
struct Rung {
    double time = 0, joint = 0, first = 0;  ///< seconds
    std::string fault;                      ///< of the largest gain
    bool estimate = false;
};

Rung rungOf(const char* prefix) {
    Rung rung;
    std::size_t runs = 0;
    std::map<std::string, double> gains;
    for (const KernelAnalysis& kernel : test::recorded("h200_bundled").kernels) {
        if (!kernel.range.starts_with(prefix)) continue;
        const DurationStats& duration = kernel.quantities.duration;
        runs = std::max(runs, kernel.group.launches.size());
        rung.time += duration.median.value;
        REQUIRE(kernel.jointGain.has());
        rung.joint += kernel.jointGain->value;
        for (const Finding& finding : kernel.findings) {
            if (!finding.gain.has()) continue;
            double& sum = gains[finding.ruleId];
            sum += finding.gain->value;
            if (sum <= rung.first) continue;
            rung.first = sum;
            rung.fault = finding.ruleId;
            rung.estimate = finding.estimate;
        }
    }
    CAPTURE(prefix);
    REQUIRE(runs > 0);
    return rung;
}

}  // namespace

TEST_CASE("no later rung of a ladder beats the joint bound of an earlier one") {
    // Between two runs clocks and refreshes differ by as much.
    constexpr double kNoise = 0.02;
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]);
            for (std::size_t j = i + 1; j < ladder.size(); ++j) {
                const Rung to = rungOf(ladder[j]);
                CAPTURE(ladder[i], ladder[j], from.fault, from.time * 1e6, to.time * 1e6,
                        from.joint * 1e6);
                CHECK(from.time - to.time <= from.joint + kNoise * from.time);
            }
        }
}

TEST_CASE("what a finding calls a bound is not beaten by the rung that mends it") {
    constexpr double kNoise = 0.02;
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]), next = rungOf(ladder[i + 1]);
            if (from.fault.empty() || from.estimate) continue;
            CAPTURE(ladder[i], ladder[i + 1], from.fault, from.time * 1e6, next.time * 1e6);
            CHECK(from.time - next.time <= from.first + kNoise * from.time);
        }
}

TEST_CASE("the table of bounds of the ladders", "[.][table]") {
    std::printf(
        "| rung | µs | first fault | bound µs | next reached µs | best later µs | joint µs "
        "|\n|---|---|---|---|---|---|---|\n");
    for (const auto& ladder : kLadders)
        for (std::size_t i = 0; i + 1 < ladder.size(); ++i) {
            const Rung from = rungOf(ladder[i]);
            double best = 0;
            for (std::size_t j = i + 1; j < ladder.size(); ++j)
                best = std::max(best, from.time - rungOf(ladder[j]).time);
            std::printf("| %s | %.1f | %s%s | %.1f | %.1f | %.1f | %.1f |\n", ladder[i],
                        from.time * 1e6, from.fault.c_str(), from.estimate ? " (estimate)" : "",
                        from.first * 1e6, (from.time - rungOf(ladder[i + 1]).time) * 1e6,
                        best * 1e6, from.joint * 1e6);
        }
}
