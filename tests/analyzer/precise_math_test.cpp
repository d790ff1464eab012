// SPDX-License-Identifier: Apache-2.0
// precise-math: what the instructions are spent on, by constants in the machine code.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/source/math_functions.h"
#include "analyzer/source/sampled_stalls.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kPreciseMath = "precise-math";
constexpr double kMathCalls = 1e6;
/// One instruction of powf, sinf and a division each, as nvcc 13.0 makes them for sm_90, with those
/// around it that say the exponent.
const std::vector<const char*> kPowerCode{"FFMA R14, R5.reuse, R14, 0.12022458761930465698",
                                          "FMUL R6, R14, 3",
                                          "FADD R6, R4, R5",
                                          "FMUL R3, R6, 20",
                                          "FADD R4, -R4, R6",
                                          "FRND R10, R3"};
const std::vector<const char*> kSineCode{"FMUL R0, R10.reuse, 0.63661974668502807617",
                                         "FFMA R4, R5, -1.5707962512969970703, R10"};
const std::vector<const char*> kDivisionCode{"FCHK P0, R2, 3.1415927410125732422"};

/// A kernel near the issue roof that executes 100 further instructions per call.
LaunchRef nearIssueRoof(SyntheticProfile& p, double special = 29) {
    return idle(p, "eval(float const*, float*)", {39063, 1, 1}, {256, 1, 1}, 300)
        .set(kIssueActive, 93)
        .set(kSpecialFunctionPipe, special)
        .set(kIntegerPipe, 45)
        .set(kWarpInstructions, 100 * kMathCalls);
}

SyntheticProfile kernelOfCalls(const std::vector<std::pair<int, std::vector<const char*>>>& lines,
                               double others = 100) {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(nearIssueRoof(p));
    std::size_t listed = 0;
    for (const auto& [line, code] : lines)
        for (const char* sass : code) {
            pass.instruction(sass, "/a/main.cu", static_cast<std::uint32_t>(line))
                .executed(kMathCalls);
            ++listed;
        }
    pass.instruction("IADD3 R0, R0, 0x1, RZ", "/a/main.cu", 90)
        .executed((others - static_cast<double>(listed)) * kMathCalls);
    return p;
}

std::string mathArgOf(const Finding& finding, std::string_view name) {
    const auto found =
        std::ranges::find_if(finding.args, [&](const Arg& arg) { return arg.name.str() == name; });
    return found == finding.args.end() ? std::string() : found->text.in(Language::En);
}

}  // namespace

TEST_CASE("a power with a constant exponent is named, with its line and the products") {
    const auto p = kernelOfCalls({{32, kPowerCode}, {30, kSineCode}, {31, kDivisionCode}});
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kPreciseMath);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    // 60 + 27 + 9 of 100 instructions.
    CHECK(finding->evidence[0].value == Approx(0.96));
    CHECK(mathArgOf(*finding, "spent") ==
          "pow with the exponent 20 60 %, sine, cosine 27 %, "
          "divisions 9 %");
    CHECK(mathArgOf(*finding, "edit").find("exponent 20") != std::string::npos);
    REQUIRE(finding->places.size() == 3);
    CHECK(finding->places[0].line == 32);
    CHECK(finding->gainShare->value <= 0.96);
}

TEST_CASE("the edit is that of the function with most instructions") {
    auto variable = kPowerCode;
    variable[3] = "FMUL R3, R6, R8";
    CHECK(mathArgOf(*find(analyzeOne(kernelOfCalls({{1, variable}})), kPreciseMath), "edit")
              .find("sqrt") != std::string::npos);
    auto half = kPowerCode;
    half[3] = "FMUL R3, R6, 2.5";
    const KernelAnalysis power = analyzeOne(kernelOfCalls({{1, half}}));
    CHECK(mathArgOf(*find(power, kPreciseMath), "spent") == "pow with the exponent 2.5 60 %");
    CHECK(mathArgOf(*find(power, kPreciseMath), "edit").find("Replace pow") == 0);
    const KernelAnalysis sine = analyzeOne(kernelOfCalls({{1, kSineCode}}));
    CHECK(mathArgOf(*find(sine, kPreciseMath), "edit").find("__sinf") != std::string::npos);
    const KernelAnalysis division = analyzeOne(kernelOfCalls({{1, kDivisionCode}}, 30));
    CHECK(mathArgOf(*find(division, kPreciseMath), "edit").find("reciprocal") != std::string::npos);
}

