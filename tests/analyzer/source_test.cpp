// SPDX-License-Identifier: Apache-2.0
// Counters per instruction: sums, places, and what they make exact in rules.
#include "analyzer/source/source_analysis.h"

#include <memory>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::counter;
using test::SyntheticProfile;

namespace {

/// The source pass of strided(): one load and one store by 65,536 warps. Each lane has its own
/// sector, where 4 sectors would hold the 32 floats.
SyntheticProfile::SourceRef stridedPass(SyntheticProfile& p, test::LaunchRef launch) {
    constexpr double kWarps = 65536;
    return p.sourcePass(launch)
        .instruction("IMAD R0, R0, c[0x0][0x0], R3", "/src/strided.cu", 9)
        .executed(kWarps)
        .instruction("@!P0 LDG.E R4, desc[UR4][R2.64]", "/src/strided.cu", 10)
        .executed(kWarps)
        .sectors(32 * kWarps, 4 * kWarps)
        .instruction("STG.E desc[UR4][R6.64], R4", "/src/strided.cu", 10)
        .executed(kWarps)
        .sectors(32 * kWarps, 4 * kWarps);
}

const SourceLine* lineOf(const SourceAnalysis& source, std::uint32_t line) {
    for (const SourceLine& candidate : source.lines)
        if (candidate.line == line) return &candidate;
    return nullptr;
}

}  // namespace

