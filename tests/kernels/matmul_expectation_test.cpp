// SPDX-License-Identifier: Apache-2.0
//
// Known answers of the matmul family, computed by hand from the shapes.
#include <optional>
#include <string>

#include "kernels/counters.h"
#include "kernels/selection.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

constexpr double kCube = 4096.0 * 4096 * 4096, kSquare = 4096.0 * 4096;
constexpr const char* kF32 = "M=4096,N=4096,K=4096,f32";
constexpr const char* kBf16 = "M=4096,N=4096,K=4096,bf16";
/// No size is a multiple of a tile: rows of 17 and 65 elements.
constexpr const char* kRagged = "M=33,N=65,K=17,f32";

const Rung& rungOf(const std::string& name) {
    const Result<std::vector<const Rung*>> rungs = selectRungs({"matmul/" + name});
    REQUIRE(rungs.ok());
    REQUIRE(rungs->size() == 1);
    return *rungs->front();
}

std::optional<Expectation> expectation(const std::string& rung, const char* caseText,
                                       std::string_view counter) {
    const Result<Case> c = parseCase(caseText);
    REQUIRE(c.ok());
    REQUIRE(rungOf(rung).refusal(*c) == "");
    for (const Expectation& e : rungOf(rung).expect(*c))
        if (e.counter == counter) return e;
    return std::nullopt;
}

/// The value of an expectation that must be exact.
double exact(const std::string& rung, const char* caseText, std::string_view counter) {
    const std::optional<Expectation> e = expectation(rung, caseText, counter);
    INFO(rung << ' ' << caseText << ' ' << counter);
    REQUIRE(e.has_value());
    CHECK(e->tolerance == 0);
    return e->value;
}

std::string refused(const std::string& rung, const char* caseText) {
    return rungOf(rung).refusal(parseCase(caseText).value());
}

}  // namespace

TEST_CASE("matmul: every FP32 rung does M·N·K multiply-adds where tiles fit, tensor cores none") {
    for (const char* rung : {"naive", "tiled_shared", "register_tiled_vec4"})
        for (const char* c : {kF32, kBf16}) CHECK(exact(rung, c, counter::kFp32Fma) == kCube);
    CHECK(exact("tensor_core", kBf16, counter::kFp32Fma) == 0);
    // Partial tiles are computed as a whole: 2 · 3 · 1 of 32³, 1 · 1 · 2 of 128 · 128 · 16.
    CHECK(exact("naive", kRagged, counter::kFp32Fma) == 33 * 65 * 17);
    CHECK(exact("tiled_shared", kRagged, counter::kFp32Fma) == 6 * 32768);
    CHECK(exact("register_tiled_vec4", kRagged, counter::kFp32Fma) == 2 * 262144);
}

TEST_CASE("matmul naive: a sector per row for A, one per warp for B") {
    // 4096 columns · 4096 steps · (4096 rows + 128 warps).
    CHECK(exact("naive", kF32, counter::kGlobalLoadSectors) == kSquare * (4096 + 128));
    CHECK(exact("naive", kF32, counter::kGlobalLoadBytes) == 4 * kSquare * (4096 + 128));
    CHECK(exact("naive", kBf16, counter::kGlobalLoadBytes) == 2 * kSquare * (4096 + 128));
    CHECK(exact("naive", kBf16, counter::kGlobalLoadSectors) == kSquare * (4096 + 128));
    CHECK(exact("naive", kF32, counter::kGlobalStoreSectors) == kSquare);
    CHECK(exact("naive", kF32, counter::kGlobalLoads) == 2 * 128 * kSquare);
    // 33 rows are two warps per column, the second of one thread.
    CHECK(exact("naive", kRagged, counter::kGlobalLoadSectors) == 65 * 17 * (33 + 2));
    CHECK(exact("naive", kRagged, counter::kGlobalStores) == 2 * 65);
    // Rows of 12 bytes share sectors.
    CHECK_FALSE(expectation("naive", "M=259,N=1,K=3,f32", counter::kGlobalLoadSectors));
    CHECK(exact("naive", "M=259,N=1,K=3,f32", counter::kGlobalLoadBytes) == 3 * 4 * (259 + 9));
}

