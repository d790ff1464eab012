// SPDX-License-Identifier: Apache-2.0
// Embedding tables of which a step uses few rows: where sparse gradients are proposed.
#include <string>

#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using roofscope::test::actionOf;
using roofscope::test::judged;
using roofscope::test::repeated;
using roofscope::test::says;
using roofscope::test::SyntheticProgram;

namespace {

struct Sizes {
    std::string lookUp = "[2000000, 64], [4096, 8]";
    std::string optimizer = "[2000000, 64], [256, 512], [2000000, 64], …";
    std::string backward = "aten::embedding_dense_backward";
};

Profile training(const Sizes& sizes) {
    Profile profile = repeated([](SyntheticProgram& p) {
        p.launch("look_up", 20).launch("dense_gradient", 100).launch("adam", 700).sync();
    });
    const auto site = [&](const char* kernel, const std::string& op, const std::string& text) {
        for (std::uint32_t k = 0; k < profile.kernels.size(); ++k)
            if (profile.kernels[k].name == kernel)
                profile.callSites.push_back({.kernel = k, .op = op, .sizes = text, .count = 20});
    };
    site("look_up", "aten::embedding", sizes.lookUp);
    site("dense_gradient", sizes.backward, "");
    site("adam", "aten::_fused_adam_", sizes.optimizer);
    return profile;
}

bool proposesSparse(const Sizes& sizes) { return says(judged(training(sizes)), "unused-rows"); }

}  // namespace

TEST_CASE("an optimizer that passes over a table of unused rows should get sparse gradients") {
    const Program program = judged(training({}));
    const Action& action = actionOf(program, "unused-rows");
    const double part = 2 * 128e6 / (2 * 128e6 + 256 * 512);
    CHECK(action.bound.value * 1e6 == Approx(700 * part * (1 - 32768 / 2e6)).epsilon(0.001));
    CHECK_FALSE(action.estimate);  // sparse gradients take launches of their own
    CHECK(action.args.at(0).value == 32768);
    CHECK(action.args.at(1).value == 2e6);
    CHECK(proposesSparse({.lookUp = "[2000000, 64], [32768]"}));
}

TEST_CASE("no sparse gradients are proposed where rows are used, or the table is a small part") {
    // A sixteenth of the rows at least.
    CHECK_FALSE(proposesSparse({.lookUp = "[2000000, 64], [130000]"}));
    CHECK_FALSE(proposesSparse({.optimizer = "[2000000, 64], [4096, 40000]"}));
    CHECK_FALSE(proposesSparse({.optimizer = "[4096, 4096], [2000000, 32]"}));
    // Sparse already.
    CHECK_FALSE(proposesSparse({.backward = "aten::embedding_sparse_backward"}));
}
