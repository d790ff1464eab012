// SPDX-License-Identifier: Apache-2.0
//
// Known answers of the microkernels for arithmetic, local memory, branches, atomics and launches,
// computed by hand from the shapes; and how rungs that need a newer GPU are skipped.
#include <algorithm>
#include <optional>

#include "kernels/counters.h"
#include "kernels/selection.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::kernels;

namespace {

const Rung& patternRung(const char* name) {
    const Result<std::vector<const Rung*>> rungs = selectRungs({std::string("patterns/") + name});
    REQUIRE(rungs.ok());
    return *rungs->front();
}

std::optional<Expectation> patternExpectation(const char* name, const char* caseText,
                                              std::string_view counter) {
    const Result<Case> c = parseCase(caseText);
    REQUIRE(c.ok());
    REQUIRE(patternRung(name).refusal(*c) == "");
    for (const Expectation& e : patternRung(name).expect(*c))
        if (e.counter == counter) return e;
    return std::nullopt;
}

/// The value of an expectation that must be exact.
double exactPattern(const char* name, const char* caseText, std::string_view counter) {
    const std::optional<Expectation> e = patternExpectation(name, caseText, counter);
    INFO(name << ' ' << caseText << ' ' << counter);
    REQUIRE(e.has_value());
    CHECK(e->tolerance == 0);
    return e->value;
}

std::string refusal(const char* name, const char* caseText) {
    return patternRung(name).refusal(parseCase(caseText).value());
}

}  // namespace

TEST_CASE("arithmetic chains in fp16 and fp64 count four instructions per step and thread") {
    CHECK(exactPattern("hfma2", "blocks=2112,threads=256,fmas=4096,f16", counter::kFp16Fma) ==
          4.0 * 4096 * 540672);
    CHECK(exactPattern("hfma2", "blocks=1,threads=1,fmas=1,f16", counter::kFp16Fma) == 4);
    // 32 threads, 16 bytes each: 512 bytes in 16 sectors.
    CHECK(exactPattern("hfma2", "blocks=1,threads=32,fmas=1,f16", counter::kGlobalLoadBytes) ==
          512);
    CHECK(exactPattern("hfma2", "blocks=1,threads=32,fmas=1,f16", counter::kGlobalStoreSectors) ==
          16);
    CHECK(exactPattern("dfma", "blocks=2112,threads=256,fmas=1024,f64", counter::kFp64Fma) ==
          4.0 * 1024 * 540672);
    CHECK(exactPattern("dfma", "blocks=2112,threads=256,fmas=1024,f64", counter::kFp64Add) ==
          3.0 * 540672);
    // 32 threads: four loads of 8 sectors, one store.
    CHECK(exactPattern("dfma", "blocks=1,threads=32,fmas=1,f64", counter::kGlobalLoadSectors) ==
          32);
    CHECK(exactPattern("dfma", "blocks=1,threads=32,fmas=1,f64", counter::kGlobalStoreSectors) ==
          8);
    CHECK_FALSE(refusal("dfma", "blocks=1,threads=32,fmas=1,f32").empty());
    CHECK_FALSE(refusal("hfma2", "blocks=1,threads=1025,fmas=1,f16").empty());
}

TEST_CASE("tensor products load each operand once and add nothing on the fp32 pipe") {
    const char* c = "blocks=1,steps=512,bf16";  // 8 warps
    CHECK(exactPattern("tensor_product", c, counter::kFp32Fma) == 0);
    CHECK(exactPattern("tensor_product", c, counter::kFp32Add) == 0);
    // Per warp: 16 · 16 elements of A and 64 · 16 of B, 2 bytes each, for any number of steps.
    CHECK(exactPattern("tensor_product", c, counter::kGlobalLoadBytes) == 8 * (512 + 2048));
    // 16 · 64 floats out.
    CHECK(exactPattern("tensor_product", c, counter::kGlobalStoreBytes) == 8 * 4096);
    CHECK(exactPattern("tensor_product", c, counter::kGlobalStoreSectors) == 8 * 128);
    CHECK_FALSE(refusal("tensor_product", "blocks=1,steps=262145,bf16").empty());
}

TEST_CASE("a private array costs eight local bytes per step and thread") {
    const char* c = "blocks=2112,steps=1024,delay=12,f32";
    const double threads = 2112 * 256;
    // Measured: one address per warp access counts, in four sectors.
    CHECK(exactPattern("spill", c, counter::kLocalBytes) == 139493376);
    CHECK(exactPattern("spill", c, counter::kLocalSectors) == threads * (64 + 8 * 1024) / 32);
    CHECK(exactPattern("spill", c, counter::kFp32Fma) == threads * 1024);
    CHECK(exactPattern("spill", c, counter::kGlobalLoadSectors) == threads / 8);
    CHECK_FALSE(refusal("spill", "blocks=1,steps=1,delay=17,f32").empty());
}

