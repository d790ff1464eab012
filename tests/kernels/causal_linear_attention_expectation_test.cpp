// SPDX-License-Identifier: Apache-2.0
//
// Known answers of causal_linear_attention, computed by hand from the shapes.
#include <optional>

#include "kernels/counters.h"
#include "kernels/selection.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

const Rung& rung(const char* name) {
    const Result<std::vector<const Rung*>> rungs =
        selectRungs({std::string("causal_linear_attention/") + name});
    REQUIRE(rungs.ok());
    REQUIRE(rungs->size() == 1);
    return *rungs->front();
}

std::optional<double> exactAttention(const char* name, const char* caseText,
                                     std::string_view counter) {
    const Result<Case> c = parseCase(caseText);
    REQUIRE(c.ok());
    REQUIRE(rung(name).refusal(*c) == "");
    for (const Expectation& e : rung(name).expect(*c))
        if (e.counter == counter) {
            CHECK(e.tolerance == 0);
            return e.value;
        }
    return std::nullopt;
}

std::string refusal(const char* caseText) {
    const Result<Case> c = parseCase(caseText);
    REQUIRE(c.ok());
    for (const char* name : {"block_per_head", "low_occupancy", "auto"})
        CHECK(rung(name).refusal(*c) == rung("auto").refusal(*c));
    return rung("auto").refusal(*c);
}

}  // namespace

TEST_CASE("causal block_per_head reads everything once, and every product from shared memory") {
    const char* c = "B=4,H=8,L=1024,E=64,M=64,f32";
    constexpr double kPositions = 4 * 8 * 1024;
    CHECK(rung("block_per_head").cases().front().id() == c);
    // Rows of 256 bytes, 8 sectors: q, k and v in, out out.
    CHECK(exactAttention("block_per_head", c, counter::kGlobalLoadBytes) == kPositions * 768);
    CHECK(exactAttention("block_per_head", c, counter::kGlobalLoadSectors) == kPositions * 24);
    CHECK(exactAttention("block_per_head", c, counter::kGlobalStoreBytes) == kPositions * 256);
    CHECK(exactAttention("block_per_head", c, counter::kGlobalStoreSectors) == kPositions * 8);
    // 256 threads, 8 warps: each reads 16 words of k, 16 of q and a row of v per position; then 2
    // warps read 4 partial sums each. In: 6 rows of 32 words, and 8 of partial sums.
    CHECK(exactAttention("block_per_head", c, counter::kSharedLoadWavefronts) ==
          kPositions * (8 * 33 + 2 * 4));
    CHECK(exactAttention("block_per_head", c, counter::kSharedStoreWavefronts) ==
          kPositions * (6 + 8));
    CHECK(exactAttention("block_per_head", c, counter::kFp32Fma) == kPositions * 2 * 64 * 64);
    CHECK(exactAttention("block_per_head", c, counter::kFp32Add) == kPositions * 64 * 3);
    CHECK(exactAttention("block_per_head", c, counter::kFp32Mul) == 0);
    // One position: 2 parts of 64 columns, 4 warps; 2 · 1 + 2 rows in.
    const char* one = "B=1,H=1,L=1,E=32,M=64,f32";
    CHECK(exactAttention("block_per_head", one, counter::kGlobalLoadSectors) == 4 + 4 + 8);
    CHECK(exactAttention("block_per_head", one, counter::kSharedLoadWavefronts) == 4 * 33 + 2 * 2);
    CHECK(exactAttention("block_per_head", one, counter::kSharedStoreWavefronts) == 4 + 4);
    CHECK(exactAttention("block_per_head", one, counter::kFp32Add) == 64);
}

