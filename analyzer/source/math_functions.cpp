// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/math_functions.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "analyzer/language/sentence.h"
#include "analyzer/source/source_analysis.h"

namespace roofscope {
namespace {

/// What every call executes once, and how many instructions the call takes on the path of usual
/// arguments. Counted in code that nvcc 13.0 made for sm_80 and sm_90.
struct Signature {
    std::string_view name;      ///< of the instruction; empty: any
    std::string_view constant;  ///< among its operands; empty: any
    MathFunction function;
    Precision precision;
    double instructions;
};
constexpr Signature kSignatures[] = {
    {"FFMA", "0.12022458761930465698", MathFunction::Power, Precision::Fp32, 60},
    {"FFMA", "-1.5707962512969970703", MathFunction::SineCosine, Precision::Fp32, 27},
    {"FFMA", "1.925963033500011079e-08", MathFunction::Exponential, Precision::Fp32, 8},
    {"FFMA", "7.0595369550119357882e-08", MathFunction::Exponential, Precision::Fp32, 8},
    {"FFMA", "-0.12148627638816833496", MathFunction::Logarithm, Precision::Fp32, 20},
    {"FFMA", "0.48089820146560668945", MathFunction::Logarithm, Precision::Fp32, 22},
    {"FCHK", "", MathFunction::Division, Precision::Fp32, 9},
    {"", "0x1800000", MathFunction::Division, Precision::Fp32, 9},
    {"", "-0xd000000", MathFunction::SquareRoot, Precision::Fp32, 10},
    {"", "0xf3000000", MathFunction::SquareRoot, Precision::Fp32, 10},
    {"FSETP", "4.1917929649353027344", MathFunction::Exponential, Precision::Fp64, 30},
    {"MUFU", "RCP64H", MathFunction::Division, Precision::Fp64, 12},
    {"MUFU", "RSQ64H", MathFunction::SquareRoot, Precision::Fp64, 13},
};
/// A double-precision power computes a reciprocal and an exponential on its way.
constexpr double kPower64 = 110;
/// The factor ln 2 / 2^… of its logarithm, which no other function has; loaded into a register, so
/// it may be executed less often than the function.
constexpr std::string_view kOfPower64 = "0x3eb0f5ff";
/// The same of a double-precision logarithm, which computes a reciprocal on its way, too.
constexpr std::string_view kOfLogarithm64 = "0x3eb1380b";

/// The function that the compiler calls for a power in double precision, if it does not inline it.
constexpr std::string_view kPower64Function = "accurate_pow";

bool hasSignature(const Signature& signature, const SassParts& parts) {
    if (!signature.name.empty() && parts.name != signature.name) return false;
    if (signature.name == "MUFU")
        return parts.opcode.find(signature.constant) != std::string_view::npos;
    const auto at = parts.operands.find(signature.constant);
    if (at == std::string_view::npos) return false;
    // A longer number that begins like it ("0x18000000") is another one.
    const std::size_t end = at + signature.constant.size();
    return end >= parts.operands.size() ||
           std::string_view("0123456789abcdef").find(parts.operands[end]) == std::string_view::npos;
}

/// The operands of an instruction, without blanks: {"R4", "R3", "20"}.
std::vector<std::string_view> mathOperands(std::string_view operands) {
    std::vector<std::string_view> list;
    while (!operands.empty()) {
        const std::size_t comma = std::min(operands.find(','), operands.size());
        std::string_view operand = operands.substr(0, comma);
        operands.remove_prefix(std::min(comma + 1, operands.size()));
        while (!operand.empty() && operand.front() == ' ') operand.remove_prefix(1);
        while (!operand.empty() && (operand.back() == ' ' || operand.back() == ';'))
            operand.remove_suffix(1);
        list.push_back(operand);
    }
    return list;
}

std::optional<double> immediateOf(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The constant exponent of the power whose logarithm has its constant in `row`: the factor of the
/// product that is rounded next ("FMUL R4, R3, 20", then "FRND R5, R4").
std::optional<double> exponentAfter(const SourcePass& pass, std::size_t row) {
    constexpr std::size_t kFarthest = 60;
    std::map<std::string_view, std::optional<double>> products;  // by register
    const std::size_t end = std::min(pass.instructions.size(), row + kFarthest);
    for (std::size_t at = row; at < end; ++at) {
        const SassParts parts = splitSass(pass.instructions[at].sass);
        const std::vector<std::string_view> operands = mathOperands(parts.operands);
        if (operands.size() < 2) continue;
        if (parts.opcode == "FRND") {
            const auto found = products.find(operands[1]);
            return found == products.end() ? std::nullopt : found->second;
        }
        if (parts.name == "FMUL" && operands.size() == 3)
            products[operands[0]] = immediateOf(operands[2]);
        else
            products.erase(operands[0]);
    }
    return std::nullopt;
}

using MathUses = std::map<std::pair<MathFunction, Precision>, MathUse>;

/// Counts powers in double precision by the calls of their function. Its reciprocal and exponential
/// were counted as such.
void countCalledPowers(const SourcePass& pass, const SourceAnalysis& source, MathUses& found) {
    MathUse power{.function = MathFunction::Power, .precision = Precision::Fp64};
    for (std::size_t row = 0; row < std::min(pass.instructions.size(), source.issued.size()); ++row)
        if (pass.instructions[row].sass.find(kPower64Function) != std::string::npos &&
            splitSass(pass.instructions[row].sass).name == "CALL") {
            power.calls += source.issued[row];
            power.rows.push_back(row);
        }
    if (!(power.calls > 0)) return;
    for (const MathFunction part : {MathFunction::Division, MathFunction::Exponential}) {
        const auto of = found.find({part, Precision::Fp64});
        if (of == found.end()) continue;
        MathUse& use = of->second;
        const double left = std::max(0.0, 1 - power.calls / use.calls);
        use.instructions *= left;
        use.calls *= left;
        if (!(use.calls > 0)) found.erase(of);
    }
    power.instructions = power.calls * kPower64;
    found[{power.function, power.precision}] = std::move(power);
}

}  // namespace

std::vector<MathUse> mathUses(const SourcePass& pass, const SourceAnalysis& source) {
    MathUses found;
    std::map<std::optional<double>, double> exponents;  // instructions
    const auto has = [&pass](std::string_view constant) {
        return std::ranges::any_of(pass.instructions, [&](const Instruction& i) {
            return i.sass.find(constant) != std::string::npos;
        });
    };
    const bool powers64 = has(kOfPower64) && !has(kPower64Function);
    std::vector<std::size_t> logarithms64;  // rows
    for (std::size_t row = 0; row < pass.instructions.size(); ++row)
        if (pass.instructions[row].sass.find(kOfLogarithm64) != std::string::npos)
            logarithms64.push_back(row);
    // Its reciprocal lies beside its constants; other divisions do not.
    const auto isOfLogarithm = [&logarithms64](std::size_t row) {
        constexpr std::size_t kBeside = 64;
        return std::ranges::any_of(logarithms64, [row](std::size_t of) {
            return row < of + kBeside && of < row + kBeside;
        });
    };
    const std::size_t rows = std::min(pass.instructions.size(), source.issued.size());
    for (std::size_t row = 0; row < rows; ++row) {
        const double executed = source.issued[row];
        if (!(executed > 0)) continue;
        const SassParts parts = splitSass(pass.instructions[row].sass);
        const auto* signature = std::ranges::find_if(
            kSignatures, [&](const Signature& s) { return hasSignature(s, parts); });
        if (signature == std::end(kSignatures)) continue;
        MathFunction function = signature->function;
        double instructions = signature->instructions;
        if (powers64 && signature->precision == Precision::Fp64) {
            if (function != MathFunction::Exponential) continue;  // most likely part of a power
            function = MathFunction::Power;
            instructions = kPower64;
        }
        if (function == MathFunction::Division && signature->precision == Precision::Fp64 &&
            isOfLogarithm(row))
            continue;
        MathUse& use = found[{function, signature->precision}];
        use.function = function;
        use.precision = signature->precision;
        use.calls += executed;
        use.instructions += executed * instructions;
        use.rows.push_back(row);
        if (function == MathFunction::Power && signature->precision == Precision::Fp32)
            exponents[exponentAfter(pass, row)] += executed * instructions;
    }
    countCalledPowers(pass, source, found);
    std::vector<MathUse> uses;
    for (auto& [key, use] : found) {
        if (use.function == MathFunction::Power && use.precision == Precision::Fp32)
            use.exponent = std::ranges::max_element(exponents, {}, [](const auto& entry) {
                               return entry.second;
                           })->first;
        uses.push_back(std::move(use));
    }
    std::ranges::stable_sort(uses, std::greater{}, &MathUse::instructions);
    return uses;
}

Words nameOf(const MathUse& use) {
    const bool twice = use.precision == Precision::Fp64;
    switch (use.function) {
        case MathFunction::Power:
            if (use.exponent) return wordsOf("pow with the exponent {:g}", *use.exponent);
            return twice ? Words("pow in double precision") : Words("pow");
        case MathFunction::SineCosine:
            return Words("sine, cosine");
        case MathFunction::Exponential:
            return twice ? Words("exp in double precision") : Words("exp");
        case MathFunction::Logarithm:
            return Words("logarithms");
        case MathFunction::Division:
            return twice ? Words("divisions in double precision") : Words("divisions");
        case MathFunction::SquareRoot:
            break;
    }
    return twice ? Words("square roots in double precision") : Words("square roots");
}

}  // namespace roofscope
