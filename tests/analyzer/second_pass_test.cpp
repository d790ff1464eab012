// SPDX-License-Identifier: Apache-2.0
// second-pass: blocks that read their rows again, after a sum or a maximum of them.
#include <cstdint>
#include <optional>
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

constexpr const char* kSecondPass = "second-pass";
constexpr double kRowBytes = 200e3, kRowBlocks = 4096, kMatrix = kRowBytes * kRowBlocks;

/// A block for each row, which it loads `passes` times; a little is stored. Nothing is busy.
struct Softmax {
    double passes = 2, waits = 0.8, fromL2 = 2, shared = 0.01, sectors = 1, results = 16384;
    std::optional<double> dram = {};  ///< bytes read, where the DRAM is to be busy
    std::uint64_t blocks = static_cast<std::uint64_t>(kRowBlocks);
    const char* kernel = "log_probs(float const*, float*, int)";

    [[nodiscard]] KernelAnalysis analysed() const {
        SyntheticProfile p(testDevice());
        const double loads = passes * kMatrix / 128, time = dram ? 250 : 660;
        auto launch =
            idle(p, kernel, {static_cast<std::uint32_t>(blocks), 1, 1}, {1024, 1, 1}, time);
        launch.setAll(chipTable("GH100").value().groups.at("stalls").counters, 0.0)
            .set(stallCounter("long_scoreboard"), 10 * waits)
            .set(stallCounter("wait"), 10 * (1 - waits))
            .set(kGlobalLoads, loads)
            .set(kGlobalLoadBytes, passes * kMatrix)
            .set(kGlobalLoadSectors, sectors * passes * kMatrix / 32)
            .set(kL2ReadReturns, fromL2 * kMatrix / 32)
            .set(kSharedInstructions, shared * loads)
            .set(kGlobalStores, 1000)
            .set(kGlobalStoreBytes, 16e3)
            .set(kGlobalStoreSectors, 1000)
            .set("dram__bytes_read.sum", dram.value_or(kMatrix));
        std::vector<BufferArgument> arguments;
        for (std::uint32_t i = 0; i < 2; ++i) {
            p.profile().buffers.push_back(
                {.allocation = i, .bytes = static_cast<std::uint64_t>(i == 0 ? kMatrix : results)});
            arguments.push_back({.buffer = i, .parameter = i});
        }
        p.profile().argumentLists.add(arguments);
        p.profile().launches.at(0).arguments = 0;
        return analyzeOne(p);
    }
    [[nodiscard]] bool fires() const { return find(analysed(), kSecondPass) != nullptr; }
};

}  // namespace

TEST_CASE("rows that a block reads twice are told, with the share of the bytes") {
    const KernelAnalysis kernel = Softmax{}.analysed();
    const Finding* finding = find(kernel, kSecondPass);
    REQUIRE(finding);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->estimate);
    CHECK(finding->gainShare->value == Approx(0.5).epsilon(0.01));
    CHECK(finding->evidence.at(0).value == Approx(2.0).epsilon(0.01));
    CHECK(finding->expected.at(0).to == Approx(kMatrix).epsilon(0.01));
    // Warps wait for less than what is read again.
    CHECK(find(Softmax{.waits = 0.4}.analysed(), kSecondPass)->gainShare->value == Approx(0.4));
}

TEST_CASE("where the DRAM limits, only its bytes count that come again") {
    const auto gain = [](double dram) {
        const KernelAnalysis kernel = Softmax{.dram = dram}.analysed();
        const Finding* finding = find(kernel, kSecondPass);
        return finding ? finding->gainShare->value : 0.0;
    };
    CHECK(gain(1.25 * kMatrix) == Approx(0.2).epsilon(0.01));
    CHECK(gain(kMatrix) == 0);  // the second pass comes from the L2
}

TEST_CASE("one pass, neighbours, tiles, scattered loads and other kernels are no second pass") {
    CHECK(Softmax{}.fires());
    CHECK_FALSE(Softmax{.passes = 1, .fromL2 = 1}.fires());
    CHECK_FALSE(Softmax{.passes = 9, .fromL2 = 1.1}.fires());  // a stencil: the L1 has them
    CHECK_FALSE(Softmax{.passes = 9, .fromL2 = 9}.fires());    // redundant-read
    CHECK_FALSE(Softmax{.shared = 1}.fires());                 // tiles
    CHECK_FALSE(Softmax{.shared = 0}.fires());                 // nothing is combined
    CHECK_FALSE(Softmax{.sectors = 4}.fires());
    CHECK_FALSE(Softmax{.waits = 0.2}.fires());
    CHECK_FALSE(Softmax{.blocks = 400}.fires());  // 2 MB for each block
    // An update that reads as much from where it writes: each byte once.
    CHECK_FALSE(Softmax{.results = kMatrix}.fires());
    CHECK_FALSE(Softmax{.kernel = "void at::native::softmax(float const*, float*, int)"}.fires());
}
