// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the search of producers in a profile's machine code, one line per instruction.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/source/producers.h"
#include "analyzer/source/sass.h"

using namespace roofscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    std::vector<Instruction> instructions;
    while (!text.empty() && instructions.size() < 400) {
        const auto end = std::min(text.find('\n'), text.size());
        instructions.push_back({.offset = static_cast<std::uint32_t>(16 * instructions.size()),
                                .sass = std::string(text.substr(0, end))});
        (void)readSass(instructions.back().sass);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const Dataflow flow(instructions);
    for (std::size_t row = 0; row < instructions.size(); ++row) {
        for (const char* state : {"long_scoreboard", "short_scoreboard", "barrier", "drain"})
            if (const auto producer = flow.producerOf(row, state))
                if (producer->row >= instructions.size()) std::abort();
        if (const auto load = flow.addressFrom(row))
            if (*load >= instructions.size()) std::abort();
        if (flow.loadsInFlight(row) > instructions.size()) std::abort();
    }
    return 0;
}

#ifdef ROOFSCOPE_FUZZ_MAIN
#include "tests/fuzz/damage.h"

int main(int argc, char** argv) {
    const std::string kPieces[] = {"R255",
                                   "UR4",
                                   "R99999999999",
                                   ".64",
                                   ".128",
                                   "[",
                                   "]",
                                   ",",
                                   "@P0 ",
                                   "@!PT ",
                                   "BRA 0x10",
                                   "BRA 0xffffffffffffffff",
                                   "0x",
                                   "\n",
                                   ";",
                                   "LDG.E R4, desc[UR4][R2.64]",
                                   "HGMMA.64x",
                                   "x999",
                                   "BAR.SYNC 0x0",
                                   "EXIT",
                                   "STG.E [R254.64], R254"};
    // Every row of each text is traced back: 1 ms per text.
    return fuzz::runDamaged(argc, argv, {}, kPieces, {}, 4'000);
}
#endif
