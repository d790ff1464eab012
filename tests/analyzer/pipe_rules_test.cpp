// SPDX-License-Identifier: Apache-2.0
// Rules about arithmetic pipes: special-functions, integer-arithmetic, fp64-on-weak-fp64.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/roofline/resources.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr double kPipeMicroseconds = 100;
const double kPipeCycles = kPipeMicroseconds * 1e-6 * SyntheticProfile::kSmClockHz;

LaunchRef filled(SyntheticProfile& p) {
    return idle(p, "k", {2112, 1, 1}, {256, 1, 1}, kPipeMicroseconds);
}
/// Pipe use from the counters of the group "pipes", in percent.
LaunchRef piped(SyntheticProfile& p, double integer, double special) {
    return filled(p).set(kIntegerPipe, integer).set(kSpecialFunctionPipe, special);
}

/// Like an H200, but with 1/64 of the FP32 rate for FP64.
Device weakDevice() {
    Device device = testDevice();
    device.peaks[std::string(kFp64Peak)] = device.peaks[std::string(kFp32Peak)] / 64;
    return device;
}

}  // namespace

TEST_CASE("special-functions and integer-arithmetic fire on the pipe that leads") {
    struct Case {
        double integer, special;
        const char* rule;
        ResourceId limiter;
    };
    for (const Case& c : {Case{20, 70, "special-functions", ResourceId::SpecialFunction},
                          Case{70, 20, "integer-arithmetic", ResourceId::Integer}}) {
        CAPTURE(c.rule);
        SyntheticProfile p(testDevice());
        piped(p, c.integer, c.special).set(kIssueActive, 65);
        const auto kernel = analyzeOne(p);
        CHECK(kernel.verdict.cls == VerdictClass::ComputeBound);
        CHECK(kernel.verdict.limiter == c.limiter);
        const Finding* finding = find(kernel, c.rule);
        REQUIRE(finding);
        CHECK_FALSE(finding->minor);
        CHECK(unfilled(kernel).empty());
        CHECK(finding->gainShare->value == Approx(0.7));
        CHECK(finding->expected[0].from == Approx(0.7));
    }
}

TEST_CASE("the issue slots of other instructions limit what fewer special functions save") {
    // A filter whose exponentials fill the unit, an eighth of its instructions.
    const auto gainWith = [](double issue) {
        SyntheticProfile p(testDevice());
        piped(p, 14, 93)
            .set(kIssueActive, issue)
            .set(kSpecialFunctionInstructions, 1e6)
            .set(kFp32Fma, 1e8)
            .set(kWarpInstructionsAgain, 8e6);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "special-functions");
        REQUIRE(finding);
        CHECK(unfilled(kernel).empty());
        return std::pair(finding->gainShare->value, finding->edit.empty());
    };
    const auto [little, usualEditForFull] = gainWith(88);
    CHECK(little == Approx(1 - 0.88 * 7 / 8));
    CHECK_FALSE(usualEditForFull);
    const auto [much, usualEdit] = gainWith(60);  // a polynomial may help
    CHECK(much == Approx(1 - 0.60 * 7 / 8));
    CHECK(usualEdit);
}

TEST_CASE("integer products are seen in the pipe that they share with floats") {
    // A modular power on an H200: half of the instructions are products of 64 bits.
    const auto kernelWith = [](double products, double floats) {
        SyntheticProfile p(testDevice());
        constexpr double kFull = 132 * 128;  // multiply-adds per cycle
        piped(p, 54, 1)
            .set(kFmaHeavyPipe, products)
            .set(kIssueActive, 55)
            .set(kFp32Add, 0)
            .set(kFp32Mul, 0)
            .set(kFp32Fma, floats * kFull * kPipeCycles);
        return analyzeOne(p);
    };
    const KernelAnalysis power = kernelWith(81, 0);
    CHECK(power.verdict.cls == VerdictClass::NearRoof);
    CHECK(power.verdict.limiter == ResourceId::Integer);
    CHECK(power.verdict.utilisation->value == Approx(0.81));
    CHECK_FALSE(find(power, "integer-arithmetic"));  // they are its work
    // Floats use the pipe, too: then it says nothing about integers.
    const KernelAnalysis floats = kernelWith(81, 0.6);
    CHECK_FALSE(floats.quantities.integerProductUtilisation.has());
    CHECK(floats.verdict.limiter != ResourceId::Integer);
    // Logic and comparisons lead.
    CHECK(kernelWith(30, 0).verdict.limiter != ResourceId::Integer);
}

