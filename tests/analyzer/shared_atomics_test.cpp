// SPDX-License-Identifier: Apache-2.0
// shared-atomics, with the counters of a block-wide sum in one float of shared memory (H200).
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/source_analysis.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kSharedAtomics = "shared-atomics";
constexpr double kBlockSumTries = 18.5e6, kBlockSumInstructions = 205e6;

/// 16,384 blocks of 256 threads, which all add to one float: tries of load, add, compare-and-swap.
/// `again`: instructions that the same launch executes in the other pass.
LaunchRef blockSum(SyntheticProfile& p, double again = 184e6) {
    return idle(p, "distance(float const*, float*)", {64, 256, 1}, {32, 8, 1}, 262)
        .set(kSharedLoads, 31e6)
        .set(kSharedStores, 3e6)
        .set(kSharedInstructions, 34e6 + kBlockSumTries)
        .set(kSharedLoadWavefronts, 31e6)
        .set(kSharedStoreWavefronts, 3e6)
        .set(kSharedWavefronts, 34e6 + 2 * kBlockSumTries)
        .set(kSharedLoadBytes, 4 * 31e6)
        .set(kSharedStoreBytes, 4 * 3e6)
        .set(kWidth32, 34e6 + kBlockSumTries)
        .set(kWarpInstructions, kBlockSumInstructions)
        .set(kWarpInstructionsAgain, again)
        .set(kThreadInstructions, 25 * kBlockSumInstructions)
        .set(kIssueActive, 68)
        .set(kLsuWavefronts, 65e6)
        .set(kLsuPipe, 94);
}

/// The loop, executed `kBlockSumTries` times by `lanes` lanes on average.
void addTryLoop(SyntheticProfile& p, LaunchRef launch, double lanes,
                const char* atomic = "ATOMS.CAST.SPIN R5, [R2], R4, R5") {
    auto pass = p.sourcePass(launch);
    pass.instruction("FFMA R7, R4, R5, R7", "/a/kernel.h", 70)
        .executed(kBlockSumInstructions - 5 * kBlockSumTries - 34e6);
    pass.instruction("LDS R9, [R8]", "/a/kernel.h", 71).executed(31e6 - kBlockSumTries);
    pass.instruction("STS [R8], R9", "/a/kernel.h", 72).executed(3e6);
    for (const char* sass : {"LDS R4, [UR4]", "FADD R5, R7, R4", atomic,
                             "ISETP.EQ.U32.AND P0, PT, R5, 0x1, PT", "@!P0 BRA 0x30"})
        pass.instruction(sass, "/a/kernel.h", 77)
            .executed(kBlockSumTries)
            .set(kSassThreads, lanes * kBlockSumTries);
}

}  // namespace

TEST_CASE("threads that try again and again to add to one shared float are named") {
    SyntheticProfile p(testDevice());
    blockSum(p);
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kSharedAtomics);
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    // Each try is a load of one wavefront and a swap of two.
    const double part = 3 * kBlockSumTries / (34e6 + 2 * kBlockSumTries),
                 loop = 5 * kBlockSumTries / kBlockSumInstructions;
    CHECK(finding->evidence[0].value == Approx(part));
    CHECK(finding->evidence[1].value == Approx(loop));
    CHECK(finding->evidence[2].value == Approx(21.0 / 184));
    // What other instructions take of the issue slots remains.
    CHECK(finding->gainShare->value == Approx(1 - 0.68 * (1 - loop)).epsilon(0.01));
    CHECK(finding->places.empty());
}

TEST_CASE("machine code says where they try, and with how few lanes") {
    SyntheticProfile p(testDevice());
    addTryLoop(p, blockSum(p, kBlockSumInstructions), 16.5);  // both passes agree
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kSharedAtomics);
    REQUIRE(finding);
    REQUIRE(finding->evidence.size() == 4);
    CHECK(finding->evidence[3].value == Approx(16.5 / 32));
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].line == 77);
}

TEST_CASE("a source pass with more or fewer tries than the counted launch still names the line") {
    SyntheticProfile p(testDevice());
    addTryLoop(p, blockSum(p), 16.5);
    SourcePass& pass = p.profile().sources[0];
    pass.counters.addColumn("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
                            std::vector<double>(pass.instructions.size(), 5e6));
    const KernelAnalysis kernel = analyzeOne(p);
    REQUIRE(kernel.source);
    CHECK_FALSE(kernel.source->agrees);
    const Finding* finding = find(kernel, kSharedAtomics);
    REQUIRE(finding);
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].share == Approx(1));
}

TEST_CASE("atomics on shared memory that nobody contends are left alone") {
    // Each lane adds to a float of its own, so no try fails.
    SyntheticProfile lanes(testDevice());
    addTryLoop(lanes, blockSum(lanes, kBlockSumInstructions), 32);
    CHECK_FALSE(find(analyzeOne(lanes), kSharedAtomics));
    CHECK_FALSE(unknown(analyzeOne(lanes), kSharedAtomics));
    // The warps of a block add to the same floats one after the other: passes differ by 1.4 %.
    SyntheticProfile few(testDevice());
    blockSum(few, kBlockSumInstructions / 1.014).set(kLsuPipe, 19);
    CHECK_FALSE(find(analyzeOne(few), kSharedAtomics));
    CHECK_FALSE(unknown(analyzeOne(few), kSharedAtomics));
    // The loop is a small part of the instructions.
    SyntheticProfile small(testDevice());
    blockSum(small, 1.8e9).set(kWarpInstructions, 2e9);
    CHECK_FALSE(find(analyzeOne(small), kSharedAtomics));
    // Another loop tries again, the shared-memory atomics are integers.
    SyntheticProfile integers(testDevice());
    addTryLoop(integers, blockSum(integers), 16.5, "ATOMS.ADD R5, [R2], R4");
    CHECK_FALSE(find(analyzeOne(integers), kSharedAtomics));
}

TEST_CASE("other instructions of shared memory are no atomics that try again") {
    // A histogram: one instruction adds, no load belongs to it.
    SyntheticProfile histogram(testDevice());
    blockSum(histogram)
        .set(kSharedLoads, 2048)
        .set(kSharedInstructions, 3e6 + 2048 + kBlockSumTries);
    CHECK_FALSE(find(analyzeOne(histogram), kSharedAtomics));
    // Matrix loads beside asynchronous copies, or on tensor cores.
    SyntheticProfile copies(testDevice());
    blockSum(copies).set(kAsyncCopies, 1e6);
    CHECK_FALSE(find(analyzeOne(copies), kSharedAtomics));
    SyntheticProfile tensor(testDevice());
    blockSum(tensor).set(kTensorPipe, 30);
    CHECK_FALSE(find(analyzeOne(tensor), kSharedAtomics));
}

TEST_CASE("where only machine code can tell whether atomics try again, it is asked for") {
    SyntheticProfile p(testDevice());
    blockSum(p, kBlockSumInstructions);
    const KernelAnalysis kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kSharedAtomics));
    const CannotTell* cannot = unknown(kernel, kSharedAtomics);
    REQUIRE(cannot);
    CHECK(cannot->groups == std::vector{CounterGroup::Source});
    // Not where shared memory is not busy.
    SyntheticProfile idlePipe(testDevice());
    blockSum(idlePipe, kBlockSumInstructions).set(kLsuPipe, 30);
    CHECK_FALSE(unknown(analyzeOne(idlePipe), kSharedAtomics));
}
