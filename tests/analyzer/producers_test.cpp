// SPDX-License-Identifier: Apache-2.0
// Which instruction another one waits for, found in machine code.
#include "analyzer/source/producers.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

std::vector<Register> registers(std::initializer_list<int> numbers, bool uniform = false) {
    std::vector<Register> list;
    for (const int number : numbers) list.push_back({static_cast<std::uint16_t>(number), uniform});
    return list;
}

std::vector<Register> general(std::vector<Register> list) {
    std::erase_if(list, [](Register r) { return r.uniform; });
    std::ranges::sort(list);
    return list;
}

std::vector<Register> reads(const char* sass) { return general(readRegisters(sass).reads); }
std::vector<Register> writes(const char* sass) { return general(readRegisters(sass).writes); }

/// Instructions at 0, 16, 32 …
std::vector<Instruction> code(std::initializer_list<const char*> lines) {
    std::vector<Instruction> instructions;
    for (const char* line : lines)
        instructions.push_back(
            {.offset = static_cast<std::uint32_t>(16 * instructions.size()), .sass = line});
    return instructions;
}

/// The source pass of a recorded kernel.
const SourcePass& recordedPass(const char* sample, const char* kernel) {
    const Profile& profile = *test::recorded(sample).profile;
    for (const SourcePass& pass : profile.sources)
        if (profile.kernels[pass.kernel].name.find(kernel) != std::string::npos) return pass;
    FAIL("no source pass of " << kernel);
    throw 0;
}

std::size_t rowAt(const SourcePass& pass, std::uint32_t offset) {
    const auto found = std::ranges::find(pass.instructions, offset, &Instruction::offset);
    REQUIRE(found != pass.instructions.end());
    return static_cast<std::size_t>(found - pass.instructions.begin());
}

/// The row whose result another row waits for, if known.
std::optional<std::size_t> awaited(const Dataflow& flow, std::size_t row) {
    const auto producer = flow.producerOf(row, "long_scoreboard");
    return producer ? std::optional(producer->row) : std::nullopt;
}

}  // namespace

TEST_CASE("registers that instructions read and write") {
    CHECK(writes("@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x800]") == registers({4, 5, 6, 7}));
    CHECK(reads("@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x800]") == registers({2, 3}));
    CHECK(readRegisters("LDG.E R4, desc[UR4][R2.64]").reads.front() == Register{4, true});
    CHECK(readRegisters("@!P0 LDG.E R4, desc[UR4][R2.64]").predicated);
    CHECK_FALSE(readRegisters("@PT LDG.E R4, desc[UR4][R2.64]").predicated);
    CHECK(writes("STG.E.64 desc[UR4][R2.64], R12").empty());
    CHECK(reads("STG.E.64 desc[UR4][R2.64], R12") == registers({2, 3, 12, 13}));
    CHECK(writes("ISETP.GE.U32.AND P0, PT, R2, UR4, PT").empty());
    CHECK(reads("ISETP.GE.U32.AND P0, PT, R2, UR4, PT") == registers({2}));
    CHECK(writes("LEA R18, P2, R8, R18, 0x2") == registers({18}));
    CHECK(reads("LEA R18, P2, R8, R18, 0x2") == registers({8, 18}));
    CHECK(writes("IMAD.WIDE.U32 R8, R3, UR9, R10") == registers({8, 9}));
    CHECK(reads("IMAD.WIDE.U32 R8, R3.reuse, UR9, R10") == registers({3, 10, 11}));
    CHECK(writes("SHFL.BFLY PT, R7, R8, 0x10, 0x1f") == registers({7}));
    CHECK(reads("SHFL.BFLY P1, R36, R35, R32, R33") == registers({32, 33, 35}));
    CHECK(writes("@P0 ATOM.E.ADD.STRONG.GPU PT, R9, desc[UR4][R6.64+0x4], R9") == registers({9}));
    CHECK(reads("@P0 ATOM.E.ADD.STRONG.GPU PT, R9, desc[UR4][R6.64+0x4], R9") ==
          registers({6, 7, 9}));
    CHECK(writes("LDSM.16.MT88.4 R180, [R100+0x10]") == registers({180, 181, 182, 183}));
    CHECK(reads("HMMA.16816.F32.BF16 R96, R188, R182, R96") ==
          registers({96, 97, 98, 99, 182, 183, 188, 189, 190, 191}));
    CHECK(writes("HGMMA.64x16x16.F32.BF16 R24, gdesc[UR4], R24, gsb0").size() == 8);
    CHECK(reads("DFMA R2, R4, -R6, |R8|") == registers({4, 5, 6, 7, 8, 9}));
    CHECK(writes("LDGSTS.E.BYPASS.128 [R7+0x10], desc[UR4][R2.64]").empty());
    CHECK(writes("MOV R255, RZ").empty());  // no such register
    CHECK(readRegisters("").writes.empty());
    CHECK(readRegisters("@!P0").reads.empty());
    CHECK(readRegisters("IADD3 R, [[[, R1").writes.empty());
}