TEST_CASE("a kernel whose work is integers is not told to shorten its addresses") {
    // `accesses` of memory and operations of floats by thread, for each warp instruction.
    const auto kernelWith = [](double pipe, double accesses, double operations) {
        SyntheticProfile p(testDevice());
        LaunchRef launch = piped(p, pipe, 5);
        launch.set(kWarpInstructions, 1e6).set(kGlobalInstructions, accesses * 1e6);
        launch.set(kSharedInstructions, 0).set(kFp32Fma, operations * 1e6);
        for (const auto name :
             {kFp32Add, kFp32Mul, kFp64Add, kFp64Mul, kFp64Fma, kFp16Add, kFp16Mul, kFp16Fma})
            launch.set(name, 0);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "integer-arithmetic");
        if (!finding) return std::string("silent");
        CHECK(unfilled(kernel).empty());
        const auto edit = std::ranges::find_if(
            finding->args, [](const Arg& arg) { return arg.name.str() == "edit"; });
        return edit->text.in(Language::En);
    };
    CHECK(kernelWith(96, 0.001, 0) == "silent");  // a hash at full speed
    CHECK(kernelWith(70, 0.001, 0).starts_with("The kernel computes with integers"));
    CHECK(kernelWith(96, 2.0 / 300, 0).starts_with("If it is address arithmetic"));
    // It makes numbers, and computes with floats what it needs them for.
    CHECK(kernelWith(96, 0.001, 3).starts_with("The kernel hardly accesses memory"));
    CHECK(kernelWith(96, 0.01, 3).starts_with("If it is address arithmetic"));

    // Of a long kernel, only the hardware's counters are read.
    const auto longKernelWith = [](double accesses, double multiplyAdds) {
        SyntheticProfile p(testDevice());
        LaunchRef launch = piped(p, 96, 5);
        launch.set(kGlobalInstructions, std::numeric_limits<double>::quiet_NaN());
        launch.set(kWarpInstructionsAgain, 1e6).set(kLsuInstructions, accesses * 1e6);
        launch.set(kFmaInstructions, multiplyAdds * 1e6).set(kFp64Instructions, 0);
        const auto kernel = analyzeOne(p);
        return find(kernel, "integer-arithmetic") == nullptr;
    };
    CHECK(longKernelWith(0.0001, 0.09));
    CHECK_FALSE(longKernelWith(0.006, 0.09));  // 160 instructions for an access
    CHECK_FALSE(longKernelWith(0.0001, 0.4));  // floats, perhaps
}

TEST_CASE("special-functions tells population counts from functions of floats") {
    // `operations`: of floats, for each of the unit's instructions; nothing: not counted, and
    // `products` are the instructions of the pipe that multiplies.
    const auto countsBits = [](std::optional<double> operations, double products) {
        constexpr double kInstructions = 1e6;
        SyntheticProfile p(testDevice());
        LaunchRef launch = piped(p, 40, 90);
        launch.set(kSpecialFunctionInstructions, kInstructions);
        launch.set(kFmaInstructions, products * kInstructions).set(kFp64Instructions, 0);
        const double missing = std::numeric_limits<double>::quiet_NaN();
        for (const auto name :
             {kFp32Add, kFp32Mul, kFp64Add, kFp64Mul, kFp64Fma, kFp16Add, kFp16Mul, kFp16Fma})
            launch.set(name, operations ? 0 : missing);
        launch.set(kFp32Fma, operations ? *operations * 32 * kInstructions : missing);
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "special-functions");
        REQUIRE(finding);
        CHECK(finding->edit.empty() == finding->title.empty());
        return !finding->edit.empty();
    };
    CHECK(countsBits(0.05, 2));
    CHECK_FALSE(countsBits(2, 2));
    CHECK(countsBits({}, 0.5));
    CHECK_FALSE(countsBits({}, 1.5));
}

