// SPDX-License-Identifier: Apache-2.0
// What is parsed from nvdisasm's listings.
#include "collector/run/tools/disassembly.h"

#include "tests/support/catch.h"

using namespace roofscope;

TEST_CASE("jumps get the offset of their label, in their function only") {
    const char* listing = R"(
.section .text.other,"ax",@progbits
.text.other:
        /*0000*/                   EXIT ;
.L_x_9:
.text.chase:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
.L_x_2:
        /*0010*/              @!P0 LDG.E R4, desc[UR4][R2.64] ;
        /*0020*/               @P1 BRA `(.L_x_1) ;
        /*0030*/                   BRA `(.L_x_0);
        /*0040*/                   CALL.REL.NOINC `(.L_x_9) ;
        /*0050*/                   BRA `(.L_x_1
.L_x_0:
        /*0060*/                   EXIT ;
)";
    const auto lines = parseDisassembly(listing, "chase");
    std::vector<std::string> texts;
    for (const SassLine& line : lines) texts.push_back(line.text);
    CHECK(texts == std::vector<std::string>{"LDC R1, c[0x0][0x28]",
                                            "@!P0 LDG.E R4, desc[UR4][R2.64]", "@P1 BRA 0x10",
                                            "BRA 0x60", "CALL.REL.NOINC `(.L_x_9)", "EXIT"});
    CHECK(lines.back().offset == 0x60);
    CHECK(parseDisassembly(listing, "missing").empty());
}
