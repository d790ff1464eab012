// SPDX-License-Identifier: Apache-2.0
// idle-sweep: launches that look at all elements to find the few with work.
#include <memory>
#include <string>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr double kSweepWarps = 65536.0 * 8;

/// A sweep of a flow accumulation over 16.8 M cells, of which a few thousand pass their water on,
/// as recorded on an H200.
LaunchRef sweep(SyntheticProfile& p, const char* name = "accumulate_sweep(int const*, int*)") {
    auto launch = idle(p, name, {65536, 1, 1}, {256, 1, 1}, 45.0);
    launch.set(kWarpInstructions, 19 * kSweepWarps).set(kThreadInstructions, 19 * 32 * kSweepWarps);
    launch.set(kGlobalInstructions, 1.018 * kSweepWarps).set(kGlobalLoads, 1.006 * kSweepWarps);
    launch.set(kGlobalStores, 0.006 * kSweepWarps).set(kGlobalLoadBytes, 128 * kSweepWarps);
    return launch.set(kL2ReadReturns, 4 * kSweepWarps);
}

/// Whether the rule fires on the first kernel of 20 sweeps. `change` gets each sweep, `between` may
/// launch something after each.
template <class Change, class Between>
bool sweepFires(const Change& change, const Between& between) {
    SyntheticProfile p(testDevice());
    std::uint32_t kernel = 0;
    for (int i = 0; i < 20; ++i) {
        LaunchRef launch = sweep(p);
        Launch& row = p.profile().launches.back();
        if (i == 0) kernel = row.kernel;
        row.kernel = kernel;
        change(launch);
        between(p);
    }
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.profile()));
    for (const KernelAnalysis& one : analysis.kernels)
        if (one.group.kernel == kernel) return find(one, "idle-sweep") != nullptr;
    return false;
}

template <class Change>
bool sweepFires(const Change& change) {
    return sweepFires(change, [](SyntheticProfile&) {});
}

}  // namespace

TEST_CASE("idle-sweep fires where nearly all warps look and find nothing to do") {
    SyntheticProfile p(testDevice());
    for (int i = 0; i < 20; ++i) sweep(p);
    for (Launch& launch : p.profile().launches) launch.kernel = 0;
    const auto kernel = analyzeOne(p);
    const Finding* finding = find(kernel, "idle-sweep");
    REQUIRE(finding);
    CHECK(finding == &kernel.findings.front());
    CHECK(finding->gain->value == Approx(45e-6 * (1 - 0.012)).epsilon(0.05));
    CHECK(finding->evidence.at(0).value == Approx(0.012));
    CHECK_FALSE(find(kernel, "block-start-rate"));
    CHECK(unfilled(kernel).empty());
}

TEST_CASE("idle-sweep is silent on kernels that look once, compute, or write") {
    CHECK(sweepFires([](LaunchRef&) {}));
    // A filter or a copy: warps write.
    CHECK_FALSE(sweepFires([](LaunchRef& l) { l.set(kGlobalInstructions, 2 * kSweepWarps); }));
    // Distances to a query that is another one in each launch.
    CHECK_FALSE(sweepFires([](LaunchRef& l) { l.set(kFp32Fma, 3 * 32 * kSweepWarps); }));
    // A search in a list, or a reduction of many elements by each thread.
    CHECK_FALSE(sweepFires([](LaunchRef& l) {
        l.set(kGlobalInstructions, 8.01 * kSweepWarps).set(kGlobalLoads, 8 * kSweepWarps);
    }));
    CHECK_FALSE(sweepFires([](LaunchRef& l) { l.set(kWarpInstructions, 90 * kSweepWarps); }));
    // A reduction within blocks.
    CHECK_FALSE(sweepFires([](LaunchRef& l) { l.set(kSharedInstructions, kSweepWarps); }));
    CHECK_FALSE(sweepFires([](LaunchRef& l) { l.durationUs(3); }));
}

TEST_CASE("idle-sweep needs launches of which the next one finds nearly the same data") {
    const auto keep = [](LaunchRef&) {};
    // One look at the data.
    SyntheticProfile once(testDevice());
    sweep(once);
    CHECK_FALSE(find(analyzeOne(once), "idle-sweep"));
    // Two kernels between: these may have made new data.
    CHECK_FALSE(sweepFires(keep, [](SyntheticProfile& p) {
        idle(p, "render(float*)", {64, 1, 1}, {256, 1, 1}, 20.0);
        idle(p, "shade(float*)", {64, 1, 1}, {256, 1, 1}, 20.0);
    }));
    // One that writes all of it, and one that hardly writes, as the second half of a step of a
    // graph search.
    const auto second = [](double writes) {
        return [writes](SyntheticProfile& p) {
            sweep(p, "mark(int*)")
                .set(kGlobalInstructions, (1 + writes) * kSweepWarps)
                .set(kGlobalLoads, kSweepWarps);
            p.profile().launches.back().kernel = 1;
        };
    };
    CHECK_FALSE(sweepFires(keep, second(1)));
    CHECK(sweepFires(keep, second(0.01)));
    // A part of the data in each launch; and launches between that were not recorded.
    CHECK_FALSE(sweepFires(keep, [](SyntheticProfile& p) {
        Profile& profile = p.profile();
        const auto buffer = static_cast<std::uint32_t>(profile.buffers.size());
        profile.buffers.push_back({.allocation = 0, .offsetBytes = 4096 * buffer, .bytes = 4096});
        profile.argumentLists.add(std::vector{BufferArgument{.buffer = buffer}});
        profile.launches.back().arguments = buffer;
    }));
    CHECK_FALSE(sweepFires(keep, [](SyntheticProfile& p) {
        p.profile().capture.filters = {"--kernel accumulate_sweep"};
    }));
    // Frames that the host sends.
    CHECK_FALSE(sweepFires(keep, [](SyntheticProfile& p) {
        p.profile().timeline.transfers.push_back(
            {.kind = TransferKind::HostToDevice, .bytes = 67'108'864});
    }));
}

TEST_CASE("idle-sweep is silent where each block writes what all of its warps found") {
    // By __syncthreads_count(), in blocks of 32 warps.
    const auto fires = [](double writesPerBlock) {
        SyntheticProfile p(testDevice());
        for (int i = 0; i < 20; ++i) {
            constexpr double kBlocks = 16384;
            sweep(p)
                .set(kGlobalLoads, kSweepWarps)
                .set(kGlobalInstructions, kSweepWarps + writesPerBlock * kBlocks);
            Launch& launch = p.profile().launches.back();
            launch.kernel = 0;
            launch.grid = {16384, 1, 1};
            launch.block = {1024, 1, 1};
        }
        return find(analyzeOne(p), "idle-sweep") != nullptr;
    };
    CHECK(fires(0.5));
    CHECK_FALSE(fires(1));
}