TEST_CASE("an opcode says what it accesses and how wide") {
    const auto check = [](const char* sass, const char* opcode, SassKind kind,
                          std::optional<std::uint32_t> width) {
        const SassFacts facts = readSass(sass);
        CAPTURE(sass, facts.opcode);
        CHECK(facts.opcode == opcode);
        CHECK(facts.kind == kind);
        CHECK(facts.width == width);
    };
    check("LDG.E.128 R4, desc[UR4][R2.64]", "LDG.E.128", SassKind::GlobalLoad, 16);
    check("@!P0 LDG.E.U16.CONSTANT R4, [R2.64]", "LDG.E.U16.CONSTANT", SassKind::GlobalLoad, 2);
    // A prefetch size is not an access width.
    check("LDG.E.LTC128B R4, [R2]", "LDG.E.LTC128B", SassKind::GlobalLoad, 4);
    check("STG.E.64 [R2.64], R4", "STG.E.64", SassKind::GlobalStore, 8);
    check("LDGSTS.E.BYPASS.128 [R1], [R2.64]", "LDGSTS.E.BYPASS.128", SassKind::AsyncCopy, 16);
    check("LDSM.16.M88.4 R4, [R2]", "LDSM.16.M88.4", SassKind::SharedLoad, std::nullopt);
    check("STS.U8 [R2], R4", "STS.U8", SassKind::SharedStore, 1);
    check("LDL R1, [R2]", "LDL", SassKind::LocalLoad, 4);
    check("RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R4", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU",
          SassKind::GlobalAtomic, std::nullopt);
    check("FFMA R1, R2, R3, R4", "FFMA", SassKind::Other, std::nullopt);
    check("", "", SassKind::Unknown, std::nullopt);
    check("@P0", "", SassKind::Unknown, std::nullopt);
    CHECK(readSass(std::string(100'000, 'A')).opcode.size() <= 60);
}

TEST_CASE("lines sum their instructions and places name them") {
    SyntheticProfile p(test::testDevice());
    stridedPass(p, test::strided(p));
    const KernelAnalysis kernel = test::analyzeOne(p);
    REQUIRE(kernel.source);
    CHECK(kernel.source->hasSass);
    CHECK(kernel.source->hasLines);
    CHECK(kernel.source->agrees);
    const SourceLine* line = lineOf(*kernel.source, 10);
    REQUIRE(line);
    CHECK(line->rows == std::vector<std::size_t>{1, 2});
    CHECK(line->sums.executed == 131072.0);
    CHECK(line->sums.excessSectors == 2 * 28 * 65536.0);
    // No memory access in that line: missing, not 0.
    CHECK_FALSE(lineOf(*kernel.source, 9)->sums.sectors.has_value());

    const Finding* finding = test::find(kernel, "global-uncoalesced");
    REQUIRE(finding);
    REQUIRE(finding->places.size() == 1);
    const Place& place = finding->places.front();
    CHECK(place.path == "/src/strided.cu");
    CHECK(place.line == 10);
    CHECK(place.offset == 16);
    CHECK(place.opcode == "LDG.E");
    CHECK(place.amount == 2 * 28 * 65536.0);
    CHECK(place.share == 1.0);
    CHECK(place.perRequest == 32.0);
    CHECK(place.idealRequest == 4.0);
    CHECK(place.pattern.in(Language::En) ==
          "2 instructions from +0x10 to +0x20, every lane in a sector of its own, as with a stride "
          "of 8 or more elements of 4 B");
    CHECK(finding->evidence.front().value == Approx(28.0 / 32));
}

TEST_CASE("accesses by a loaded index get an edit of their own") {
    constexpr double kWarps = 65536;
    const auto editFor = [&](const char* index, double sectorsOfIndex, const char* step,
                             const char* kernel = "strided(float const*, float*)") {
        SyntheticProfile p(test::testDevice());
        auto launch = test::strided(p);
        p.profile().kernels.at(0).name = p.profile().kernels.at(0).symbol = kernel;
        p.sourcePass(launch)
            .instruction(index, "a.cu", 9)
            .executed(kWarps)
            .sectors(sectorsOfIndex * kWarps, sectorsOfIndex * kWarps)
            .instruction("IMAD.WIDE R2, R0, 0x4, R8", "a.cu", 10)
            .executed(kWarps)
            .instruction("LDG.E R4, desc[UR4][R2.64]", "a.cu", 10)
            .executed(kWarps)
            .sectors((32 - sectorsOfIndex) * kWarps, 4 * kWarps)
            .instruction(step, "a.cu", 10)
            .executed(kWarps)
            .instruction("@!P0 BRA 0x20", "a.cu", 10)
            .executed(kWarps)
            .instruction("STG.E desc[UR4][R6.64], R4", "a.cu", 11)
            .executed(kWarps)
            .sectors(32 * kWarps, 28 * kWarps);
        const KernelAnalysis analysis = test::analyzeOne(p);
        const Finding* finding = test::find(analysis, "global-uncoalesced");
        return finding ? finding->title.in(Language::En) + ": " + finding->edit.in(Language::En)
                       : std::string("none");
    };
    constexpr const char* kIndex = "LDG.E R0, desc[UR4][R10.64]";
    constexpr const char* kNothing = "ISETP.GE.AND P0, PT, R4, UR6, PT";
    CHECK(editFor(kIndex, 4, kNothing).starts_with("Scattered accesses by an index"));
    CHECK(editFor(kIndex, 4, "IADD3 R2, P1, R2, 0x4, RZ").starts_with("Each thread walks along"));
    // The same value for all lanes is a pointer or an offset, and no index.
    CHECK(editFor(kIndex, 1, kNothing) == ": ");
    CHECK(editFor("S2R R0, SR_TID.X", 0, kNothing) == ": ");
    CHECK_FALSE(editFor(kIndex, 4, kNothing, "void cub::DeviceReduceKernel<float>(int)")
                    .starts_with("Scattered"));
}

TEST_CASE("a search gets an edit of its own, and a bounded index does not") {
    constexpr double kWarps = 65536;
    const auto titleFor = [&](const char* compared, const char* chosen) {
        SyntheticProfile p(test::testDevice());
        p.sourcePass(test::strided(p))
            .instruction("IMAD.WIDE R2, R6, 0x4, R8", "a.cu", 9)
            .executed(kWarps)
            .instruction("LDG.E R10, desc[UR4][R2.64]", "a.cu", 10)
            .executed(kWarps)
            .sectors(32 * kWarps, 4 * kWarps)
            .instruction(compared, "a.cu", 10)
            .executed(kWarps)
            .instruction(chosen, "a.cu", 10)
            .executed(kWarps)
            .instruction("@!P1 BRA 0x0", "a.cu", 10)
            .executed(kWarps)
            .instruction("STG.E desc[UR4][R14.64], R6", "a.cu", 11)
            .executed(kWarps)
            .sectors(32 * kWarps, 28 * kWarps);
        const KernelAnalysis analysis = test::analyzeOne(p);
        const Finding* finding = test::find(analysis, "global-uncoalesced");
        return finding ? finding->title.in(Language::En) : std::string("none");
    };
    constexpr const char* kLoaded = "FSETP.GEU.AND P0, PT, R10, R12, PT";
    CHECK(titleFor(kLoaded, "SEL R6, R6, R5, P0") == "Each thread searches on a path of its own");
    CHECK(titleFor("FSETP.GEU.AND P0, PT, R11, R12, PT", "SEL R6, R6, R5, P0").empty());
    CHECK(titleFor(kLoaded, "SEL R7, R6, R5, P0").empty());
}

TEST_CASE("without lines a place is an instruction, without SASS an offset") {
    SyntheticProfile p(test::testDevice());
    auto pass = stridedPass(p, test::strided(p));
    for (Instruction& instruction : pass.pass().instructions) instruction.file.reset();
    const auto opcodes = test::analyzeOne(p);
    const Finding* finding = test::find(opcodes, "global-uncoalesced");
    REQUIRE(finding);
    REQUIRE(finding->places.size() == 2);
    const bool loadFirst = finding->places[0].opcode == "LDG.E";
    CHECK(finding->places[loadFirst ? 1 : 0].opcode == "STG.E");
    CHECK(finding->places[0].line == 0);
    CHECK(finding->places[0].path.empty());
    CHECK(finding->places[0].share == 0.5);
    for (Instruction& instruction : pass.pass().instructions) instruction.sass.clear();
    const auto offsets = test::analyzeOne(p);
    finding = test::find(offsets, "global-uncoalesced");
    REQUIRE(finding);
    // Repeated copies of one access count as one place.
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].opcode.empty());
    CHECK(finding->places[0].offset == 16);
    CHECK(finding->places[0].share == 1.0);
    CHECK(finding->places[0].pattern.in(Language::En) == "2 instructions from +0x10 to +0x20");
    // Loads and stores cannot be told apart, so the evidence remains that of the estimate.
    CHECK(finding->evidence.front().threshold == 0.8);
}

TEST_CASE("the ideal of each instruction rules out what the estimate suspects") {
    // The estimate wrongly suspects waste here: 16 active lanes of 4 bytes in 16 sectors look
    // strided, but they are each instruction's ideal.
    SyntheticProfile p(test::testDevice());
    constexpr double kWarps = 65536;
    p.sourcePass(test::strided(p))
        .instruction("LDG.E R4, [R2.64]", "a.cu", 1)
        .executed(kWarps)
        .sectors(32 * kWarps, 32 * kWarps)
        .instruction("STG.E [R2.64], R4", "a.cu", 2)
        .executed(kWarps)
        .sectors(32 * kWarps, 32 * kWarps);
    const auto kernel = test::analyzeOne(p);
    CHECK(test::isRuledOut(kernel, "global-uncoalesced"));
}

TEST_CASE("a missing ideal makes no excess and leaves the estimate") {
    SyntheticProfile p(test::testDevice());
    constexpr double kWarps = 65536;
    p.sourcePass(test::strided(p))
        .instruction("LDG.E R4, [R2.64]", "a.cu", 1)
        .executed(kWarps)
        .set(kSassGlobalSectors, 32 * kWarps)
        .instruction("STG.E [R2.64], R4", "a.cu", 2)
        .executed(kWarps)
        .sectors(32 * kWarps, 32 * kWarps);
    const auto kernel = test::analyzeOne(p);
    REQUIRE(kernel.source);
    CHECK_FALSE(kernel.source->total.excessSectors.has_value());
    const Finding* finding = test::find(kernel, "global-uncoalesced");
    REQUIRE(finding);
    CHECK(finding->evidence.front().threshold == 0.8);
}

TEST_CASE("a broadcast does not offset the excess of other instructions") {
    SourceSums sums;
    add(sums, {.sectors = 1.0, .excessSectors = 0.0});
    add(sums, {.sectors = 32.0, .excessSectors = 28.0});
    CHECK(sums.sectors == 33.0);
    CHECK(sums.excessSectors == 28.0);
    add(sums, {.executed = 5.0});  // no access, so the excess is unchanged
    CHECK(sums.excessSectors == 28.0);
    add(sums, {.sectors = 4.0});  // accesses without an ideal
    CHECK_FALSE(sums.excessSectors.has_value());
}

TEST_CASE("a pass of a run that did other work makes nothing exact") {
    SyntheticProfile p(test::testDevice());
    constexpr double kWarps = 20000;  // the counted launch had 65,536
    p.sourcePass(test::strided(p))
        .instruction("LDG.E R4, [R2.64]", "a.cu", 1)
        .executed(kWarps)
        .sectors(4 * kWarps, 4 * kWarps);
    const auto kernel = test::analyzeOne(p);
    REQUIRE(kernel.source);
    CHECK_FALSE(kernel.source->agrees);
    CHECK(test::find(kernel, "global-uncoalesced"));
}

TEST_CASE("a pass belongs to the group of its launch") {
    SyntheticProfile p(test::testDevice());
    auto first = test::strided(p);
    const auto kernelIndex = first.launch().kernel;
    p.launch(kernelIndex, {4, 1, 1}, {64, 1, 1}).counterDurationUs(1);
    stridedPass(p, first);
    Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    REQUIRE(analysis.kernels.size() == 2);
    CHECK(analysis.kernels[0].source);
    CHECK_FALSE(analysis.kernels[1].source);
    // If a kernel has two shapes, it is unknown which one was measured.
    p.profile().sources[0].launch.reset();
    analysis = analyze(std::make_shared<const Profile>(p.build()));
    CHECK_FALSE(analysis.kernels[0].source);
    CHECK_FALSE(analysis.kernels[1].source);
}

TEST_CASE("bank conflicts are exact with a source pass") {
    constexpr double kWarps = 8192.0 * 8192 * 4 / 128;
    SyntheticProfile p(test::testDevice());
    auto launch = test::transpose(p, false);
    launch.set(std::string(kSassSharedWavefronts) + ".sum", 33 * kWarps);
    p.sourcePass(launch)
        .instruction("STS [R5], R4", "tr.cu", 7)
        .executed(kWarps)
        .wavefronts(kWarps, kWarps)
        .instruction("LDS R7, [R6]", "tr.cu", 12)
        .executed(kWarps)
        .wavefronts(32 * kWarps, kWarps);
    auto kernel = test::analyzeOne(p);
    const Finding* finding = test::find(kernel, "shared-bank-conflict");
    REQUIRE(finding);
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].line == 12);
    CHECK(finding->places[0].opcode == "LDS");
    CHECK(finding->places[0].amount == 31 * kWarps);
    CHECK(finding->places[0].pattern.in(Language::En) ==
          "all lanes in one bank, as with a stride of a multiple of 32 words");
    CHECK(finding->args.front().value == Approx(32));
    CHECK(finding->evidence.front().label.in(Language::En) ==
          "excess shared wavefronts, by instruction");
    // 31 of 33 wavefronts are excess.
    CHECK(finding->evidence.front().value == Approx(31.0 / 33));

    // 16-byte accesses need four wavefronts: these are not conflicts.
    for (const std::size_t row : {0, 1})
        p.profile().sources[0].counters.set(kSassSharedWavefrontsIdeal, row,
                                            (row == 0 ? 1 : 32) * kWarps);
    kernel = test::analyzeOne(p);
    CHECK(test::isRuledOut(kernel, "shared-bank-conflict"));
}

