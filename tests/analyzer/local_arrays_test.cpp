// SPDX-License-Identifier: Apache-2.0
// Arrays of each thread in local memory, of kernels whose accesses were not counted, or by the
// hardware only.
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

/// A search by 759,375 threads with 2,720 bytes each, for 3.5 s (N queens on an H200).
struct Search {
    std::uint32_t local = 2720;
    double dramBytes = 3.4e12;
    bool counted = false;
    std::uint64_t buffer = 3'000'000;
    double waits = 0;  ///< for loads, of 10; 0: stalls are not known
};

KernelAnalysis of(const Search& search) {
    SyntheticProfile p(testDevice());
    auto launch =
        idle(p, "queens(int*, int)", {3375, 1, 1}, {225, 1, 1}, 3.5e6).residentBlocksPerSm(8);
    launch.set("dram__bytes_read.sum", search.dramBytes);
    launch.set(kLocalSectors, search.counted ? 0 : std::numeric_limits<double>::quiet_NaN());
    if (search.waits > 0) {
        launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0);
        launch.set(stallCounter("long_scoreboard"), search.waits);
        launch.set(stallCounter("selected"), 10 - search.waits);
    }
    Profile& profile = p.profile();
    profile.kernels.at(0).localBytesPerThread = search.local;
    profile.buffers = {{.bytes = search.buffer}};
    profile.argumentLists.add(std::vector<BufferArgument>{{0, 0}});
    launch.launch().arguments = 0;
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("local-arrays names the arrays of long kernels that were not counted") {
    const KernelAnalysis kernel = of({});
    const Finding* finding = find(kernel, "local-arrays");
    REQUIRE(finding);
    CHECK(finding->estimate);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->evidence.front().value == Approx(2720.0 * 225 * 8 * 132).epsilon(0.01));
    const auto silent = [](const Search& search) { return !find(of(search), "local-arrays"); };
    CHECK(silent({.local = 64}));                  // spilled registers
    CHECK(silent({.dramBytes = 1e9}));             // the arrays stay in the caches
    CHECK(silent({.buffer = 2'000'000'000'000}));  // the DRAM carries the buffers
    CHECK(silent({.counted = true}));              // local-memory-spill knows
}

TEST_CASE("local-arrays gains what warps wait for memory, and comes before that wait") {
    const auto gain = [](double waits) {
        return find(of({.waits = waits}), "local-arrays")->gainShare->value;
    };
    CHECK(gain(0) == Approx(0.5));
    CHECK(gain(8) == Approx(0.8));
    CHECK(gain(4) == Approx(0.5));
    const KernelAnalysis kernel = of({.waits = 8});
    CHECK(kernel.findings.front().ruleId == "local-arrays");
    REQUIRE(find(kernel, "dominant-stall"));
    CHECK(find(kernel, "dominant-stall")->cause == "local-arrays");
}

namespace {

constexpr const char* kSortOfNumba = "__main__::sort[abi:v1][abi:cw51cXTLSUwv1sCUt9Tw1VEw0](int)";

}  // namespace

TEST_CASE("local arrays are told from spills by limits of registers, and by their addresses") {
    const auto titleOf = [](std::uint32_t registers, std::uint32_t threads, std::uint32_t bytes,
                            const char* load, const char* name = kSortOfNumba) {
        SyntheticProfile p(testDevice());
        p.profile().capture.command = {"python3", "sort.py"};
        auto launch = copy(p, name, 268435456, 16, 130).set(kLocalSectors, 1e7);
        p.profile().devices.at(0).registersPerSm = 65536;
        Kernel& kernel = p.profile().kernels.back();
        kernel.registersPerThread = registers;
        kernel.maxThreadsPerBlock = threads;
        kernel.localBytesPerThread = bytes;
        if (load) {
            auto pass = p.sourcePass(launch);
            pass.instruction(load).executed(1e6).set(kSassLocalSectors, 9e6);
            pass.instruction("STL [R1+0x8], R2").executed(1e6).set(kSassLocalSectors, 1e6);
        }
        const KernelAnalysis analysis = analyzeOne(p);
        const Finding* finding = find(analysis, "local-memory-spill");
        REQUIRE(finding);
        CHECK(unfilled(*finding).empty());
        return finding->title.in(Language::En);
    };
    const std::string arrays = "Arrays of each thread in local memory";
    CHECK(titleOf(148, 384, 256, nullptr) == arrays);
    CHECK(titleOf(148, 384, 256, nullptr, "k").empty());  // perhaps -maxrregcount
    CHECK(titleOf(148, 384, 64, nullptr).empty());        // perhaps a few registers
    CHECK(titleOf(168, 384, 256, nullptr).empty());  // all that a block of 384 threads can have
    CHECK(titleOf(64, 256, 256, nullptr).empty());   // launch bounds for four blocks
    CHECK(titleOf(255, 256, 256, nullptr).empty());
    CHECK(titleOf(64, 256, 64, "LDL R4, [R6]") == arrays);
    CHECK(titleOf(64, 256, 64, "LDL R4, [R1+0x10]").empty());
}

TEST_CASE("local memory that only the hardware counted is known without atomics") {
    const std::string numba = "__main__::sort[abi:v1][abi:cw51cXTLSUwv1sCUt9Tw1VEw0](int)";
    SyntheticProfile p(testDevice());
    p.profile().capture.command = {"python3", "stack.py"};
    auto launch = idle(p, numba, {65536, 1, 1}, {256, 1, 1}, 49000);
    for (const std::string_view counter :
         {kGlobalSectors, kLocalSectors, kGlobalLoadBytes, kGlobalStoreBytes})
        launch.set(counter, std::numeric_limits<double>::quiet_NaN());
    launch.set("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 4.5e9)
        .set("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 4.9e9)
        .set(kGlobalLoadSectors, 1e8)
        .set(kGlobalStoreSectors, 3e6)
        .set(kL2Arrivals, 6.5e9)
        .set(kL2ReadReturns, 2.9e8);
    const KernelAnalysis kernel = analyzeOne(p);
    REQUIRE(kernel.quantities.localSectors.has());
    CHECK(kernel.quantities.localSectorShare->value == Approx(9.4e9 / (9.4e9 + 1.03e8)));
    const Finding* finding = find(kernel, "local-memory-spill");
    REQUIRE(finding);
    CHECK(finding->edit.in(Language::En).starts_with("In Numba, a cuda.local.array"));
    CHECK_FALSE(find(kernel, "redundant-write"));
    CHECK_FALSE(find(kernel, "local-arrays"));
}