TEST_CASE("a recorded kernel's waits lead to what its author would name") {
    // Triton: z = x + y; two 128-bit loads of each before the first use.
    const SourcePass& add = recordedPass("h200_triton_source", "add_kernel");
    const Dataflow flow(add.instructions);
    const std::size_t use = rowAt(add, 464);  // FADD R12, R12, R16
    const auto load = flow.producerOf(use, "long_scoreboard");
    REQUIRE(load);
    CHECK(add.instructions[load->row].offset == 400);  // LDG.E.128 R12: the later of the two
    CHECK(load->dependency == Dependency::Result);
    CHECK(flow.loadsInFlight(use) == 4);
    CHECK(flow.loadsInFlight(rowAt(add, 544)) == 2);
    CHECK_FALSE(flow.addressFrom(load->row));
    // SHF.L.U32 R0, R0, …: the thread index (S2R).
    const auto number = flow.producerOf(rowAt(add, 240), "short_scoreboard");
    REQUIRE(number);
    CHECK(add.instructions[number->row].offset == 16);

    const SourcePass& transpose = recordedPass("h200_source", "transposeTile<0>");
    const Dataflow tile(transpose.instructions);
    const auto producer = [&](std::uint32_t offset, const char* state) {
        const auto found = tile.producerOf(rowAt(transpose, offset), state);
        REQUIRE(found);
        return std::pair{transpose.instructions[found->row].sass, found->dependency};
    };
    CHECK(producer(1488, "long_scoreboard") ==
          std::pair{std::string("@!P1 LDG.E.CONSTANT R18, desc[UR6][R18.64]"), Dependency::Result});
    CHECK(tile.loadsInFlight(rowAt(transpose, 1488)) == 4);
    CHECK(producer(1760, "short_scoreboard") ==
          std::pair{std::string("LDS R7, [R0]"), Dependency::Result});
    CHECK(producer(1600, "barrier") ==
          std::pair{std::string("BAR.SYNC.DEFER_BLOCKING 0x0"), Dependency::Order});
    // R11 is half of the address of an earlier store, so it must not be overwritten yet.
    CHECK(producer(1824, "long_scoreboard") ==
          std::pair{std::string("STG.E desc[UR6][R10.64], R7"), Dependency::Register});
    CHECK(producer(2448, "drain").first == "STG.E desc[UR6][R4.64], R7");
}