TEST_CASE("tensor-core operands and atomics are no bank conflicts") {
    constexpr double kWarps = 8192.0 * 8192 * 4 / 128;
    SyntheticProfile p(test::testDevice());
    auto launch = test::transpose(p, false);
    launch.set(std::string(kSassSharedWavefronts) + ".sum", 33 * kWarps);
    p.sourcePass(launch)
        .instruction("STS [R5], R4", "tr.cu", 7)
        .executed(kWarps)
        .wavefronts(kWarps, kWarps)
        .instruction("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", "tr.cu", 12)
        .executed(kWarps)
        .wavefronts(31 * kWarps, kWarps)
        .instruction("ATOMS.ADD R7, [R6], R1", "tr.cu", 13)
        .executed(kWarps)
        .wavefronts(kWarps, kWarps / 32);
    const auto kernel = test::analyzeOne(p);
    CHECK(test::isRuledOut(kernel, "shared-bank-conflict"));
}

namespace {

/// 1056 blocks of 128 threads. At the end thread 0 of each writes `stores` values in a loop of four
/// instructions.
SyntheticProfile serial(double stores, double issue) {
    SyntheticProfile p(test::testDevice());
    constexpr double kBlocks = 1056, kWarps = 4 * kBlocks;
    auto launch = test::idle(p, "reduce(float*)", {1056, 1, 1}, {128, 1, 1}, 50);
    launch.set(kIssueActive, issue).set(kWarpsActive, 32).residentBlocksPerSm(8);
    auto pass = p.sourcePass(launch);
    for (int i = 0; i < 50; ++i) pass.instruction("FADD R1, R1, R2", "r.cu", 4).executed(kWarps);
    for (const char* sass : {"LDS R3, [R4]", "STG.E [R6.64], R3", "IADD3 R4, R4, 0x4, RZ", "BRA"}) {
        pass.instruction(sass, "r.cu", 9).set(kSassExecuted, stores * kBlocks);
        pass.set(kSassThreads, stores * kBlocks);
    }
    return p;
}

}  // namespace

