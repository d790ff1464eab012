// SPDX-License-Identifier: Apache-2.0
// Singular values of tall matrices by PyTorch.
#include <algorithm>
#include <string>
#include <string_view>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionNamed;
using roofscope::test::judged;
using roofscope::test::SyntheticProgram;
using test::argument;

namespace {

constexpr const char* kRotate = "void gesvdbj_batch_32x16<float2, float>(long, int const*)";
constexpr const char* kScale = "void svd_col_scale_kernel<float2, 256>(long, long)";
constexpr const char* kTransform = "void regular_fft<EPT<16u>, (twiddle_t)0>(int)";

struct Svd {
    std::string_view sizes = "[65536, 60]";
    std::string_view op = "aten::_linalg_svd";
    double us = 100;               ///< of each of 18 rotations
    std::string_view second = {};  ///< sizes of the other kernel of the operator
    std::string_view beside = {};  ///< another operator at another line launches the rotations, too
};

/// Ten steps: an SVD, and 1,000 µs of something else.
Program judgedSvd(const Svd& svd) {
    SyntheticProgram p;
    for (int i = 0; i < 10; ++i) {
        p.push("step");
        for (int k = 0; k < 18; ++k) p.launch(kRotate, svd.us);
        p.launch(kScale, 50).launch(kTransform, 1000).sync().pop();
    }
    Profile profile = p.build();
    for (std::uint32_t k = 0; k < profile.kernels.size(); ++k) {
        const bool rotates = profile.kernels[k].name == kRotate;
        if (!rotates && profile.kernels[k].name != kScale) continue;
        CallSite site{.kernel = k, .file = "/app/mri.py", .line = 72};
        site.op = svd.op;
        site.sizes = rotates ? svd.sizes : svd.second;
        site.count = 10;
        profile.callSites.push_back(site);
        if (!rotates || svd.beside.empty()) continue;
        site.line = 90;
        site.op = svd.beside;
        profile.callSites.push_back(site);
    }
    for (Launch& launch : profile.launches) launch.grid = {2, 1, 1};
    return judged(profile);
}

const Action* svdAction(const Program& program) { return actionNamed(program, "tall-svd"); }

}  // namespace

TEST_CASE("the SVD of a tall matrix is told to take the eigenvalues of a small one") {
    const Program program = judgedSvd({});
    const Action* action = svdAction(program);
    REQUIRE(action);
    CHECK(action == &program.actions.front());
    // The kernel whose size is not known is at the same line. What stays is to read twice 31 MB.
    CHECK(action->kernels.size() == 2);
    CHECK(action->bound.value * 1e6 < 1850);
    CHECK(action->bound.value * 1e6 > 1850 - 40);
    CHECK_FALSE(action->estimate);
    CHECK(argument(*action, "rows") == 65536);
    CHECK(argument(*action, "columns") == 60);
    CHECK(action->title.in(Language::En) == "SVD of a tall matrix");
    CHECK(action->edit.in(Language::En).find("torch.linalg.eigh") != std::string::npos);
    CHECK(action->edit.in(Language::En).find("torch.linalg.qr(A),") != std::string::npos);
    // Its kernels get no other advice.
    for (const Action& other : program.actions)
        for (const std::uint32_t k : action->kernels)
            CHECK((&other == action || std::ranges::find(other.kernels, k) == other.kernels.end()));
}

TEST_CASE("a wide matrix has its small product on the other side, and a batch is alike") {
    const Program wide = judgedSvd({.sizes = "[60, 65536]"});
    REQUIRE(svdAction(wide));
    CHECK(svdAction(wide)->title.in(Language::En) == "SVD of a wide matrix");
    CHECK(svdAction(wide)->edit.in(Language::En).find("torch.linalg.qr(A^H)") != std::string::npos);
    const Program batch = judgedSvd({.sizes = "[32, 4096, 16]", .op = "aten::linalg_svd"});
    REQUIRE(svdAction(batch));
    CHECK(argument(*svdAction(batch), "rows") == 4096);
}

TEST_CASE("square or large matrices, other operators and short SVDs get no such advice") {
    CHECK_FALSE(svdAction(judgedSvd({.sizes = "[512, 512]"})));
    CHECK_FALSE(svdAction(judgedSvd({.sizes = "[400, 60]"})));
    CHECK_FALSE(svdAction(judgedSvd({.sizes = "[65536, 2048]"})));
    CHECK_FALSE(svdAction(judgedSvd({.sizes = "[65536]"})));
    CHECK_FALSE(svdAction(judgedSvd({.sizes = ""})));
    CHECK_FALSE(svdAction(judgedSvd({.op = "aten::linalg_qr"})));
    CHECK_FALSE(svdAction(judgedSvd({.op = "aten::_linalg_eigh"})));
    CHECK_FALSE(svdAction(judgedSvd({.op = "mylib::linalg_svd"})));
    CHECK_FALSE(svdAction(judgedSvd({.us = 5})));
    // Kernels that another operator launches as well take most of the time.
    CHECK_FALSE(svdAction(judgedSvd({.beside = "aten::_linalg_eigh"})));
    // The line also takes the SVD of a square matrix: only what is known to be tall counts.
    const Program mixed = judgedSvd({.second = "[512, 512]"});
    REQUIRE(svdAction(mixed));
    CHECK(svdAction(mixed)->kernels.size() == 1);
}
