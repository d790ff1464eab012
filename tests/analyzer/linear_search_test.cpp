// SPDX-License-Identifier: Apache-2.0
// linear-search: every thread walks through the same array.
#include <algorithm>
#include <limits>
#include <string>
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

constexpr const char* kLinearSearch = "linear-search";
constexpr double kSearchingWarps = 1563.0 * 8;
/// Elements of a cumulative sum that each of 400,000 threads looks at on average.
constexpr double kLooks = 200000;

/// find_index of a particle filter: `while (sums[i] < u) ++i` of each thread, from the front. Warps
/// agree in what they load: one word, in one sector. Eight instructions for two loads.
LaunchRef search(SyntheticProfile& p) {
    auto launch = idle(p, "find_index(float const*, float const*, float*, int)", {1563, 1, 1},
                       {256, 1, 1}, 40000);
    constexpr double kLoads = kLooks * kSearchingWarps;
    launch.set(kGlobalLoads, kLoads).set(kGlobalLoadBytes, 4 * kLoads);
    launch.set(kGlobalLoadSectors, kLoads).set(kGlobalSectors, kLoads).set(kWidth32, kLoads);
    launch.set(kGlobalStores, 25000).set(kGlobalStoreBytes, 3.2e6);
    launch.set(kGlobalStoreSectors, 1e5);
    // The L1 serves nearly all: an eighth of a sector per load at most.
    launch.set(kL2ReadReturns, kLoads / 100).set(kLsuPipe, 25).set(kIssueActive, 49);
    launch.set(kWarpInstructions, 4 * kLoads).set(kThreadInstructions, 128 * kLoads);
    launch.set(kThreadInstructionsOn, 128 * kLoads);
    return launch.set("dram__bytes_read.sum", 4e5);
}

/// Three arrays of 400,000 numbers.
void give(SyntheticProfile& p) {
    std::vector<BufferArgument> arguments;
    for (std::uint32_t i = 0; i < 3; ++i) {
        p.profile().buffers.push_back({.allocation = i, .bytes = 1600000});
        arguments.push_back({.buffer = i, .parameter = i});
    }
    p.profile().argumentLists.add(arguments);
    p.profile().launches.at(0).arguments = 0;
}

template <class Change>
const char* searchWith(const Change& change) {
    SyntheticProfile p(testDevice());
    LaunchRef launch = search(p);
    give(p);
    change(launch);
    return find(analyzeOne(p), kLinearSearch) ? "fires" : "silent";
}

}  // namespace

TEST_CASE("linear-search fires where every thread walks through the same array") {
    SyntheticProfile p(testDevice());
    search(p);
    give(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kLinearSearch);
    REQUIRE(finding);
    CHECK(finding == &kernel.findings.front());
    CHECK(finding->evidence.at(0).value == Approx(kLooks));
    // 4 × 200,000 bytes by each of 12,504 warps, of 4.8 MB.
    CHECK(finding->evidence.at(1).value == Approx(4 * kLooks * kSearchingWarps / 4.8e6));
    CHECK_FALSE(finding->estimate);
    CHECK(finding->gainShare->value > 0.99);
    CHECK(unfilled(*finding).empty());
    const auto where = std::ranges::find(finding->args, "where", &Arg::name);
    REQUIRE(where != finding->args.end());
    CHECK(where->text.in(Language::En) == "global memory");
}

TEST_CASE("linear-search takes what may have been read, where buffers are not known") {
    SyntheticProfile p(testDevice());
    search(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kLinearSearch);
    REQUIRE(finding);
    // From DRAM 0.4 MB, in the L2 63 MB at most, 3.2 MB stored.
    CHECK(finding->evidence.at(1).value ==
          Approx(4 * kLooks * kSearchingWarps / (4e5 + 62914560 + 3.2e6)));
}

TEST_CASE("linear-search stands before the stall that it causes") {
    SyntheticProfile p(testDevice());
    LaunchRef launch = search(p);
    give(p);
    const ChipTable chip = chipTable("GH100").value();
    launch.setAll(chip.groups.at("stalls").counters, 0)
        .set(stallCounter("wait"), 7)
        .set(stallCounter("long_scoreboard"), 6)
        .set(stallCounter("selected"), 7);
    const auto kernel = analyzeOne(p);
    const Finding* stall = find(kernel, "dominant-stall");
    REQUIRE(stall);
    CHECK(stall->stall == "wait");
    CHECK(stall->cause == kLinearSearch);
    CHECK(&kernel.findings.front() == find(kernel, kLinearSearch));
}

