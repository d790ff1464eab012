// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/sass_registers.h"

#include <algorithm>
#include <cctype>

#include "analyzer/source/sass.h"

namespace roofscope {
namespace {

constexpr std::uint16_t kLastRegister = 254;  ///< 255 is RZ

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has(std::string_view opcode, std::string_view modifier) {
    for (std::size_t at = opcode.find('.'); at < opcode.size();) {
        const auto end = std::min(opcode.find('.', at + 1), opcode.size());
        if (opcode.substr(at + 1, end - at - 1) == modifier) return true;
        at = end;
    }
    return false;
}

/// Splits at commas outside of brackets.
std::vector<std::string_view> operandsOf(std::string_view text) {
    std::vector<std::string_view> operands;
    std::size_t depth = 0, begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '[') ++depth;
        if (i < text.size() && text[i] == ']' && depth > 0) --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        std::string_view operand = text.substr(begin, i - begin);
        while (!operand.empty() && operand.front() == ' ') operand.remove_prefix(1);
        while (!operand.empty() && (operand.back() == ' ' || operand.back() == ';'))
            operand.remove_suffix(1);
        if (!operand.empty()) operands.push_back(operand);
        begin = i + 1;
    }
    return operands;
}

bool isPredicate(std::string_view operand) {
    if (operand.starts_with('!')) operand.remove_prefix(1);
    if (operand.starts_with('U')) operand.remove_prefix(1);
    return operand.size() >= 2 && operand[0] == 'P' &&
           (operand[1] == 'T' || std::isdigit(static_cast<unsigned char>(operand[1])) != 0);
}

/// A register named in an operand, and how many registers its suffix makes it cover (".64").
struct Named {
    Register first;
    std::size_t width = 1;
};

std::vector<Named> registersIn(std::string_view operand) {
    std::vector<Named> found;
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const bool starts = i == 0 || (!isWord(operand[i - 1]) && operand[i - 1] != '.');
        std::size_t at = i;
        if (!starts) continue;
        const bool uniform = operand[at] == 'U';
        if (uniform) ++at;
        if (at >= operand.size() || operand[at] != 'R') continue;
        std::size_t digits = at + 1;
        std::uint32_t number = 0;
        while (digits < operand.size() && digits < at + 4 &&
               std::isdigit(static_cast<unsigned char>(operand[digits])) != 0)
            number = number * 10 + static_cast<std::uint32_t>(operand[digits++] - '0');
        if (digits == at + 1 || number > kLastRegister) continue;
        if (digits < operand.size() && isWord(operand[digits])) continue;
        const std::string_view rest = operand.substr(digits);
        found.push_back({{static_cast<std::uint16_t>(number), uniform},
                         rest.starts_with(".64") ? std::size_t{2} : std::size_t{1}});
        i = digits - 1;
    }
    return found;
}

void add(std::vector<Register>& list, const Named& named, std::size_t width) {
    for (std::size_t i = 0; i < std::max(width, named.width); ++i) {
        const std::size_t number = named.first.number + i;
        if (number > kLastRegister) break;
        const Register one{static_cast<std::uint16_t>(number), named.first.uniform};
        if (std::ranges::find(list, one) == list.end()) list.push_back(one);
    }
}

/// Instructions that write no register, or a predicate only.
bool writesNone(std::string_view name) {
    return name.ends_with("SETP") || name == "HSETP2" || name.starts_with("ST") ||
           isAny(name, {"RED",      "REDG",      "PLOP3",  "UPLOP3", "R2P",    "BAR",  "BRA",
                        "BRX",      "JMP",       "CALL",   "RET",    "EXIT",   "BSSY", "BSYNC",
                        "WARPSYNC", "NANOSLEEP", "MEMBAR", "CCTL",   "DEPBAR", "NOP"});
}

/// Registers per value of a memory instruction: by ".64" and ".128", or by LDSM's number of
/// matrices.
std::size_t memoryWidth(std::string_view name, std::string_view opcode) {
    if (isAny(name, {"LDSM", "STSM"})) return has(opcode, "4") ? 4 : has(opcode, "2") ? 2 : 1;
    return has(opcode, "256") ? 8 : has(opcode, "128") ? 4 : has(opcode, "64") ? 2 : 1;
}

bool isMemory(std::string_view name) {
    return name.starts_with("LD") || name.starts_with("ST") || name.starts_with("ATOM") ||
           name.starts_with("RED") || name == "ULDC";
}

