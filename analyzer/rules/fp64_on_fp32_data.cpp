// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule_support.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope::rules {

namespace {

/// From this share of the instructions on, the type of the arithmetic decides much of the time.
constexpr double kLeastArithmetic = 0.15;
/// The machine code is asked for from here on: conversions and tests come on top.
constexpr double kLeastCounted = 0.05;
/// Of the values of 4 bytes that are loaded and stored, at least so many are converted.
constexpr double kLeastLoaded = 0.25, kMostLoaded = 0.5, kLeastStored = 0.5;
/// Use of the FP64 pipe below which other things take the time.
constexpr double kLeastPipe = 0.15;
/// A smaller gain is not worth fewer bits.
constexpr double kLeastGain = 0.1;

/// What the machine code does in FP64. In warp instructions, or in instructions of the code if they
/// were not counted.
struct Fp64Work {
    double arithmetic = 0;  ///< share of the instructions, or of the samples; with conversions
    double loaded = 0, wide = 0;      ///< values of 4 bytes loaded; of those, several at once
    double widened = 0;               ///< values converted to FP64
    double stored = 0, narrowed = 0;  ///< values of 4 bytes stored; values converted to FP32
    std::vector<bool> rows;           ///< instructions that it is about

    /// Loads of 8 bytes and more may be of doubles, so then most values must be converted.
    [[nodiscard]] bool isOnFp32() const {
        return widened > 0 && widened >= (wide > 0 ? kMostLoaded : kLeastLoaded) * loaded &&
               narrowed > 0 && narrowed >= kLeastStored * stored;
    }
};

bool isArithmetic(std::string_view opcode) {
    return opcode.starts_with("DADD") || opcode.starts_with("DMUL") || opcode.starts_with("DFMA") ||
           opcode.starts_with("DSETP") || opcode.starts_with("DMNMX") ||
           opcode.find(".F64") != opcode.npos || opcode.find("64H") != opcode.npos;
}

/// Whether sine and cosine in FP64 are among the code: they reduce their argument, and load
/// coefficients from a table of the library by LDG.E.128.CONSTANT.
bool hasSineTable(const SourceAnalysis& source) {
    const auto any = [&](std::string_view opcode) {
        return std::ranges::any_of(source.facts, [opcode](const SassFacts& facts) {
            return facts.opcode.starts_with(opcode);
        });
    };
    return any("F2I.F64") && any("I2F.F64") && any("LDG.E.128.CONSTANT");
}

Fp64Work fp64Work(const SourceAnalysis& source) {
    constexpr double kValue = 4;  // bytes
    Fp64Work work{.rows = std::vector<bool>(source.facts.size())};
    const bool counted = source.total.executed && *source.total.executed > 0;
    const bool table = hasSineTable(source);
    double part = 0;
    for (std::size_t row = 0; row < source.facts.size(); ++row) {
        const SassFacts& facts = source.facts[row];
        const double weight = counted ? source.perRow[row].executed.value_or(0) : 1.0;
        const double values = weight * facts.width.value_or(0) / kValue;
        if (facts.kind == SassKind::GlobalLoad &&
            !(table && facts.opcode == "LDG.E.128.CONSTANT")) {
            work.loaded += values;
            if (values > weight) work.wide += values;
        }
        if (facts.kind == SassKind::GlobalStore) work.stored += values;
        if (facts.opcode.starts_with("F2F.F64.F32")) work.widened += weight;
        if (facts.opcode.starts_with("F2F.F32.F64")) work.narrowed += weight;
        if (!isArithmetic(facts.opcode)) continue;
        work.rows[row] = true;
        part += counted                             ? weight
                : row < source.stalls.perRow.size() ? source.stalls.perRow[row]
                                                    : 0.0;
    }
    const double all = counted ? *source.total.executed : source.stalls.total;
    work.arithmetic = all > 0 ? part / all : 0.0;
    return work;
}

/// Whether a parameter of a kernel is an array of values of 4 bytes or less, a single number, or
/// something that may hold anything.
enum class Parameter { Floats, Narrow, Number, Unknown };
Parameter kindOf(std::string_view parameter) {
    constexpr std::string_view kNarrow[] = {"float", "int",  "unsigned", "char",
                                            "short", "bool", "__half",   "__nv_bfloat16"};
    const auto begins = [&](std::string_view type) { return parameter.starts_with(type); };
    const auto has = [&](std::string_view part) { return parameter.find(part) != parameter.npos; };
    const bool ofNumba = begins("Array<");
    if (ofNumba) parameter.remove_prefix(std::string_view("Array<").size());
    const bool narrow = std::ranges::any_of(kNarrow, begins) && !has("long") && !has("double");
    if (ofNumba || has("*"))
        return !narrow           ? Parameter::Unknown
               : begins("float") ? Parameter::Floats
                                 : Parameter::Narrow;
    return narrow || begins("double") || has("long") ? Parameter::Number : Parameter::Unknown;
}

/// Whether all arrays that a kernel is given hold values of 4 bytes or less, some of them floats:
/// "k(float const*, int*, double)", or Numba's "k(Array<float, 2, C, mutable, aligned>, double)".
bool hasOnlyFp32Arrays(std::string_view name) {
    const std::size_t end = name.rfind(')');
    if (end == name.npos) return false;
    bool floats = false;
    std::size_t depth = 0, last = end;
    for (std::size_t at = end; at-- > 0;) {
        const char c = name[at];
        if (c == '>' || c == ')') ++depth;
        const bool opens = depth == 0 && c == '(';
        if ((c == '<' || c == '(') && depth > 0) --depth;
        if (!opens && !(depth == 0 && c == ',')) continue;
        std::string_view parameter = name.substr(at + 1, last - at - 1);
        while (parameter.starts_with(' ')) parameter.remove_prefix(1);
        last = at;
        const Parameter kind = kindOf(parameter);
        if (kind == Parameter::Unknown) return false;
        floats = floats || kind == Parameter::Floats;
        if (opens) return floats;
    }
    return false;
}

/// A share that shows FP64 arithmetic, and what it is a share of, to follow the number.
struct Shown {
    Evidence evidence;
    Words of;
};

/// FP64 arithmetic of a kernel whose arrays are all FP32, by counters; absent if there is little.
std::optional<Shown> fp64ByCounters(const RuleInput& input) {
    using namespace counter;
    if (!hasOnlyFp32Arrays(input.kernel.fullName)) return std::nullopt;
    const auto sums = jointSums(input, {kFp64Add, kFp64Mul, kFp64Fma, kThreadInstructionsOn});
    if (sums.ok() && sums[3] > 0) {
        const double share = (sums[0] + sums[1] + sums[2]) / sums[3];
        if (share < kLeastArithmetic) return std::nullopt;
        return Shown{{.label = Words("FP64 arithmetic"),
                      .formula = "additions, products and multiply-adds in FP64 / " +
                                 std::string(kThreadInstructionsOn),
                      .value = share,
                      .unit = Unit::Share,
                      .threshold = kLeastArithmetic},
                     Words("of the instructions compute in FP64 or convert")};
    }
    const auto& pipe = input.kernel.quantities.pipeUtilisation[Precision::Fp64];
    if (!pipe.has()) return std::nullopt;
    return Shown{{.label = Words("FP64 pipe utilisation"),
                  .formula = pipe.how,
                  .value = pipe->value,
                  .unit = Unit::Share,
                  .threshold = kLeastPipe},
                 Words("of the FP64 pipe's time is used")};
}

/// Whether the default counters leave it open: FP64 arithmetic, and accesses of 4 bytes.
bool mayBe(const RuleInput& input) {
    using namespace counter;
    constexpr double kSome = 0.2;
    const auto sums = jointSums(input, {kFp64Add, kFp64Mul, kFp64Fma, kThreadInstructionsOn,
                                        kWidth32, kWidth64, kWidth128});
    const double fp64 = sums.ok() ? sums[0] + sums[1] + sums[2] : 0.0;
    return fp64 > 0 && fp64 >= kLeastCounted * sums[3] &&
           sums[4] >= kSome * (sums[4] + sums[5] + sums[6]);
}

/// Whether FP64 arithmetic takes time: conversions and additions beside a wait for memory do not.
bool usesFp64Pipe(const RuleInput& input) {
    const auto& pipe = input.kernel.quantities.pipeUtilisation[Precision::Fp64];
    return input.kernel.verdict.limiter == ResourceId::Fp64 ||
           (pipe.has() && pipe->value >= kLeastPipe);
}

std::vector<Place> fp64Places(const Profile& profile, const SourceAnalysis& source,
                              const Fp64Work& work) {
    const auto executed = [&](std::size_t row) {
        return work.rows[row] ? source.perRow[row].executed.value_or(1.0) : 0.0;
    };
    double all = 0;
    for (std::size_t row = 0; row < work.rows.size(); ++row) all += executed(row);
    return worstPlaces(profile, source, Words("instructions in FP64"), all, executed);
}

RuleResult check(const RuleInput& input) {
    const KernelAnalysis& kernel = input.kernel;
    if (isForeign(kernel.origin)) return NotApplicable{};
    const double others = resourcesOf(kernel.quantities)
                              .busiestExcept({ResourceId::Fp64, ResourceId::Fp32, ResourceId::Issue,
                                              ResourceId::Integer, ResourceId::SpecialFunction});
    const double gain = limitToEmptyLaunch(input, std::max(0.0, 1.0 - others));
    if (gain < kLeastGain || !usesFp64Pipe(input)) return NotApplicable{};
    const SourceAnalysis* source = kernel.source.get();
    if (source && !source->hasSass) source = nullptr;
    const auto byCounters = source ? std::nullopt : fp64ByCounters(input);
    if (!source && !byCounters) {
        if (kernel.source || !mayBe(input)) return NotApplicable{};
        return cannotTell(Words("the types of what is loaded and computed"), CounterGroup::Source);
    }
    const Fp64Work work = source ? fp64Work(*source) : Fp64Work();
    if (source && !work.isOnFp32()) return NotApplicable{};
    if (source && work.arithmetic < kLeastArithmetic)
        return RuledOut{.args = {arg("share", work.arithmetic, Unit::Share)}, .cost = gain};
    Finding finding = makeFinding(input, gain);
    const Evidence shown =
        byCounters ? byCounters->evidence
                   : Evidence{.label = Words("FP64 arithmetic and conversions"),
                              .formula =
                                  "DADD, DMUL, DFMA, DSETP, DMNMX, F2F, … / instructions, "
                                  "by " +
                                  std::string(counter::kSassExecuted) + " or samples",
                              .value = work.arithmetic,
                              .unit = Unit::Share,
                              .threshold = kLeastArithmetic};
    finding.args = {
        arg("share", shown.value, Unit::Share),
        arg("of",
            byCounters ? byCounters->of : Words("of the instructions compute in FP64 or convert"))};
    finding.evidence = {shown};
    finding.relief = {{ResourceId::Fp64, 0.0},
                      {ResourceId::Issue, 0.0},
                      {ResourceId::SpecialFunction, 0.0},
                      {ResourceId::Integer, 0.0}};
    if (const auto& flops = kernel.quantities.flops[Precision::Fp64]; flops.has())
        finding.expected = {{.counter = Words("FP64 operations"),
                             .what = moved::Operations{Precision::Fp64},
                             .from = flops->value,
                             .to = 0.0,
                             .unit = Unit::Count}};
    if (source) finding.places = fp64Places(input.profile, *source, work);
    return finding;
}

}  // namespace

