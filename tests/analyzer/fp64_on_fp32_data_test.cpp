// SPDX-License-Identifier: Apache-2.0
// fp64-on-fp32-data: what is loaded, computed and stored, by the machine code.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kFp64OnFp32 = "fp64-on-fp32-data";
constexpr double kSteps = 2e6;

using Code = std::vector<std::pair<const char*, double>>;
/// A loop that sums waves, in FP64 as nvcc 13.0 makes it for sm_90: two loads in each step, a
/// cosine with its table, and one store. Executions per step.
const Code kWaves{{"LDG.E R0, desc[UR4][R2.64]", 2},
                  {"LDG.E.128.CONSTANT R16, desc[UR4][R18.64]", 3},
                  {"F2F.F64.F32 R12, R0", 2},
                  {"DFMA R4, R36, R40, R4", 17},
                  {"DMUL R6, R6, R8", 3},
                  {"UMOV UR6, 0x60", 10},
                  {"IADD3 R1, R1, 0x1, RZ", 29},
                  {"F2F.F32.F64 R0, R4", 0.03},
                  {"STG.E desc[UR4][R2.64], R0", 0.03},
                  {"F2I.F64 R8, R6", 1},
                  {"I2F.F64 R10, R8", 1}};

/// `memory`: use of the L1 in per cent.
LaunchRef waves(SyntheticProfile& p, double memory = 40,
                const char* name = "tide(Sea const*, Result*)") {
    double all = 0;
    for (const auto& [sass, times] : kWaves) all += times;
    return idle(p, name, {8100, 1, 1}, {256, 1, 1}, 320)
        .set(kIssueActive, 49)
        .set(kLsuPipe, memory)
        .set(kFp64Fma, 17 * 32 * kSteps)
        .set(kThreadInstructionsOn, 32 * all * kSteps)
        .set(kWidth32, 2 * kSteps)
        .set(kWidth128, 3 * kSteps)
        .set(kWarpInstructions, all * kSteps);
}

KernelAnalysis analyzed(const Code& code, double memory = 40) {
    SyntheticProfile p(testDevice());
    auto pass = p.sourcePass(waves(p, memory));
    std::uint32_t line = 30;
    for (const auto& [sass, times] : code)
        pass.instruction(sass, "/a/tide.cu", ++line).executed(times * kSteps);
    return analyzeOne(p);
}
Code with(std::size_t at, const char* sass, double times) {
    Code code = kWaves;
    code[at] = {sass, times};
    return code;
}
bool fires(const Code& code, double memory = 40) {
    return find(analyzed(code, memory), kFp64OnFp32) != nullptr;
}

}  // namespace

TEST_CASE("arithmetic in FP64 between loads and stores of FP32 is a finding, with its line") {
    const KernelAnalysis kernel = analyzed(kWaves);
    const Finding* finding = find(kernel, kFp64OnFp32);
    REQUIRE(finding);
    CHECK(unfilled(kernel).empty());
    CHECK_FALSE(finding->minor);
    // 24.03 of 68.06 instructions; the L1 is 40 % busy.
    CHECK(finding->evidence[0].value == Approx(0.353).epsilon(0.01));
    CHECK(finding->gainShare->value == Approx(0.6).epsilon(0.02));
    REQUIRE_FALSE(finding->places.empty());
    CHECK(finding->places[0].line == 34);
}

TEST_CASE("data in FP64, little arithmetic and busy memory are left alone") {
    // Doubles are loaded, or stored: the program keeps them.
    CHECK_FALSE(fires(with(0, "LDG.E.64 R0, desc[UR4][R2.64]", 3)));
    CHECK(fires(with(0, "LDG.E.64 R0, desc[UR4][R2.64]", 1)));  // pairs of floats
    // Constant doubles, without a sine that would load its table.
    CHECK_FALSE(fires(with(9, "IADD3 R2, R2, 0x1, RZ", 1)));
    CHECK_FALSE(fires(with(8, "STG.E.64 desc[UR4][R2.64], R0", 0.06)));
    // Its results are sums in FP64, which atomics add.
    CHECK_FALSE(fires(with(7, "RED.E.ADD.F64.RN.STRONG.GPU desc[UR4][R2.64], R4", 0.03)));
    // A sum in double beside a loop in float.
    CHECK_FALSE(fires(with(3, "DADD R4, R36, R4", 0.4)));
    CHECK_FALSE(fires(kWaves, 95));
    // A gather that waits for memory: the FP64 pipe idles.
    SyntheticProfile idles(testDevice());
    auto gather = waves(idles);
    auto pass = idles.sourcePass(gather.set(kFp64Fma, 2 * 32 * kSteps));
    for (const auto& [sass, times] : kWaves)
        pass.instruction(sass, "/a/tide.cu", 31).executed(times * kSteps);
    CHECK_FALSE(find(analyzeOne(idles), kFp64OnFp32));
}

TEST_CASE("the machine code is asked for where counters leave the types open") {
    SyntheticProfile p(testDevice());
    waves(p);
    CHECK(unknown(analyzeOne(p), kFp64OnFp32));
    SyntheticProfile doubles(testDevice());  // every access is of 8 bytes
    waves(doubles).set(kWidth32, 0).set(kWidth64, 2 * kSteps);
    CHECK_FALSE(unknown(analyzeOne(doubles), kFp64OnFp32));
}

TEST_CASE("a kernel whose arrays are all FP32 needs no machine code") {
    const auto fires = [](const char* name) {
        SyntheticProfile p(testDevice());
        waves(p, 40, name);
        return find(analyzeOne(p), kFp64OnFp32) != nullptr;
    };
    for (const char* name :
         {"tide(float const*, float const*, float*, int, double, double)",
          "void tide<double, (Kind)2>(float4 const*, unsigned char*)",
          "__main__::tide[abi:v1][abi:cw51](Array<float, 2, C, mutable, aligned>, double)"})
        CHECK(fires(name));
    for (const char* name :
         {"tide(float const*, double*)", "tide(int const*, int*)", "tide",
          "tide(float const*, Cell*)", "tide(double)", "tide(float const*, unsigned long long*)",
          "tide(float const*, Span<double>)", "tide(float const*, Params)",
          "__main__::tide[abi:v1][abi:cw51](Array<float, 1, C, mutable, "
          "aligned>, Array<double, 1, C, mutable, aligned>)"})
        CHECK_FALSE(fires(name));
    // Without counts by kind, the pipe tells.
    std::string ofPipe;  // what the share is one of
    const auto busy = [&](double pipe) {
        SyntheticProfile p(testDevice());
        auto launch = waves(p, 40, "tide(float*)");
        for (const auto counter : {kFp64Add, kFp64Mul, kFp64Fma, kThreadInstructionsOn})
            launch.set(counter, std::numeric_limits<double>::quiet_NaN());
        launch.set("sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed", pipe);
        const KernelAnalysis kernel = analyzeOne(p);
        const Finding* finding = find(kernel, kFp64OnFp32);
        if (finding) ofPipe = finding->args.at(1).text.in(Language::En);
        return finding != nullptr;
    };
    CHECK(busy(59));
    CHECK(ofPipe == "of the FP64 pipe's time is used");
    CHECK_FALSE(busy(14));
}