TEST_CASE("a thread that writes what the block could is found") {
    const auto fires = [](double stores, double issue) {
        const auto p = serial(stores, issue);
        const auto kernel = test::analyzeOne(p);
        return test::find(kernel, "serial-epilogue") != nullptr;
    };
    const auto p = serial(64, 40);
    const auto kernel = test::analyzeOne(p);
    const Finding* finding = test::find(kernel, "serial-epilogue");
    REQUIRE(finding);
    // 4 × 64 instructions by one lane, next to 50 × 4 by full warps.
    CHECK(finding->evidence[0].value == Approx(256.0 / 456));
    CHECK(finding->evidence[1].value == 64.0);
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].line == 9);
    CHECK(finding->places[0].opcode == "STG.E");
    CHECK_FALSE(fires(16, 40));  // too few for a warp
    CHECK_FALSE(fires(64, 10));  // not limited by instructions
    auto full = serial(64, 40);
    SourcePass& pass = full.profile().sources[0];
    for (std::size_t row = 50; row < 54; ++row)
        pass.counters.set(kSassThreads, row, 2 * *pass.counters.value(kSassExecuted, row));
    CHECK_FALSE(test::find(test::analyzeOne(full), "serial-epilogue"));
    pass.counters = CounterTable(pass.instructions.size());  // nothing counted
    CHECK_FALSE(test::find(test::analyzeOne(full), "serial-epilogue"));
    full.profile().sources.clear();
    CHECK_FALSE(test::find(test::analyzeOne(full), "serial-epilogue"));
}