TEST_CASE("linear-search is silent where the loop is no search") {
    constexpr double kLoads = kLooks * kSearchingWarps;
    CHECK(searchWith([](LaunchRef&) {}) == std::string("fires"));
    // All pairs: a distance and a force of 20 operations for each element that is loaded.
    CHECK(searchWith([](LaunchRef& l) { l.set(kFp32Fma, 10 * 32 * kLoads); }) ==
          std::string("silent"));
    // The same with integers: many instructions for each load.
    CHECK(searchWith([](LaunchRef& l) {
              l.set(kWarpInstructions, 24 * kLoads).set(kThreadInstructions, 768 * kLoads);
          }) == std::string("silent"));
    // A tile in shared memory.
    CHECK(searchWith([](LaunchRef& l) {
              l.set(kSharedInstructions, kLoads).set(kSharedLoads, kLoads);
          }) == std::string("silent"));
    // Lanes load different words: rows of a matrix product, a stencil, attention, a gather.
    CHECK(searchWith([](LaunchRef& l) {
              l.set(kGlobalLoadBytes, 128 * kLoads).set(kGlobalLoadSectors, 4 * kLoads);
          }) == std::string("silent"));
    // Threads wait for a word to change: each look goes to the L2.
    CHECK(searchWith([](LaunchRef& l) { l.set(kL2ReadReturns, kLoads); }) == std::string("silent"));
    // One lane of each warp reads.
    CHECK(searchWith([](LaunchRef& l) {
              l.set(kThreadInstructions, 4 * kLoads).set(kThreadInstructionsOn, 4 * kLoads);
          }) == std::string("silent"));
    // A short table.
    CHECK(searchWith([](LaunchRef& l) {
              constexpr double kFew = 500 * kSearchingWarps;
              l.set(kGlobalLoads, kFew).set(kGlobalLoadBytes, 4 * kFew);
              l.set(kGlobalLoadSectors, kFew).set(kWarpInstructions, 4 * kFew);
              l.set(kThreadInstructions, 128 * kFew).set(kL2ReadReturns, kFew / 100);
          }) == std::string("silent"));
}

namespace {

/// DepositPheromones of an ant colony: each thread of a pair of cities walks through all deposits,
/// which its block loads in tiles, and adds those that match: 14 instructions for each load.
LaunchRef deposit(SyntheticProfile& p) {
    auto launch =
        idle(p, "DepositPheromones(Deposits*, float*, int)", {442, 1, 1}, {442, 1, 1}, 26200);
    constexpr double kWarps = 442.0 * 14, kLoads = 157000 * kWarps;
    launch.set(kGlobalLoads, kLoads / 100).set(kGlobalLoadBytes, kLoads);
    launch.set(kGlobalLoadSectors, kLoads / 10).set(kGlobalSectors, kLoads / 10);
    launch.set(kSharedLoads, kLoads).set(kSharedLoadBytes, 8 * kLoads);
    launch.set(kSharedInstructions, 1.01 * kLoads).set(kSharedStores, 0.01 * kLoads);
    launch.set(kLsuPipe, 19).set(kIssueActive, 51);
    launch.set(kWarpInstructions, 14 * kLoads).set(kThreadInstructions, 32 * 14 * kLoads);
    launch.set(kThreadInstructionsOn, 32 * 14 * kLoads);
    return launch.set("dram__bytes_read.sum", 63232);
}

}  // namespace

TEST_CASE("linear-search knows the walk through tiles in shared memory") {
    SyntheticProfile p(testDevice());
    LaunchRef launch = deposit(p);
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kLinearSearch);
    REQUIRE(finding);
    CHECK(finding == &kernel.findings.front());
    CHECK(finding->evidence.at(0).value == Approx(157000));
    CHECK(finding->evidence.at(2).value == Approx(8));
    CHECK(finding->edit.in(Language::En).find("turn the loop around") != std::string::npos);
    CHECK(unfilled(*finding).empty());
    CHECK(std::ranges::find(finding->args, "where", &Arg::name)->text.in(Language::En) ==
          "tiles in shared memory");
    constexpr double kLoads = 157000 * 442.0 * 14;
    const auto silentWith = [&](std::string_view counter, double value, double back) {
        launch.set(counter, value);
        CHECK_FALSE(find(analyzeOne(p), kLinearSearch));
        launch.set(counter, back);
    };
    silentWith(kFp32Fma, 4 * 32 * kLoads, 0);                      // forces between all pairs
    silentWith(kSharedLoadBytes, 64 * kLoads, 8 * kLoads);         // a matrix product of integers
    silentWith(kSharedInstructions, 1.5 * kLoads, 1.01 * kLoads);  // a recurrence over a table
    silentWith(kFp64Fma, std::numeric_limits<double>::quiet_NaN(), 0);  // it may compute
    silentWith(kIntegerPipe, 70,
               0);  // the elements are computed with, as numbers of a finite field
    CHECK(find(analyzeOne(p), kLinearSearch));
}

TEST_CASE("linear-search is silent where each byte is read a few times") {
    SyntheticProfile p(testDevice());
    // Each warp walks through a part of its own: 10 GB from DRAM.
    constexpr double kLoads = kLooks * kSearchingWarps;
    search(p).set("dram__bytes_read.sum", 4 * kLoads / 4);
    CHECK_FALSE(find(analyzeOne(p), kLinearSearch));
}

TEST_CASE("linear-search says nothing without counters") {
    SyntheticProfile p(testDevice());
    p.launch(p.kernel("find_index"), {1563, 1, 1}, {256, 1, 1}).durationUs(40000);
    const auto kernel = analyzeOne(p);
    CHECK_FALSE(find(kernel, kLinearSearch));
    CHECK_FALSE(unknown(kernel, kLinearSearch));
}