TEST_CASE("little precise math, fast math and other limits are left alone") {
    // A division in 100 instructions.
    CHECK_FALSE(find(analyzeOne(kernelOfCalls({{1, kDivisionCode}})), kPreciseMath));
    // __sinf, __expf and 1 / x with -use_fast_math.
    CHECK_FALSE(
        find(analyzeOne(kernelOfCalls(
                 {{1,
                   {"FMUL.RZ R5, R2, 0.15915493667125701904", "MUFU.SIN R5, R5",
                    "FMUL R3, R2, 1.4426950216293334961", "MUFU.EX2 R3, R3", "MUFU.RCP R4, R4"}}},
                 10)),
             kPreciseMath));
    // A constant that only begins like that of a reciprocal.
    CHECK_FALSE(
        find(analyzeOne(kernelOfCalls({{1, {"LOP3.LUT R2, R2, 0x18000000, RZ, 0xc0, !PT"}}}, 10)),
             kPreciseMath));
    // The DRAM limits the kernel.
    auto dram = kernelOfCalls({{32, kPowerCode}});
    dram.profile().counters.set("dram__bytes_read.sum", 0, 1.3e9);
    dram.profile().counters.set(kIssueActive, 0, 50);
    CHECK_FALSE(find(analyzeOne(dram), kPreciseMath));
}

TEST_CASE("a chain of precise math is named, too, where nothing is near its limit") {
    const auto chain = [](double issue, double others) {
        auto p = kernelOfCalls({{1, kSineCode}}, others);
        for (const std::string_view pipe : {kIntegerPipe, kSpecialFunctionPipe})
            p.profile().counters.set(std::string(pipe), 0, issue / 2);
        p.profile().counters.set(std::string(kIssueActive), 0, issue);
        const KernelAnalysis kernel = analyzeOne(p);
        CHECK(kernel.verdict.cls == VerdictClass::LatencyBound);
        return find(kernel, kPreciseMath) != nullptr;
    };
    CHECK(chain(50, 55));         // 27 of 55 instructions
    CHECK_FALSE(chain(50, 100));  // 27 of 100
    CHECK_FALSE(chain(20, 55));   // something else takes the time
}

TEST_CASE("double precision: a power counts once, although it divides and takes an exponential") {
    const auto spent = [](std::vector<const char*> code) {
        auto p = kernelOfCalls({{1, code}}, 200);
        const KernelAnalysis kernel = analyzeOne(p);
        std::string text;
        for (const MathUse& use : mathUses(p.profile().sources[0], *kernel.source))
            text += nameOf(use).in(Language::En) + ";";
        return text;
    };
    const char* exponential = "FSETP.GEU.AND P0, PT, |R5|, 4.1917929649353027344, PT";
    CHECK(spent({"MUFU.RCP64H R7, R5", exponential}) ==
          "exp in double precision;divisions in double precision;");
    CHECK(spent({"MUFU.RCP64H R7, R5", exponential, "UMOV UR5, 0x3eb0f5ff"}) ==
          "pow in double precision;");
    CHECK(spent({"MUFU.RCP64H R7, R5", "UMOV UR5, 0x3eb1380b"}).empty());
    // Where powers are calls of a function, divisions and exponentials beside them count.
    const char* call = "CALL.REL.NOINC `($_Z4coolPd$__internal_accurate_pow)";
    CHECK(spent({call, "MUFU.RCP64H R7, R5", exponential, "UMOV UR5, 0x3eb0f5ff"}) ==
          "pow in double precision;");
    CHECK(spent({call, "MUFU.RCP64H R7, R5", "MUFU.RCP64H R7, R5", exponential, exponential,
                 "UMOV UR5, 0x3eb0f5ff"}) ==
          "pow in double precision;exp in double precision;divisions in double precision;");
    // The reciprocal of a logarithm lies beside its constants, another division does not.
    std::vector<const char*> apart{"UMOV UR5, 0x3eb1380b", "MUFU.RCP64H R7, R5"};
    apart.insert(apart.end(), 80, "DADD R2, R2, R4");
    apart.push_back("MUFU.RCP64H R7, R5");
    CHECK(spent(apart) == "divisions in double precision;");
}