extern const Rule fp64_on_fp32_data;
const Rule fp64_on_fp32_data{
    .id = "fp64-on-fp32-data",
    .category = "latency",
    .needs = {CounterGroup::Default, CounterGroup::Source},
    .before = "y[i] = x[i] * 0.5 + cos(w * t + x[i]);  // float x, y: computed in double",
    .after = "y[i] = x[i] * 0.5f + cosf(phase + x[i]);  // phase: w * t, reduced once in double",
    .en = {.title = "FP64 arithmetic on FP32 data",
           .firesWhen =
               "At least 15 % of the instructions are FP64 arithmetic, while a quarter of the "
               "loaded values of 4 bytes are converted to FP64 and half of the stored "
               "ones from it (or all arrays are FP32 by the kernel's parameters), and "
               "memory leaves at least 10 % of the time.",
           .sentence = "{share} {of}, although the kernel's data is FP32.",
           .mechanism = "One literal without an f, one double variable or one cos() in place of "
                        "cosf() turns an expression into double: conversions on both sides, half "
                        "the rate at best, twice the registers, and functions that take several "
                        "times the instructions.",
           .edit =
               "Compute in float where the result tolerates it: 0.5f, cosf, expf, float variables. "
               "What only an argument needs (a phase, a time) is reduced in double once, "
               "outside of the loop.",
           .ruledOut = "FP64 arithmetic on FP32 data ({share} of the instructions)",
           .gain = "(1 − busiest of memory) × duration: as if FP32 arithmetic took no time",
           .editInTriton =
               "In Triton: float32 accumulators and constants where the result tolerates "
               "it, no .to(tl.float64). Where only an argument needs the bits, reduce "
               "it in float64 once, before the loop.",
           .editInNumba =
               "Compute in float32 where the result tolerates it: in Numba a Python number "
               "is a float64 and makes all that it meets float64, so write "
               "np.float32(0.5), also for exponents, and use @cuda.jit(fastmath=True)."},
    .check = check,
    .namesLine = NamesLine::ByCounters,
    .changesDataTypes = true,
    .canBeatItsRoof = true,
    .causesStalls = {"short_scoreboard", "math_pipe_throttle", "wait"}};

}  // namespace roofscope::rules
