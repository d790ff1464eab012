// SPDX-License-Identifier: Apache-2.0
// Why one rung of a ladder is faster than another: for all pairs, the cause that compare names next
// to that of a specialist who knows both kernels.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "analyzer/compare/comparison.h"
#include "tests/analyzer/ladders.h"
#include "tests/support/catch.h"

using namespace roofscope;
using test::ladders;
using test::Rung;
using test::rungOf;

namespace {

/// What a specialist says of a step, and the id of that cause in compare.
struct ExpectedStep {
    const char *from, *to, *cause, *words;
};
constexpr ExpectedStep kExpectedSteps[] = {
    {"causal_linear_attention/low_occupancy/", "causal_linear_attention/auto/", "loaded-again",
     "every position reads all rows before it again; now tiles of rows are reused"},
    {"gelu/fused_scalar/", "gelu/fused_vec4/", "narrow-access",
     "16 bytes per thread instead of 4: more bytes in flight, fewer instructions"},
    {"lightning_attention_decode/naive/", "lightning_attention_decode/shared_padded/",
     "loaded-again", "the state is read once and kept in shared memory, not read twice"},
    {"lightning_attention_decode/shared_conflict/", "lightning_attention_decode/shared_padded/",
     "bank-conflicts", "a padded row ends the 32-way conflicts"},
    {"lightning_attention_decode/shared_padded/", "lightning_attention_decode/coalesced/",
     "excess-sectors", "neighbouring threads read neighbouring elements"},
    {"lightning_attention_decode/coalesced/", "lightning_attention_decode/warp_per_row_vec4/",
     "narrow-access", "16 bytes per thread, sums in registers"},
    {"lightning_attention_decode/coalesced/", "lightning_attention_decode/split_heads/",
     "loads-in-flight", "all of a thread's loads go out at once, before anything is computed"},
    {"lightning_attention_decode/warp_per_row_vec4/", "lightning_attention_decode/split_heads/",
     "loads-in-flight", "the same bytes, with more warps that have all their loads on the way"},
    {"matmul/naive/", "matmul/tiled_shared/", "loaded-again",
     "tiles in shared memory: each loaded value serves many products"},
    {"matmul/naive/", "matmul/register_tiled_vec4/", "loaded-again",
     "tiles in shared memory and registers: each loaded value serves many products"},
    {"matmul/tiled_shared/", "matmul/register_tiled_vec4/", "shared-wavefronts",
     "tiles in registers: each value read from shared memory serves many products"},
    {"matmul/tiled_shared/", "matmul/tensor_core/", "tensor-cores",
     "tensor cores on 16-bit inputs"},
    {"matmul/register_tiled_vec4/", "matmul/tensor_core/", "tensor-cores",
     "tensor cores on 16-bit inputs"},
    {"matmul/tensor_core/", "h200_compare:compare/matmul/triton", "wgmma",
     "wgmma instead of mma.sync"},
    {"matmul/tensor_core/", "h200_compare:compare/matmul/eager", "wgmma",
     "wgmma fed by TMA instead of mma.sync"},
    {"h200_tensor:matmul/tensor_core/", "h200_compare:compare/matmul/triton", "wgmma",
     "wgmma instead of mma.sync"},
    {"h200_compare:compare/softmax/eager", "h200_compare:compare/softmax/softmax/online_vec4",
     "narrow-access", "16 bytes per thread, the row in registers"},
    {"merge_attn_states/scalar16/", "merge_attn_states/vec16B/", "narrow-access",
     "16 bytes per thread instead of 2"},
    {"patterns/copy_1b/", "patterns/copy_16b/", "narrow-access", "16 bytes per thread"},
    {"patterns/copy_1b/", "patterns/tma_copy/", "bulk-copies",
     "TMA moves the data, no thread loads it"},
    {"patterns/transpose_unpadded/", "patterns/transpose_padded/", "bank-conflicts",
     "a padded tile ends the 32-way conflicts"},
    {"rope/fused_scalar/", "rope/fused_vec4/", "narrow-access", "16 bytes per thread"},
    {"softmax/block_per_row_shared/", "softmax/block_shuffle/", "bank-conflicts",
     "sums by shuffles instead of a strided tree in shared memory"},
};

KernelComparison compared(const char* fromName, const char* toName) {
    const Rung from = rungOf(fromName), to = rungOf(toName);
    return compareKernels(*from.analysis, *to.analysis,
                          {.baseline = from.kernel, .candidate = to.kernel});
}

std::string named(const char* rung) {
    std::string name = rung;
    if (name.ends_with('/')) name.pop_back();
    return name;
}

std::string causeOf(const KernelComparison& comparison) {
    switch (comparison.cause.state) {
        case Cause::State::Found:
            return comparison.cause.id;
        case Cause::State::NotVisible:
            return "not visible";
        case Cause::State::NotSought:
            break;
    }
    return toString(comparison.duration.state);
}

/// Placeholders of a sentence without an argument; "{after?has:have}" asks for `after`.
std::string unfilled(const Remark& remark, Language language) {
    const std::string& text = remark.phrase.in(language);
    for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
        const std::string name = text.substr(at + 1, text.find_first_of("?}", at) - at - 1);
        if (std::ranges::none_of(remark.args, [&](const Arg& arg) { return arg.name == name; }))
            return name;
    }
    return {};
}

std::string table() {
    std::string text =
        "# Why one bundled kernel is faster than another on an H200, as compare says\n\n"
        "All pairs of rungs of one kernel each. A state stands where no cause is sought. "
        "`tests/analyzer/ladder_causes_test.cpp` holds it, and what a specialist says.\n\n"
        "| from | to | times | cause |\n|---|---|---:|---|\n";
    for (const auto& ladder : ladders())
        for (std::size_t i = 0; i < ladder.size(); ++i)
            for (std::size_t j = i + 1; j < ladder.size(); ++j) {
                const Rung from = rungOf(ladder[i]), to = rungOf(ladder[j]);
                if (from.launches != to.launches) continue;
                const std::string row =
                    fmt::format("| {} | {} | {:.2f} | {} |\n", named(ladder[i]), named(ladder[j]),
                                from.time / to.time, causeOf(compared(ladder[i], ladder[j])));
                if (text.find(row) == text.npos) text += row;
            }
    return text;
}

}  // namespace

TEST_CASE("compare names the cause that a specialist names") {
    for (const ExpectedStep& step : kExpectedSteps) {
        const KernelComparison there = compared(step.from, step.to);
        CAPTURE(step.from, step.to, step.words);
        CHECK(causeOf(there) == step.cause);
        // The slower one is explained, in either order.
        const KernelComparison back = compared(step.to, step.from);
        CHECK(causeOf(back) == step.cause);
        for (const Language language : languages())
            for (const Cause* cause : {&there.cause, &back.cause})
                CHECK(unfilled(cause->sentence, language) == "");
    }
}

TEST_CASE("the causes of all pairs of the ladders are those that are written down") {
    const std::string path = std::string(ROOFSCOPE_SOURCE_DIR) + "/tests/golden/ladder_causes.md";
    const std::string now = table();
    if (std::getenv("ROOFSCOPE_APPROVE")) std::ofstream(path) << now;
    std::ifstream file(path);
    std::ostringstream written;
    written << file.rdbuf();
    CHECK(now == written.str());
}
