// SPDX-License-Identifier: Apache-2.0
// layout-conversion: fires on cuDNN's copies between NCHW and NHWC, not on similar names.
#include "analyzer/diagnosis/rule.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

constexpr const char* kConversion = "layout-conversion";

KernelAnalysis named(const char* name, const char* symbol) {
    SyntheticProfile p(testDevice());
    idle(p, name, {4096, 1, 1}, {256, 1, 1}, 25);
    p.profile().kernels.front().symbol = symbol;
    return analyzeOne(p);
}

}  // namespace

TEST_CASE("layout-conversion fires on cuDNN's copies, all of whose time it may win") {
    for (const char* direction : {"nchwToNhwc", "nhwcToNchw"}) {
        const std::string name =
            std::string("void cudnn::engines_precompiled::") + direction +
            "Kernel<float, float, float, false, true, (cudnnKernelDataType_t)0>";
        const auto kernel = named(name.c_str(), "_ZN5cudnn19engines_precompiled16Kernel");
        const Finding* finding = find(kernel, kConversion);
        REQUIRE(finding);
        CHECK(finding->gainShare->value == Approx(1));
        CHECK(finding->estimate);
        // Nobody can change the library's copy, so no other finding is shown.
        CHECK(kernel.findings.size() == 1);
    }
}

TEST_CASE("layout-conversion does not fire on kernels of others, nor on convolutions") {
    CHECK_FALSE(find(named("nchwToNhwcKernel<float>", "_Z16nchwToNhwcKernelIfEvv"), kConversion));
    CHECK_FALSE(find(named("void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5>",
                           "_ZN5cudnn3cnn17wgrad_alg0_engine"),
                     kConversion));
}