TEST_CASE("divergence changes no thread's work, but every side loads its factor") {
    for (const int ways : {1, 2, 4, 8, 16, 32}) {
        const std::string c = "ways=" + std::to_string(ways) + ",fmas=512,blocks=2112,f32";
        CHECK(exactPattern("divergent_branch", c.c_str(), counter::kFp32Fma) ==
              4.0 * 512 * 2112 * 256);
        CHECK(exactPattern("divergent_branch", c.c_str(), counter::kGlobalLoads) ==
              2112.0 * 8 * (4 + ways));
        CHECK(exactPattern("divergent_branch", c.c_str(), counter::kGlobalLoadSectors) ==
              2112.0 * 8 * (16 + ways));
        CHECK(exactPattern("divergent_branch", c.c_str(), counter::kGlobalLoadBytes) ==
              2112.0 * 8 * (512 + 4 * ways));
    }
    CHECK(refusal("divergent_branch", "ways=3,fmas=1,blocks=1,f32").find("power of two") !=
          std::string::npos);
}

TEST_CASE("contended atomics: what is certain is what they load") {
    const char* c = "n=4194304,addresses=1,f32";
    CHECK(exactPattern("atomic_contention", c, counter::kGlobalLoadBytes) == 16777216);
    CHECK(exactPattern("atomic_contention", c, counter::kGlobalLoadSectors) == 524288);
    CHECK(exactPattern("atomic_contention", c, counter::kGlobalLoads) == 131072);
    CHECK(exactPattern("atomic_contention", "n=33,addresses=33,f32", counter::kGlobalLoadSectors) ==
          5);
    CHECK(exactPattern("atomic_contention", "n=33,addresses=33,f32", counter::kGlobalLoads) == 2);
    CHECK_FALSE(refusal("atomic_contention", "n=32,addresses=33,f32").empty());
}

TEST_CASE("grid and cluster barriers: stores and arithmetic are exact, loads are not stated") {
    const char* grid = "blocks=132,rounds=64,f32";
    const double updates = 132.0 * 256 * 64;
    CHECK(exactPattern("cooperative", grid, counter::kGlobalStoreBytes) == 4 * updates);
    CHECK(exactPattern("cooperative", grid, counter::kFp32Fma) == updates);
    CHECK_FALSE(patternExpectation("cooperative", grid, counter::kGlobalLoadBytes));
    CHECK_FALSE(patternExpectation("cooperative", grid, counter::kGlobalLoadSectors));

    const char* cluster = "blocks=8,cluster=4,f32";
    CHECK(exactPattern("cluster_dsmem", cluster, counter::kFp32Add) == 8 * 256 * 4);
    CHECK(exactPattern("cluster_dsmem", cluster, counter::kSharedStoreWavefronts) == 8 * 8);
    CHECK(exactPattern("cluster_dsmem", cluster, counter::kGlobalStoreSectors) == 8 * 32);
    CHECK_FALSE(patternExpectation("cluster_dsmem", cluster, counter::kSharedLoads));
    CHECK_FALSE(refusal("cluster_dsmem", "blocks=9,cluster=4,f32").empty());
    CHECK_FALSE(refusal("cluster_dsmem", "blocks=9,cluster=3,f32").empty());
}

TEST_CASE("a bulk copy passes the counters of global accesses by, but not the DRAM") {
    const char* c = "bytes=268435456,u8";
    for (const char* counter :
         {counter::kGlobalLoads, counter::kGlobalStores, counter::kGlobalLoadBytes,
          counter::kGlobalStoreBytes, counter::kGlobalLoadSectors, counter::kGlobalStoreSectors})
        CHECK(exactPattern("tma_copy", c, counter) == 0);
    CHECK(patternExpectation("tma_copy", c, counter::kDramReadBytes)->value == 268435456);
    CHECK_FALSE(patternExpectation("tma_copy", "bytes=67108864,u8", counter::kDramReadBytes));
    CHECK_FALSE(refusal("tma_copy", "bytes=24,u8").empty());
}

TEST_CASE("a rung that needs a newer GPU is skipped with a reason, others never are") {
    for (const char* name : {"cluster_dsmem", "tma_copy", "tensor_product"}) {
        CHECK(skipReason(patternRung(name), 90).empty());
        CHECK(skipReason(patternRung(name), 120).empty());
        CHECK(skipReason(patternRung(name), 86) ==
              "needs compute capability 9.0, this GPU has 8.6");
    }
    const auto all = allRungs();
    CHECK(std::count_if(all.begin(), all.end(),
                        [](const Rung* r) { return r->minComputeCapability == 0; }) > 30);
    CHECK(skipReason(patternRung("copy_16b"), 75).empty());
    CHECK(skipReason(patternRung("cooperative"), 75).empty());
    CHECK(computeCapabilityText(103) == "10.3");
}
