// SPDX-License-Identifier: Apache-2.0
// JAX: slices of an array that are updated by a kernel each, and chains of tiny kernels.
#include <memory>
#include <string>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kSliceUpdates = "slice-updates";

/// Steps that update `slices` slices, each in its own kernel, or all in the kernel of a scan.
Program updating(int slices, double rest = 200, bool inScan = false,
                 KernelOrigin origin = KernelOrigin::Xla, double excess = 0.8) {
    Analysis analysis = analyze(std::make_shared<const Profile>(repeated([&](SyntheticProgram& p) {
        p.launch("input_fusion", rest);
        for (int i = 0; i < slices; ++i)
            p.launch("loop_dynamic_update_slice_fusion_" + std::to_string(inScan ? 0 : i), 100);
        p.sync();
    })));
    for (KernelAnalysis& kernel : analysis.kernels) {
        kernel.findings.clear();
        kernel.origin = origin;
        kernel.quantities.stores.sectors = Derived<double>::of(1000, "test");
        kernel.quantities.stores.certainExcess = Derived<double>::of(1000 * excess, "test");
    }
    return analyzeProgram(analysis);
}

}  // namespace

TEST_CASE("slices that are updated one after another are to become one array at once") {
    const Program program = updating(9);
    const Action& action = actionOf(program, kSliceUpdates);
    CHECK(action.bound.value == Approx(700e-6));  // two of nine passes stay
    CHECK(action.estimate);
    CHECK(argument(action, "count") == 9);
    CHECK(argument(action, "time") == Approx(900e-6));
}

TEST_CASE("a scan's results, a few slices and other kernels of that name are left alone") {
    CHECK_FALSE(says(updating(9, 200, true), kSliceUpdates));
    CHECK_FALSE(says(updating(3), kSliceUpdates));
    CHECK_FALSE(says(updating(9, 8000), kSliceUpdates));
    CHECK_FALSE(says(updating(9, 200, false, KernelOrigin::Own), kSliceUpdates));
    CHECK_FALSE(says(updating(9, 200, false, KernelOrigin::Xla, 0.1), kSliceUpdates));  // a cache
}

TEST_CASE("a chain of tiny kernels of XLA is told that each should do more") {
    const auto judgedChain = [](int kernels, double us, KernelOrigin origin = KernelOrigin::Xla) {
        Analysis analysis =
            analyze(std::make_shared<const Profile>(repeated([&](SyntheticProgram& p) {
                for (int i = 0; i < kernels; ++i) p.launch("loop_add_fusion", us);
                p.sync();
            })));
        for (KernelAnalysis& kernel : analysis.kernels) {
            kernel.findings.clear();
            kernel.origin = origin;
        }
        return analyzeProgram(analysis);
    };
    constexpr const char* kSmall = "small-xla-kernels";
    const Program program = judgedChain(1200, 1.2);
    const Action& action = actionOf(program, kSmall);
    CHECK_FALSE(action.estimate);
    CHECK(argument(action, "count") == Approx(1200));
    CHECK(argument(action, "each") * 1e6 == Approx(1.2));
    CHECK_FALSE(says(program, "launch-bound-program"));
    CHECK_FALSE(says(judgedChain(300, 1.2), kSmall));
    CHECK_FALSE(says(judgedChain(1200, 8), kSmall));
    CHECK_FALSE(says(judgedChain(1200, 1.2, KernelOrigin::Own), kSmall));
}
