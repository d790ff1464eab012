// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/ask_command.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

TEST_CASE("the next recording reads what this one's rules lacked") {
    std::size_t seen = 0;
    for (const char* file : {"h200_bundled", "h200_tensor", "h200_torch_chain"}) {
        const Analysis& analysis = test::recorded(file);
        for (const KernelAnalysis& kernel : analysis.kernels) {
            const auto lacking = lackingGroups(*analysis.profile, kernel);
            for (const CannotTell& unknown : kernel.cannotTell)
                if (unknown.ruleId == "mma-instead-of-wgmma") {
                    ++seen;
                    CHECK(lacking == std::vector<std::string>{"tensor"});
                }
        }
    }
    CHECK(seen > 0);
}
