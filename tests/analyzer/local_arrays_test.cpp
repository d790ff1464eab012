// SPDX-License-Identifier: Apache-2.0
// Arrays of each thread in local memory, of kernels whose accesses were not counted.
#include <limits>
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