TEST_CASE("a loop is followed over its jump, and a chain of addresses is seen") {
    const auto chase = code({"MOV R2, c[0x0][0x210]",             //  0
                             "LDG.E.64 R2, desc[UR4][R2.64]",     // 16: loads the next address
                             "IADD3 R5, R5, 0x1, RZ",             // 32
                             "ISETP.GE.AND P0, PT, R5, UR6, PT",  // 48
                             "@!P0 BRA 0x10",                     // 64
                             "EXIT"});
    const Dataflow flow(chase);
    const auto producer = flow.producerOf(1, "long_scoreboard");
    REQUIRE(producer);
    CHECK(producer->row == 1);
    CHECK(flow.addressFrom(1) == std::size_t{1});
    // Without the jump target the previous round is unknown.
    auto unknown = chase;
    unknown[4].sass = "@!P0 BRA `(.L_x_0)";
    CHECK_FALSE(Dataflow(unknown).producerOf(1, "long_scoreboard"));
}

TEST_CASE("a load before a loop does not chain the loads within") {
    const auto chained = [](const char* end) {
        const auto instructions =
            code({"LDG.E R4, desc[UR4][R2.64]", "IMAD.WIDE R8, R4, 0x4, R10",
                  "LDG.E R6, desc[UR4][R8.64]", "FADD R7, R7, R6", end, "EXIT"});
        return Dataflow(instructions).addressFrom(2).has_value();
    };
    CHECK(chained("@!P0 BRA 0x0"));         // each round looks up its own place
    CHECK(chained("FADD R7, R7, R7"));      // no loop
    CHECK_FALSE(chained("@!P0 BRA 0x20"));  // one place for all rounds
}

TEST_CASE("an overwritten register is not waited for") {
    const auto instructions = code({"LDG.E R4, desc[UR4][R2.64]", "LDG.E R6, desc[UR4][R8.64]",
                                    "MOV R4, RZ", "FADD R7, R4, R6", "FADD R12, R4, R4"});
    const Dataflow flow(instructions);
    CHECK(awaited(flow, 3) == std::size_t{1});
    CHECK_FALSE(flow.producerOf(4, "long_scoreboard"));
    CHECK_FALSE(flow.producerOf(3, "math_pipe_throttle"));
    // After a predicated write the older value may remain.
    auto maybe = instructions;
    maybe[2].sass = "@P1 MOV R4, RZ";
    CHECK(awaited(Dataflow(maybe), 4) == std::size_t{0});
}

TEST_CASE("an unconditional jump is not fallen through") {
    const auto instructions = code({"LDG.E R4, desc[UR4][R2.64]", "BRA 0x40",
                                    "LDG.E R4, desc[UR4][R6.64]", "EXIT", "FADD R5, R4, R4"});
    CHECK(awaited(Dataflow(instructions), 4) == std::size_t{0});
}

TEST_CASE("malformed machine code is handled without an error") {
    const auto odd = code({"BRA 0x0", "", "BRA 0xffffffffff", "@ @ @", "LDG", "BRA 0x30"});
    const Dataflow flow(odd);
    for (std::size_t row = 0; row < odd.size(); ++row)
        for (const char* state : {"long_scoreboard", "short_scoreboard", "barrier", "drain"})
            CHECK_FALSE(flow.producerOf(row, state));
}