TEST_CASE("near the issue roof, machine code is asked for if special functions are in use") {
    SyntheticProfile p(testDevice());
    nearIssueRoof(p);
    const KernelAnalysis kernel = analyzeOne(p);
    const CannotTell* cannot = unknown(kernel, kPreciseMath);
    REQUIRE(cannot);
    CHECK(cannot->groups == std::vector{CounterGroup::Source});
    // Integers only.
    SyntheticProfile integers(testDevice());
    nearIssueRoof(integers, 2);
    CHECK_FALSE(unknown(analyzeOne(integers), kPreciseMath));
    // Double precision: functions, or nothing but multiply-adds.
    for (const double part : {0.5, 0.9}) {
        SyntheticProfile twice(testDevice());
        idle(twice, "wave(double*)", {39063, 1, 1}, {256, 1, 1}, 300)
            .set(kFp64Fma, 300e-6 * SyntheticProfile::kSmClockHz * 132 * 64 * 0.9)
            .set(kThreadInstructionsOn,
                 300e-6 * SyntheticProfile::kSmClockHz * 132 * 64 * 0.9 / part);
        const KernelAnalysis of = analyzeOne(twice);
        CHECK(of.verdict.limiter == ResourceId::Fp64);
        CHECK((unknown(of, kPreciseMath) != nullptr) == (part < 0.75));
    }
    // Not known yet: the counter group "pipes" comes first.
    SyntheticProfile unread(testDevice());
    idle(unread, "eval(float*)", {39063, 1, 1}, {256, 1, 1}, 300).set(kIssueActive, 93);
    CHECK_FALSE(unknown(analyzeOne(unread), kPreciseMath));
}

namespace {

/// A kernel near the issue roof, sampled only: `others` instructions beside a division, all issued
/// equally often.
SyntheticProfile sampledDivision(SyntheticProfile p, double samples, int others) {
    auto pass = p.sourcePass(nearIssueRoof(p));
    const std::string issuing = sampledStallCounter("selected");
    pass.instruction(kDivisionCode.front(), "/a/main.cu", 31).set(issuing, 0);
    for (int i = 0; i < others; ++i)
        pass.instruction("IADD3 R0, R0, 0x1, RZ", "/a/main.cu", 90).set(issuing, samples / others);
    return p;
}

}  // namespace

TEST_CASE("where executions were not counted, samples of issuing warps stand for them") {
    // No sample hit the division itself: it is issued as often as what surrounds it.
    const auto p = sampledDivision(SyntheticProfile(testDevice()), 1000, 29);
    const KernelAnalysis kernel = analyzeOne(p);
    const Finding* finding = find(kernel, kPreciseMath);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK(finding->evidence[0].value == Approx(9.0 / 30));
    CHECK(finding->evidence[0].formula.str().find("by samples") != std::string::npos);
    CHECK(finding->expected.empty());
    // Too few samples, or too few divisions.
    CHECK_FALSE(
        find(analyzeOne(sampledDivision(SyntheticProfile(testDevice()), 400, 29)), kPreciseMath));
    CHECK_FALSE(
        find(analyzeOne(sampledDivision(SyntheticProfile(testDevice()), 1000, 99)), kPreciseMath));
}

TEST_CASE("another instantiation of a template lends its machine code, if it loads the GPU alike") {
    const auto lent = [](std::string_view name, double special,
                         std::string_view lender = "void blur<6>(float*)") {
        SyntheticProfile p(testDevice());
        auto launch = idle(p, lender, {39063, 1, 1}, {256, 1, 1}, 300)
                          .set(kIssueActive, 93)
                          .set(kSpecialFunctionPipe, 29)
                          .set(kIntegerPipe, 45);
        auto pass = p.sourcePass(launch);
        pass.instruction(kDivisionCode.front(), "/a/main.cu", 31).executed(kMathCalls);
        pass.instruction("IADD3 R0, R0, 0x1, RZ", "/a/main.cu", 90).executed(29 * kMathCalls);
        idle(p, name, {39063, 1, 1}, {256, 1, 1}, 900)
            .set(kIssueActive, 92)
            .set(kSpecialFunctionPipe, special)
            .set(kIntegerPipe, 44);
        const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
        REQUIRE(analysis.kernels.size() == 2);
        const Finding* finding = find(analysis.kernels.front(), kPreciseMath);
        // Its own counts are not known.
        CHECK((!finding || finding->expected.empty()));
        return finding != nullptr;
    };
    CHECK(lent("void blur<9>(float*)", 30));
    CHECK_FALSE(lent("void blur<9>(float*)", 40));  // other work
    CHECK_FALSE(lent("void sharpen<9>(float*)", 30));
    CHECK(lent("void blur<float, 9>(float*)", 30, "void blur<double, 6>(float*)"));
    // A functor brings code of its own.
    CHECK_FALSE(lent("void run<Norm>(float*)", 30, "void run<Divide>(float*)"));
}