TEST_CASE("matmul tiled_shared: two wavefronts per warp's multiply-add") {
    CHECK(exact("tiled_shared", kF32, counter::kSharedLoadWavefronts) == 2 * kCube / 32);
    // Each of 128³ tile pairs is stored by 32 warps, two rows each.
    CHECK(exact("tiled_shared", kF32, counter::kSharedStoreWavefronts) == 128.0 * 128 * 128 * 64);
    // Both matrices are loaded 128 times.
    CHECK(exact("tiled_shared", kF32, counter::kGlobalLoadBytes) == 2 * 128 * 4 * kSquare);
    CHECK(exact("tiled_shared", kF32, counter::kGlobalLoadSectors) == 2 * 128 * kSquare / 8);
    CHECK(exact("tiled_shared", kBf16, counter::kGlobalStoreSectors) == kSquare / 16);
    // C's rows of 65 floats start 260·r bytes on, 4·r into a sector (r mod 8). The two pieces of
    // 128 bytes touch 4 sectors when r mod 8 = 0, else 5; the last float touches 1. Of 33 rows 5
    // are multiples of 8.
    CHECK(exact("tiled_shared", kRagged, counter::kGlobalStoreSectors) ==
          5 * (4 + 4 + 1) + 28 * (5 + 5 + 1));
    CHECK(exact("tiled_shared", kRagged, counter::kGlobalLoadBytes) ==
          4 * (33 * 17 * 3 + 17 * 65 * 2));
}

TEST_CASE("matmul register_tiled_vec4: each matrix is fetched once per 128 rows or columns") {
    const char* rung = "register_tiled_vec4";
    CHECK(exact(rung, kF32, counter::kGlobalLoadBytes) == 2 * 32 * 4 * kSquare);
    CHECK(exact(rung, kF32, counter::kGlobalLoadSectors) == 2 * 32 * 4 * kSquare / 32);
    CHECK(exact(rung, kBf16, counter::kGlobalLoadBytes) == 2 * 32 * 2 * kSquare);
    CHECK(exact(rung, kF32, counter::kGlobalStoreSectors) == kSquare / 8);
    // A thread does 64 multiply-adds per 4 loads of 16 bytes.
    CHECK(exact(rung, kF32, counter::kSharedLoads) == kCube / 32 / 64 * 4);
    // 32 · 32 blocks, 256 steps, 8 warps: 8 words one at a time and 2 · 16 bytes (4 passes each).
    CHECK(exact(rung, kF32, counter::kSharedStoreWavefronts) == 32 * 32 * 256 * 8 * (8 + 2 * 4));
    CHECK(exact(rung, kRagged, counter::kGlobalLoadBytes) == 4 * (33 * 17 + 17 * 65));
    CHECK_FALSE(expectation(rung, kRagged, counter::kGlobalLoadSectors));
}

TEST_CASE("matmul tensor_core: bf16 only, asynchronous copies instead of loads") {
    CHECK(exact("tensor_core", kBf16, counter::kGlobalLoadBytes) == 0);  // measured
    CHECK(exact("tensor_core", kBf16, counter::kGlobalLoadSectors) == 0);
    CHECK(exact("tensor_core", kBf16, counter::kGlobalStoreSectors) == kSquare / 16);
    CHECK_FALSE(expectation("tensor_core", "M=136,N=264,K=40,bf16", counter::kGlobalLoadBytes));
    CHECK(exact("tensor_core", "M=33,N=65,K=17,bf16", counter::kGlobalStoreBytes) == 2 * 33 * 65);
    CHECK(refused("tensor_core", kF32).find("f32 is not supported") != std::string::npos);
    for (const Case& c : rungOf("tensor_core").cases()) CHECK(c.dtype == DType::BF16);
}

TEST_CASE("matmul refuses what it cannot number") {
    CHECK(refused("naive", "M=0,N=1,K=1,f32") != "");
    CHECK(refused("naive", "M=1,N=1,K=1,f16") != "");
    CHECK(refused("naive", "M=262145,N=1,K=1,f32") != "");
    CHECK(refused("naive", "M=262144,N=1,K=1,f32") == "");
    CHECK(refused("naive", "M=1,N=65536,K=65536,f32") != "");
}