namespace {

/// Compiled kernels with the scoreboards of their encodings (tests/data/waits).
const nlohmann::json& listings() {
    static const auto data = [] {
        const char* path = std::getenv("ROOFSCOPE_WAIT_LISTINGS");
        std::ifstream file(path ? path : ROOFSCOPE_SOURCE_DIR "/tests/data/waits/listings.json");
        return nlohmann::json::parse(file);
    }();
    return data;
}

std::vector<Instruction> instructionsOf(const nlohmann::json& kernel) {
    std::vector<Instruction> instructions;
    for (const auto& row : kernel)
        instructions.push_back({.offset = row[0], .sass = row[2], .line = row[1]});
    return instructions;
}

/// The rows before `row` that set the scoreboard it waits for, in straight-line code, since the
/// last wait for the same one. Empty if they are in another block.
std::set<std::size_t> truthOf(const nlohmann::json& kernel, std::size_t row) {
    std::set<std::size_t> rows;
    for (unsigned board = 0; board < 6; ++board) {
        const auto waits = [&](std::size_t at) {
            return (kernel[at][3].get<unsigned>() >> board & 1) != 0;
        };
        if (!waits(row)) continue;
        for (std::size_t at = row; at-- > 0 && !(waits(at) && at + 1 < row);) {
            const std::string sass = kernel[at][2];
            if (sass.find("BRA") != sass.npos || sass.find("EXIT") != sass.npos) break;
            if (kernel[at][4] == board || kernel[at][5] == board) rows.insert(at);
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("producers agree with the scoreboards of the encoding, on four generations of GPUs") {
    for (const auto& [chip, kernels] : listings()["chips"].items()) {
        std::size_t right = 0, wrong = 0, silent = 0;
        std::string log;
        for (const auto& [name, kernel] : kernels.items()) {
            const auto instructions = instructionsOf(kernel);
            const Dataflow flow(instructions);
            for (std::size_t row = 0; row < instructions.size(); ++row) {
                const auto truth = truthOf(kernel, row);
                if (truth.empty()) continue;
                bool any = false, hit = false;
                for (const char* state : {"long_scoreboard", "short_scoreboard"})
                    if (const auto producer = flow.producerOf(row, state)) {
                        any = true;
                        hit = hit || truth.contains(producer->row);
                    }
                ++(hit ? right : any ? wrong : silent);
                if (!hit)
                    log += fmt::format("{} {} +{}: {}{}\n", chip, name, instructions[row].offset,
                                       instructions[row].sass, any ? "" : " (silent)");
            }
        }
        INFO(log << chip << ": " << right << " right, " << wrong << " wrong, " << silent
                 << " silent");
        CHECK(right + wrong + silent > 50);
        CHECK(right >= 0.9 * (right + wrong + silent));
        CHECK(wrong <= 0.05 * (right + wrong + silent));
    }
}

TEST_CASE("an address is told by what it is computed from") {
    const auto walk = code({"LDG.E R4, desc[UR4][R2.64]",        //   0: where the row begins
                            "MOV R8, c[0x0][0x210]",             //  16
                            "IMAD.WIDE R6, R4, 0x4, R8",         //  32
                            "LDG.E R10, desc[UR4][R6.64]",       //  48: an element of the row
                            "IMAD.WIDE R12, R10, 0x4, R8",       //  64
                            "LDG.E R14, desc[UR4][R12.64]",      //  80: what it is an index of
                            "IADD3 R6, P1, R6, 0x4, RZ",         //  96
                            "STG.E desc[UR4][R8.64], R14",       // 112
                            "ISETP.GE.AND P0, PT, R6, UR6, PT",  // 128
                            "@!P0 BRA 0x30",                     // 144
                            "EXIT"});
    const Dataflow flow(walk);
    CHECK(flow.addressOf(0).loads.empty());
    CHECK(flow.addressOf(3).loads == std::vector<std::size_t>{0});
    CHECK(flow.addressOf(3).advances);
    CHECK(flow.addressOf(5).loads == std::vector<std::size_t>{3});
    CHECK_FALSE(flow.addressOf(5).advances);
    CHECK(flow.addressOf(7).loads.empty());  // only its value was loaded
    CHECK_FALSE(flow.addressOf(3).fromFloat);
    // A pointer that goes on by the size of an array does not walk along a row.
    auto far = walk;
    far[6].sass = "IADD3 R6, P1, R6, UR8, RZ";
    CHECK_FALSE(Dataflow(far).addressOf(3).advances);
}

TEST_CASE("a search is told by the loads that decide where it goes on") {
    const auto deciders = [](const std::vector<Instruction>& instructions) {
        const Dataflow flow(instructions);
        return flow.decidersOf(flow.addressOf(5));
    };
    const auto search = code({"MOV R4, RZ",                          //   0: low
                              "MOV R5, c[0x0][0x220]",               //  16: high
                              "IADD3 R6, R4, R5, RZ",                //  32
                              "SHF.R.U32.HI R6, RZ, 0x1, R6",        //  48: the middle
                              "IMAD.WIDE R2, R6, 0x4, R8",           //  64
                              "LDG.E R10, desc[UR4][R2.64]",         //  80
                              "FSETP.GEU.AND P0, PT, R10, R12, PT",  //  96
                              "SEL R5, R6, R5, P0",                  // 112
                              "@!P0 IADD3 R4, R6, 0x1, RZ",          // 128
                              "ISETP.GE.AND P1, PT, R4, R5, PT",     // 144
                              "@!P1 BRA 0x20",                       // 160
                              "EXIT"});
    CHECK(deciders(search) == std::vector<std::size_t>{5});
    auto other = search;
    other[6].sass = "FSETP.GEU.AND P2, PT, R10, R12, PT";  // decides nothing here
    CHECK(deciders(other).empty());
    // Another instruction writes the predicate after the comparison.
    auto rewritten = search;
    rewritten[9].sass = "NOP";
    rewritten.insert(rewritten.begin() + 7,
                     {.offset = 112, .sass = "LOP3.LUT P0, RZ, R30, 0x1, RZ, 0xc0, !PT"});
    for (std::size_t row = 8; row < rewritten.size(); ++row)
        rewritten[row].offset = static_cast<std::uint32_t>(16 * row);
    CHECK(deciders(rewritten).empty());
    // A walk that goes on while values are small takes every element.
    auto walk = search;
    walk[7].sass = "NOP";
    walk[8].sass = "@!P0 IADD3 R4, R4, 0x1, RZ";
    CHECK(deciders(walk).empty());
}

TEST_CASE("an address at a rounded position does not use what the same register held before") {
    // R16 and R17 hold a sample, and in the next round an address, both under the same condition.
    const auto gather = code({"LDG.E R16, desc[UR4][R2.64]",        //   0
                              "F2I.TRUNC.NTZ R15, R0",              //  16
                              "ISETP.GT.AND P1, PT, R15, UR6, PT",  //  32
                              "@!P1 LEA R16, R15, R14, 0x7",        //  48
                              "@!P1 IMAD.WIDE R2, R16, 0x2, R8",    //  64
                              "@!P1 LDG.E R17, desc[UR4][R2.64]",   //  80
                              "EXIT"});
    const auto address = Dataflow(gather).addressOf(5);
    CHECK(address.loads.empty());
    CHECK(address.fromFloat);
    // A division of integers goes through floats, too.
    auto division = gather;
    division[1].sass = "F2I.FTZ.U32.TRUNC.NTZ R15, R0";
    CHECK_FALSE(Dataflow(division).addressOf(5).fromFloat);
    division[1].sass = "F2I.U64.TRUNC R14, R0";
    CHECK_FALSE(Dataflow(division).addressOf(5).fromFloat);
    // Under another condition, the earlier value may still be there.
    auto other = gather;
    other[4].sass = "@P2 IMAD.WIDE R2, R16, 0x2, R8";
    CHECK(Dataflow(other).addressOf(5).loads == std::vector<std::size_t>{0});
    // The condition was computed anew in between.
    auto anew = gather;
    anew.insert(anew.begin() + 4, anew[2]);
    CHECK(Dataflow(anew).addressOf(6).loads == std::vector<std::size_t>{0});
}

TEST_CASE("chains of addresses are told from loads that could overlap") {
    for (const auto& [chip, kernels] : listings()["chips"].items())
        for (const auto& [kernel, chained] :
             {std::pair{"pointer_chase", true}, {"gather", true}, {"second_of_two", false}}) {
            const auto instructions = instructionsOf(kernels[kernel]);
            const Dataflow flow(instructions);
            bool any = false;
            for (std::size_t row = 0; row < instructions.size(); ++row)
                any = any || flow.addressFrom(row);
            INFO(chip << ' ' << kernel);
            CHECK(any == chained);
        }
}