TEST_CASE("a kernel of functions at the special-function unit's limit is told to balance") {
    // A hologram: a root, a sine and a cosine for each pair of a point and a pixel. `other` is
    // executed a million times among three million functions.
    const auto kernelWith = [](double special, double issue, const char* other, double executed) {
        SyntheticProfile p(testDevice());
        LaunchRef launch = piped(p, 14, special);
        launch.set(kIssueActive, issue).set(kSpecialFunctionInstructions, 3e6);
        launch.set(kFp32Fma, 1e9).set(kWarpInstructionsAgain, 1.8e7);
        auto pass = p.sourcePass(launch);
        for (const char* sass : {"MUFU.RSQ R4, R4", "MUFU.SIN R5, R5", "@P0 MUFU.COS R6, R5"})
            pass.instruction(sass).executed(1e6);
        pass.instruction("F2FP.BF16.F32.PACK_AB R1, R2, R3").executed(1e6);  // not of the unit
        pass.instruction(other).executed(executed);
        return analyzeOne(p);
    };
    const auto edit = [](const KernelAnalysis& kernel) {
        const Finding* finding = find(kernel, "special-functions");
        REQUIRE(finding);
        CHECK(unfilled(kernel).empty());
        return finding->edit.in(Language::En);
    };
    const KernelAnalysis hologram = kernelWith(88, 61, "MUFU.RCP R7, R7", 1e3);
    CHECK(edit(hologram).find("about 14 % of them") != std::string::npos);
    const Finding* finding = find(hologram, "special-functions");
    CHECK(finding->estimate);
    CHECK(finding->title.in(Language::En) == "The special-function unit is near its limit");
    CHECK(finding->gainShare->value == Approx((0.88 - 0.61) / (0.88 + 0.11 * 9)));
    CHECK(finding->expected.at(0).to < 3e6);
    // Reciprocals and conversions can be fewer, a unit that is less busy waits for something else.
    CHECK(edit(kernelWith(88, 61, "MUFU.RCP R7, R7", 1e6)).empty());
    CHECK(edit(kernelWith(88, 61, "F2I.TRUNC.NTZ R7, R7", 1e6)).empty());
    CHECK(edit(kernelWith(88, 61, "MUFU.RSQ64H R7, R7", 1e6)).empty());
    CHECK(edit(kernelWith(80, 61, "FADD R7, R7, R7", 1e6)).empty());
    // An instruction of another pipe.
    CHECK(edit(kernelWith(88, 61, "FADD R7, R7, R7", 1e6)).find("near the limit") !=
          std::string::npos);
    // No issue slots are left for polynomials.
    CHECK_FALSE(find(kernelWith(88, 88, "FADD R7, R7, R7", 1e6), "special-functions"));
}

TEST_CASE("rules about pipes fire at the roof too: doing less is what helps there") {
    SyntheticProfile special(testDevice());
    piped(special, 20, 96);
    const auto kernel = analyzeOne(special);
    CHECK(kernel.verdict.cls == VerdictClass::NearRoof);
    REQUIRE(find(kernel, "special-functions"));
    CHECK_FALSE(find(kernel, "special-functions")->minor);
    CHECK(find(kernel, "special-functions")->gainShare->value == Approx(0.8));
    SyntheticProfile twice(weakDevice());
    filled(twice).set(kFp64Fma, 0.97 * 16896 / 64 * kPipeCycles);
    const auto weak = analyzeOne(twice);
    CHECK(weak.verdict.cls == VerdictClass::NearRoof);
    CHECK(find(weak, "fp64-on-weak-fp64"));
    // Both pipes at their roof: replacing the instructions of only one gains nothing.
    SyntheticProfile both(testDevice());
    piped(both, 95, 96);
    CHECK(analyzeOne(both).findings.empty());
}

