// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/ladders.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/samples.h"

namespace roofscope::test {

const std::vector<std::vector<const char*>>& ladders() {
    static const std::vector<std::vector<const char*>> kLadders{
        {"causal_linear_attention/low_occupancy/", "causal_linear_attention/auto/"},
        {"gelu/unfused/", "gelu/fused_scalar/", "gelu/fused_vec4/"},
        {"gelu/bias_unfused/", "gelu/bias_fused/"},
        {"lightning_attention_decode/naive/", "lightning_attention_decode/shared_conflict/",
         "lightning_attention_decode/shared_padded/", "lightning_attention_decode/coalesced/",
         "lightning_attention_decode/warp_per_row_vec4/",
         "lightning_attention_decode/split_heads/"},
        // Tensor cores multiply 16-bit numbers: among the earlier rungs only the last is told to
        // use them.
        {"matmul/naive/", "matmul/tiled_shared/", "matmul/register_tiled_vec4/"},
        {"matmul/register_tiled_vec4/", "matmul/tensor_core/", "h200_compare:compare/matmul/triton",
         "h200_compare:compare/matmul/eager"},
        {"h200_tensor:matmul/tensor_core/", "h200_compare:compare/matmul/triton",
         "h200_compare:compare/matmul/eager"},
        {"matmul/tiled_shared/", "matmul/tensor_core/"},
        // Chains of PyTorch kernels, and single kernels that replace them.
        {"h200_compare:compare/bias_gelu/eager", "h200_compare:compare/bias_gelu/compiled",
         "h200_compare:compare/bias_gelu/triton", "h200_compare:compare/bias_gelu/gelu/bias_fused"},
        // Triton and the bundled kernel multiply in blocks, which avoids most of the operations.
        {"h200_compare:compare/causal_linear_attention/eager",
         "h200_compare:compare/causal_linear_attention/compiled"},
        {"h200_compare:compare/lightning_attention_decode/eager",
         "h200_compare:compare/lightning_attention_decode/compiled",
         "h200_compare:compare/lightning_attention_decode/triton",
         "h200_compare:compare/lightning_attention_decode/lightning_attention_decode/split_heads"},
        {"h200_compare:compare/merge_attn_states/eager",
         "h200_compare:compare/merge_attn_states/compiled",
         "h200_compare:compare/merge_attn_states/merge_attn_states/vec16B",
         "h200_compare:compare/merge_attn_states/triton"},
        {"h200_compare:compare/rope/eager", "h200_compare:compare/rope/compiled",
         "h200_compare:compare/rope/rope/fused_vec4", "h200_compare:compare/rope/triton"},
        {"h200_compare:compare/softmax/eager", "h200_compare:compare/softmax/compiled",
         "h200_compare:compare/softmax/softmax/online_vec4", "h200_compare:compare/softmax/triton"},
        {"h200_compare:compare/softmax/eager", "h200_compare:compare/softmax/softmax/online_vec4"},
        {"merge_attn_states/scalar16/", "merge_attn_states/vec16B/"},
        {"patterns/copy_1b/", "patterns/copy_2b/", "patterns/copy_4b/", "patterns/copy_8b/",
         "patterns/copy_16b/", "patterns/tma_copy/"},
        {"patterns/transpose_unpadded/", "patterns/transpose_padded/"},
        {"rope/tables/", "rope/fused_scalar/", "rope/fused_vec4/"},
        {"softmax/unfused/", "softmax/block_per_row_shared/", "softmax/block_shuffle/",
         "softmax/online_vec4/"},
    };
    return kLadders;
}

bool shrinksTypes(std::string_view from, std::string_view to) {
    return (from == "matmul/tiled_shared/" || from == "matmul/naive/") &&
           to == "matmul/tensor_core/";
}

std::pair<const Analysis*, std::string> placeOf(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == name.npos) return {&recorded("h200_bundled"), std::string(name)};
    return {&recorded(std::string(name.substr(0, colon))), std::string(name.substr(colon + 1))};
}

Rung rungOf(const char* name) {
    const auto [place, prefix] = placeOf(name);
    Rung rung{.analysis = place};
    std::size_t runs = 0;
    std::map<std::string, double> largest;
    double longest = 0;
    std::map<std::string, std::size_t> kernelOf;
    const Analysis& analysis = *place;
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (kernel.range.starts_with(prefix) && (runs == 0 || kernel.group.launches.size() < runs))
            runs = kernel.group.launches.size();
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        if (!kernel.range.starts_with(prefix)) continue;
        const DurationStats& duration = kernel.quantities.duration;
        const double each =
            static_cast<double>(kernel.group.launches.size()) / static_cast<double>(runs);
        rung.time += each * duration.median.value;
        REQUIRE(kernel.jointGain.has());
        rung.joint += each * kernel.jointGain->value;
        rung.launches += each;
        rung.arithmetic.add(arithmeticLeft(kernel), each);
        rung.sameTypes &= std::ranges::count(beyondJoint(kernel), BeyondJoint::DataTypes) == 1;
        if (duration.median.value > longest) {
            longest = duration.median.value;
            kernelOf[""] = i;
        }
        for (const Finding& finding : kernel.findings) {
            if (!finding.gain.has() || finding.minor) continue;
            if (double& most = largest[finding.ruleId]; finding.gain->value > most) {
                most = finding.gain->value;
                kernelOf[finding.ruleId] = i;
            }
            double& sum = rung.gains[finding.ruleId];
            sum += each * finding.gain->value;
            if (sum <= rung.first) continue;
            rung.first = sum;
            rung.fault = finding.ruleId;
            rung.estimate = finding.estimate;
        }
    }
    CAPTURE(name);
    REQUIRE(runs > 0);
    rung.kernel = kernelOf.at(rung.fault);
    return rung;
}

}  // namespace roofscope::test