/// "64x128x16": each of a warp group's 128 threads has 64 · 128 / 128 results.
std::size_t groupProductWidth(std::string_view opcode) {
    const auto x = opcode.find('x');
    if (x == opcode.npos) return 4;
    std::size_t columns = 0;
    for (std::size_t i = x + 1; i < opcode.size() && i < x + 4; ++i) {
        if (std::isdigit(static_cast<unsigned char>(opcode[i])) == 0) break;
        columns = columns * 10 + static_cast<std::size_t>(opcode[i] - '0');
    }
    return std::max<std::size_t>(columns / (has(opcode, "F16") && !has(opcode, "F32") ? 4 : 2), 1);
}

std::size_t writeWidth(std::string_view name, std::string_view opcode) {
    if (isMemory(name)) return memoryWidth(name, opcode);
    if (isAny(name, {"HMMA", "IMMA", "QMMA", "OMMA", "DMMA"})) return 4;
    if (isAny(name, {"HGMMA", "QGMMA", "IGMMA"})) return groupProductWidth(opcode);
    if (isAny(name, {"DADD", "DMUL", "DFMA", "DMNMX"}) || has(opcode, "WIDE") || has(opcode, "64"))
        return 2;
    if (name == "CS2R") return has(opcode, "32") ? 1 : 2;
    // "F2F.F64.F32": the first type is the result's.
    if (isAny(name, {"F2F", "I2F", "F2I"}))
        return opcode.find(".F64") == opcode.find('.') || has(opcode, "S64") || has(opcode, "U64")
                   ? 2
                   : 1;
    return 1;
}

/// `source`: 0 for the first operand after the result.
std::size_t readWidth(std::string_view name, std::string_view opcode, std::size_t source,
                      std::size_t sources) {
    if (isAny(name, {"DADD", "DMUL", "DFMA", "DMNMX", "DSETP"})) return 2;
    if (has(opcode, "WIDE")) return source + 1 == sources ? 2 : 1;
    if (isAny(name, {"HMMA", "IMMA", "QMMA", "OMMA"})) return source == 1 ? 2 : 4;
    if (name == "DMMA") return source == 2 ? 4 : 2;
    if (isAny(name, {"HGMMA", "QGMMA", "IGMMA"})) return source == 0 ? 4 : 1;
    if (isAny(name, {"F2F", "F2I"})) return has(opcode, "F64") ? 2 : 1;
    return has(opcode, "64") ? 2 : 1;
}

}  // namespace

SassRegisters readRegisters(std::string_view sass) {
    SassRegisters registers;
    const auto [opcode, name, text, predicated] = splitSass(sass);
    registers.predicated = predicated;
    const std::vector<std::string_view> operands = operandsOf(text);

    std::size_t at = 0;
    while (at < operands.size() && isPredicate(operands[at])) ++at;
    // A result has no brackets; an address ("[R2]") is read.
    if (!writesNone(name) && at < operands.size() &&
        (operands[at].starts_with('R') || operands[at].starts_with("UR"))) {
        const auto result = registersIn(operands[at]);
        if (!result.empty()) add(registers.writes, result.front(), writeWidth(name, opcode));
        ++at;
    }
    std::vector<std::string_view> sources;
    for (; at < operands.size(); ++at)
        if (!isPredicate(operands[at])) sources.push_back(operands[at]);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const bool address = sources[i].find('[') != sources[i].npos;
        std::size_t width = 1;
        if (!address)
            width = isMemory(name) ? memoryWidth(name, opcode)
                                   : readWidth(name, opcode, i, sources.size());
        else if (sources[i].starts_with("gdesc"))
            width = 4;  // the descriptors of both operands
        for (const Named& named : registersIn(sources[i])) add(registers.reads, named, width);
    }
    return registers;
}

std::vector<Register> namedRegisters(std::string_view text) {
    std::vector<Register> found;
    for (const Named& named : registersIn(text)) add(found, named, 1);
    return found;
}

std::vector<Register> addressRegisters(std::string_view sass) {
    std::vector<Register> found;
    for (const std::string_view operand : operandsOf(splitSass(sass).operands)) {
        const auto bracket = operand.find('[');
        if (bracket == operand.npos || operand.starts_with("c[")) continue;  // a constant
        for (const Named& named : registersIn(operand.substr(bracket)))
            if (!named.first.uniform) add(found, named, 1);
    }
    return found;
}

std::string_view addressText(std::string_view sass) {
    const auto close = sass.rfind(']');
    if (close == std::string_view::npos) return {};
    const auto open = sass.rfind('[', close);
    return open == std::string_view::npos ? std::string_view()
                                          : sass.substr(open, close + 1 - open);
}

}  // namespace roofscope