TEST_CASE("a block that reduces again and again is told to give its rows to warps") {
    const auto editFor = [](double barrier, std::uint32_t shared, std::uint32_t threads = 256) {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, "k", {2112, 1, 1}, {threads, 1, 1}, kPipeMicroseconds);
        launch.set(kIntegerPipe, 70).set(kSpecialFunctionPipe, 20).set(kIssueActive, 65);
        const ChipTable chip = chipTable("GH100").value();
        launch.setAll(chip.groups.at("stalls").counters, 0);
        launch.set(stallCounter("barrier"), barrier).set(stallCounter("wait"), 10 - barrier);
        p.profile().kernels[0].staticSharedBytes = shared;
        const auto kernel = analyzeOne(p);
        const Finding* finding = find(kernel, "integer-arithmetic");
        REQUIRE(finding);
        return std::ranges::find(finding->args, "edit", &Arg::name)->text.in(Language::En);
    };
    const std::string edit = editFor(3.5, 80);
    CHECK(edit.starts_with("Warps wait 35 % of their time at barriers"));
    CHECK(edit.find("80 B") != std::string::npos);
    // Little waiting; a tile in shared memory; none at all; blocks of one warp.
    for (const std::string& other :
         {editFor(2, 80), editFor(3.5, 16'384), editFor(3.5, 0), editFor(3.5, 80, 32)})
        CHECK(other.find("barriers") == std::string::npos);
}

TEST_CASE("special-functions and integer-arithmetic do not fire beside another busy resource") {
    for (const char* rule : {"special-functions", "integer-arithmetic"}) {
        CAPTURE(rule);
        SyntheticProfile both(testDevice());
        piped(both, 75, 70);
        const auto kernel = analyzeOne(both);
        CHECK_FALSE(find(kernel, rule));
        CHECK_FALSE(isRuledOut(kernel, rule));  // it may cost up to a quarter
        SyntheticProfile low(testDevice());
        piped(low, 55, 55);
        CHECK_FALSE(find(analyzeOne(low), rule));
        SyntheticProfile idlePipe(testDevice());
        piped(idlePipe, 1, 1);
        CHECK(isRuledOut(analyzeOne(idlePipe), rule));
    }
    SyntheticProfile memory(testDevice());
    piped(memory, 65, 5).set("dram__bytes_read.sum", 0.9 * 0.938 * 1504 * 3.2e9 * 100e-6);
    CHECK(analyzeOne(memory).findings.empty());
}

TEST_CASE("special-functions and integer-arithmetic ask for the group only where it may explain") {
    SyntheticProfile issue(testDevice());
    filled(issue).set(kIssueActive, 85);
    const auto kernel = analyzeOne(issue);
    CHECK(kernel.verdict.limiter == ResourceId::Issue);
    for (const char* rule : {"special-functions", "integer-arithmetic"}) {
        const CannotTell* cannot = unknown(kernel, rule);
        REQUIRE(cannot);
        CHECK(cannot->advice.in(Language::En).find("pipes") != std::string::npos);
    }
    SyntheticProfile quiet(testDevice());
    copy(quiet, "copy", 268435456, 16, 130);
    CHECK_FALSE(unknown(analyzeOne(quiet), "special-functions"));
}

TEST_CASE("a pipe that takes an instruction every other cycle is full at half the issue slots") {
    const auto chip = chipTable("GH100");
    REQUIRE(chip.ok());
    const auto waiting = [&](const char* reason) {
        SyntheticProfile p(testDevice());
        LaunchRef launch = filled(p).set(kIssueActive, 52);
        for (const std::string& name : chip->groups.at("stalls").counters)
            launch.set(name, name.find(reason) != name.npos ? 8 : 0.1);
        return p;
    };
    const auto asks = [](const KernelAnalysis& kernel) {
        return std::pair{unknown(kernel, "integer-arithmetic") != nullptr,
                         unknown(kernel, "special-functions") != nullptr};
    };
    const auto pipe = analyzeOne(waiting("math_pipe_throttle"));
    CHECK(pipe.verdict.cls == VerdictClass::LatencyBound);
    CHECK(asks(pipe) == std::pair{true, true});
    CHECK(pipe.verdict.confidence == Confidence::Low);
    CHECK(asks(analyzeOne(waiting("short_scoreboard"))) == std::pair{false, true});
    CHECK(asks(analyzeOne(waiting("long_scoreboard"))) == std::pair{false, false});
    // Once measured, it is another verdict.
    SyntheticProfile known = waiting("math_pipe_throttle");
    for (const auto& [name, value] :
         {std::pair{kIntegerPipe, 97.0}, {kSpecialFunctionPipe, 3.0}, {kFp32Mul, 1e9}})
        known.profile().counters.set(name, 0, value);
    const auto kernel = analyzeOne(known);
    CHECK(kernel.verdict.limiter == ResourceId::Integer);
    CHECK(find(kernel, "integer-arithmetic"));
}

TEST_CASE("fp64-on-weak-fp64 fires where FP64 limits a GPU that is not made for it") {
    SyntheticProfile p(weakDevice());
    filled(p).set(kFp64Fma, 0.9 * 16896 / 64 * kPipeCycles);
    const auto kernel = analyzeOne(p);
    CHECK(kernel.verdict.limiter == ResourceId::Fp64);
    const Finding* finding = find(kernel, "fp64-on-weak-fp64");
    REQUIRE(finding);
    CHECK_FALSE(finding->minor);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[1].value == Approx(64));
    CHECK(finding->gainShare->value == Approx(0.9 * (1 - 1.0 / 64)));
}

TEST_CASE("float in place of double halves the bytes, too") {
    SyntheticProfile p(weakDevice());
    filled(p)
        .set(kFp64Fma, 0.9 * 16896 / 64 * kPipeCycles)
        .set("dram__bytes_read.sum", 0.13e9)
        .set("dram__bytes_write.sum", 0.13e9);
    const auto kernel = analyzeOne(p);
    const double dram = resourcesOf(kernel.quantities).busy(ResourceId::Dram);
    CHECK(dram > 0.5);
    CHECK(dram < 0.8);
    const Finding* finding = find(kernel, "fp64-on-weak-fp64");
    REQUIRE(finding);
    CHECK(finding->gainShare->value == Approx(1 - dram / 2));
    CHECK(kernel.jointGain->value == Approx((1 - dram / 2) * kPipeMicroseconds * 1e-6));
}

TEST_CASE("fp64-on-weak-fp64 does not fire on strong GPUs, or where FP64 is not what limits") {
    SyntheticProfile strong(testDevice());
    filled(strong).set(kFp64Fma, 0.9 * 8448 * kPipeCycles);
    const auto kernel = analyzeOne(strong);
    CHECK(kernel.verdict.limiter == ResourceId::Fp64);
    CHECK_FALSE(find(kernel, "fp64-on-weak-fp64"));
    CHECK_FALSE(isRuledOut(kernel, "fp64-on-weak-fp64"));

    SyntheticProfile little(weakDevice());
    filled(little).set(kFp64Fma, 0.02 * 16896 / 64 * kPipeCycles);
    CHECK(isRuledOut(analyzeOne(little), "fp64-on-weak-fp64"));
    SyntheticProfile none(weakDevice());
    filled(none);
    CHECK_FALSE(isRuledOut(analyzeOne(none), "fp64-on-weak-fp64"));
}

TEST_CASE("fp64-on-weak-fp64 cannot tell without the chip's FP32 rate") {
    Device device = weakDevice();
    device.peaks.erase(std::string(kFp32Peak));
    SyntheticProfile p(device);
    filled(p).set(kFp64Fma, 0.9 * 16896 / 64 * kPipeCycles);
    CHECK(unknown(analyzeOne(p), "fp64-on-weak-fp64"));
}
