// SPDX-License-Identifier: Apache-2.0
// How often instructions were issued, by samples.
#include <vector>

#include "analyzer/source/issued.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

std::optional<std::vector<double>> issued(const std::vector<std::pair<const char*, double>>& code) {
    std::vector<Instruction> instructions;
    SampledStalls stalls{.states = {{.reason = "selected"}}};
    for (const auto& [sass, samples] : code) {
        instructions.push_back(
            {.offset = static_cast<std::uint32_t>(16 * instructions.size()), .sass = sass});
        stalls.states[0].perRow.push_back(samples);
        stalls.states[0].total += samples;
    }
    return issuedBySamples(instructions, stalls);
}

}  // namespace

TEST_CASE("instructions between two branches are issued equally often") {
    const auto rows = issued({{"MOV R1, R2", 10},
                              {"IADD3 R0, R0, 0x1, RZ", 590},  // 0x10: a loop begins here
                              {"FADD R3, R3, R4", 610},
                              {"@P0 BRA 0x10", 600},
                              {"STG.E desc[UR4][R2.64], R3", 12},
                              {"EXIT", 8},
                              {"BRA 0x60", 0}});
    REQUIRE(rows);
    CHECK(*rows == std::vector<double>{10, 600, 600, 600, 10, 10, 0});
}

TEST_CASE("few samples of issuing warps, or none, tell nothing") {
    CHECK_FALSE(issued({{"MOV R1, R2", 300}, {"EXIT", 199}}));
    CHECK(issued({{"MOV R1, R2", 300}, {"EXIT", 200}}));
    CHECK_FALSE(issuedBySamples({}, {}));
}