TEST_CASE("causal low_occupancy reads k twice and q once per column") {
    const char* c = "B=16,H=16,L=1024,E=64,M=64,f32";
    constexpr double kBlocks = 16 * 16 * 64, kLength = 1024;
    CHECK(rung("low_occupancy").cases().front().id() == c);
    // Per block and position: three rows of 256 bytes, and twice one number of v.
    CHECK(exactAttention("low_occupancy", c, counter::kGlobalLoadBytes) == kBlocks * kLength * 776);
    CHECK(exactAttention("low_occupancy", c, counter::kGlobalLoadSectors) ==
          kBlocks * kLength * 26);
    CHECK(exactAttention("low_occupancy", c, counter::kGlobalStoreBytes) == kBlocks * kLength * 4);
    CHECK(exactAttention("low_occupancy", c, counter::kGlobalStoreSectors) == kBlocks * kLength);
    // Eight warps leave two rows of 32 sums; warp w reads those of w warps.
    CHECK(exactAttention("low_occupancy", c, counter::kSharedStoreWavefronts) == kBlocks * 16);
    CHECK(exactAttention("low_occupancy", c, counter::kSharedLoadWavefronts) == kBlocks * 56);
    CHECK(exactAttention("low_occupancy", c, counter::kFp32Fma) == kBlocks * kLength * 3 * 64);
    // Fewer positions than warps: the sums are passed on nonetheless.
    const char* few = "B=1,H=1,L=3,E=32,M=32,f32";
    CHECK(exactAttention("low_occupancy", few, counter::kGlobalLoadSectors) == 32 * 3 * 14);
    CHECK(exactAttention("low_occupancy", few, counter::kSharedLoadWavefronts) == 32 * 28);
}

TEST_CASE("causal auto states its stores where no GPU splits the positions") {
    const char* many = "B=16,H=16,L=1024,E=64,M=64,f32";
    CHECK(exactAttention("auto", many, counter::kGlobalStoreBytes) == 67108864);
    CHECK(exactAttention("auto", many, counter::kGlobalStoreSectors) == 2097152);
    CHECK(exactAttention("auto", many, counter::kLocalBytes) == 0);
    // Per position 64 · 64 products for the state and as many for out. 128 lanes of 8 groups: of
    // the latter, 4 per lane begin a sum. 7 exchanges in two positions.
    constexpr double kPositions = 16 * 16 * 1024;
    CHECK(exactAttention("auto", many, counter::kFp32Fma) == kPositions * (2 * 64 * 64 - 512));
    CHECK(exactAttention("auto", many, counter::kFp32Mul) == kPositions * 512);
    CHECK(exactAttention("auto", many, counter::kFp32Add) == kPositions * 128 * 3.5);
    // 128 lanes of 4 groups, and 37 positions count as 38.
    const char* wide = "B=16,H=16,L=37,E=128,M=128,f32";
    CHECK(exactAttention("auto", wide, counter::kFp32Fma) == 256.0 * 38 * (2 * 128 * 128 - 512));
    CHECK(exactAttention("auto", wide, counter::kFp32Add) == 256.0 * 38 * 128 * 3);
    CHECK(exactAttention("auto", wide, counter::kGlobalStoreBytes) == 256.0 * 37 * 128 * 4);
    // 32 warps: the stores of a launch depend on the number of SMs.
    const char* few = "B=1,H=8,L=4096,E=64,M=64,f32";
    CHECK_FALSE(exactAttention("auto", few, counter::kGlobalStoreBytes).has_value());
    CHECK(exactAttention("auto", few, counter::kLocalBytes) == 0);
}

TEST_CASE("causal linear attention refuses other widths with a sentence") {
    CHECK(refusal("B=1,H=1,L=1,E=96,M=64,f32") == "E = 96 is not 32, 64 or 128");
    CHECK(refusal("B=1,H=1,L=1,E=64,M=1,f32") == "M = 1 is not 32, 64 or 128");
    CHECK(refusal("B=1,H=1,L=0,E=64,M=64,f32") == "L = 0 is outside 1 to 16777216");
    CHECK(refusal("B=1,H=1,L=1,E=64,M=64,bf16") ==
          "element type bf16 is not supported (only f32 is)");
    CHECK(refusal("B=64,H=64,L=8192,E=128,M=32,f32") ==
          "B·H·L·E or B·H·L·M is more than 2^31 elements");
    CHECK(refusal("B=1,H=1,L=16777216,E=128,M=128,f32") == "");
}
