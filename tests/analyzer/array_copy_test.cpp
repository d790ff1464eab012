// SPDX-License-Identifier: Apache-2.0
// array-copy: a kernel that only swaps or copies what other kernels use.
#include <memory>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kArrayCopy = "array-copy";
constexpr double kSwapBytes = 268e6;  // two arrays of 256³ doubles

/// Two rounds of a step that computes and of `name`, which moves as many bytes as it reads. Both
/// get the same two arrays; with `others`, the step gets arrays of its own.
struct SwapRounds {
    SyntheticProfile p{testDevice()};

    explicit SwapRounds(const char* name, bool others = false, double microseconds = 130) {
        for (int round = 0; round < 2; ++round) {
            copy(p, "step(double*, double const*)", kSwapBytes, 8, microseconds)
                .set(kFp64Fma, kSwapBytes / 8 * 7)
                .launch()
                .arguments = others ? 1U : 0U;
            copy(p, name, kSwapBytes, 8, microseconds).launch().arguments = 0;
        }
        Profile& profile = p.profile();
        profile.launches[2].kernel = profile.launches[0].kernel;
        profile.launches[3].kernel = profile.launches[1].kernel;
        for (std::uint32_t i = 0; i < 4; ++i)
            profile.buffers.push_back({.allocation = i, .bytes = 134217728});
        profile.argumentLists.add(std::vector<BufferArgument>{{0, 0}, {1, 1}});
        profile.argumentLists.add(std::vector<BufferArgument>{{2, 0}, {3, 1}});
    }
    SwapRounds& set(std::string_view counter, double value) {
        for (const std::size_t row : {1U, 3U}) p.profile().counters.set(counter, row, value);
        return *this;
    }
    [[nodiscard]] KernelAnalysis analysed() const {
        Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        for (KernelAnalysis& kernel : analysis.kernels)
            if (kernel.group.launches.front() == 1) return std::move(kernel);
        return {};
    }
    [[nodiscard]] bool fires() const { return find(analysed(), kArrayCopy) != nullptr; }
};

}  // namespace

TEST_CASE("a kernel that swaps arrays is replaced by an exchange of pointers") {
    const KernelAnalysis kernel = SwapRounds("Swap(double*, double*)").analysed();
    const Finding* finding = find(kernel, kArrayCopy);
    REQUIRE(finding);
    CHECK(unfilled(*finding).empty());
    CHECK(finding->gainShare->value == 1.0);
    CHECK(finding->args[0].value == kSwapBytes);
    CHECK(SwapRounds("copyField(double*, double const*)").fires());
    // Small blocks: nothing is near its limit.
    const SwapRounds small("Swap(double*, double*)", false, 400);
    CHECK(small.analysed().verdict.cls == VerdictClass::LatencyBound);
    CHECK(small.fires());
}

TEST_CASE("kernels that do more than move whole arrays are left alone") {
    CHECK_FALSE(SwapRounds("Swap(double*, double*)", true).fires());  // nobody else has its arrays
    // Without the name, it may change the order of the elements.
    CHECK_FALSE(SwapRounds("advance(double*, double*)").fires());
    CHECK_FALSE(SwapRounds("scaledCopy(double*, double*)").set(kFp64Mul, kSwapBytes / 8).fires());
    CHECK_FALSE(
        SwapRounds("copyHalf(double*, double*)").set(kGlobalStoreBytes, kSwapBytes / 2).fires());
    CHECK_FALSE(SwapRounds("swapTiles(double*, double*)").set(kSharedStores, 1e6).fires());
    CHECK_FALSE(
        SwapRounds("copyAndCount(int*, int*)").set(kGlobalInstructions, 3e6).fires());  // atomics
    CHECK_FALSE(SwapRounds("copyIf(int*, int*)").set(kWarpInstructions, 80e6).fires());
    // One launch, before the loop.
    SwapRounds once("copyInput(double*, double*)");
    once.p.profile().launches[3].kernel = once.p.profile().launches[0].kernel;
    CHECK_FALSE(once.fires());
}
