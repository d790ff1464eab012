// SPDX-License-Identifier: Apache-2.0
// Arrays whose order of dimensions does not fit the operators of CuPy or PyTorch on them.
#include <memory>
#include <string>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kStridedViews = "strided-views";

struct Steps {
    std::string copy = "cupy_copy__float32_float32", collide = "lbm_collide";
    double copies = 100, rest = 100;  ///< microseconds
    double excess = 0.8;
    KernelOrigin origin = KernelOrigin::Own;  ///< of the program's kernel
    std::uint32_t threads = 128;              ///< of its blocks

    [[nodiscard]] Program judged() const {
        Profile profile = repeated([&](SyntheticProgram& p) {
            p.launch(copy, copies).launch(collide, 100).launch("cupy_cub_sum", rest);
            p.sync();
        });
        for (Launch& launch : profile.launches) launch.block = {.x = threads, .y = 1, .z = 1};
        Analysis analysis = analyze(std::make_shared<const Profile>(std::move(profile)));
        for (KernelAnalysis& kernel : analysis.kernels) {
            kernel.findings.clear();
            if (kernel.name == "cupy_cub_sum") continue;
            if (kernel.name == collide) kernel.origin = origin;
            kernel.quantities.stores.sectors = Derived<double>::of(1000, "test");
            kernel.quantities.stores.certainExcess = Derived<double>::of(1000 * excess, "test");
            const Seconds gain = kernel.quantities.duration.median * 0.7;
            kernel.findings.push_back({.ruleId = "global-uncoalesced",
                                       .gain = Derived<Seconds>::of(gain, "test"),
                                       .gainShare = Derived<Ratio>::of({0.7}, "test")});
        }
        return analyzeProgram(analysis);
    }
    [[nodiscard]] bool fires() const { return says(judged(), kStridedViews); }
};

}  // namespace

TEST_CASE("elementwise kernels across an array's order in memory are told to change the order") {
    const Program program = Steps{}.judged();
    const Action& action = actionOf(program, kStridedViews);
    CHECK(action.bound.value == Approx(140e-6));
    CHECK(action.estimate);
    CHECK(argument(action, "launches") == 2);
    CHECK(argument(action, "excess") == Approx(0.8));
    CHECK(action.edit.in(Language::En).find("(19, x, y, z)") != std::string::npos);
    // It replaces what is said of each kernel.
    CHECK_FALSE(says(program, "global-uncoalesced"));
}

TEST_CASE("the program's own kernels, coalesced views and small parts are left alone") {
    CHECK_FALSE(Steps{.copies = 50, .threads = 256}.fires());  // a RawKernel beside some copies
    CHECK_FALSE(Steps{.copy = "scatter"}.fires());             // no operator of CuPy
    CHECK_FALSE(Steps{.copies = 20, .rest = 100}.fires());     // mostly the own kernel
    CHECK_FALSE(Steps{.rest = 900}.fires());                   // 14 % of the window
    CHECK_FALSE(Steps{.excess = 0.3}.fires());
    // The copies alone: they can be left out as a whole.
    CHECK_FALSE(Steps{.copies = 200, .origin = KernelOrigin::Library}.fires());
}
