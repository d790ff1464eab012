// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/sass.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "analyzer/source/sass_registers.h"

namespace roofscope {

namespace {

constexpr std::size_t kLongestOpcode = 60;

SassKind kindOf(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, SassKind>, 16> kKinds{{
        {"LDG", SassKind::GlobalLoad},
        {"STG", SassKind::GlobalStore},
        {"ATOMG", SassKind::GlobalAtomic},
        {"RED", SassKind::GlobalAtomic},
        {"REDG", SassKind::GlobalAtomic},
        {"LDGSTS", SassKind::AsyncCopy},
        {"LDS", SassKind::SharedLoad},
        {"LDSM", SassKind::SharedLoad},
        {"STS", SassKind::SharedStore},
        {"STSM", SassKind::SharedStore},
        {"ATOMS", SassKind::SharedAtomic},
        {"LDL", SassKind::LocalLoad},
        {"STL", SassKind::LocalStore},
        {"LD", SassKind::GenericLoad},
        {"ST", SassKind::GenericStore},
        {"ATOM", SassKind::GenericAtomic},
    }};
    for (const auto& [known, kind] : kKinds)
        if (name == known) return kind;
    return SassKind::Other;
}

bool hasWidth(std::string_view name) {
    constexpr std::array<std::string_view, 9> kPlain{"LDG", "STG", "LDGSTS", "LDS", "STS",
                                                     "LDL", "STL", "LD",     "ST"};
    return std::ranges::find(kPlain, name) != kPlain.end();
}

std::uint32_t widthOf(std::string_view modifier) {
    constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> kWidths{
        {{"U8", 1}, {"S8", 1}, {"U16", 2}, {"S16", 2}, {"64", 8}, {"128", 16}, {"256", 32}}};
    for (const auto& [known, width] : kWidths)
        if (modifier == known) return width;
    return 0;
}

}  // namespace

SassParts splitSass(std::string_view sass) {
    SassParts parts;
    const auto word = [&] {
        sass.remove_prefix(std::min(sass.find_first_not_of(" \t"), sass.size()));
        const std::string_view found =
            sass.substr(0, std::min(sass.find_first_of(" \t;"), sass.size()));
        sass.remove_prefix(found.size());
        return found;
    };
    parts.opcode = word();
    while (parts.opcode.starts_with('@')) {
        parts.predicated = parts.predicated || !parts.opcode.ends_with("PT");
        parts.opcode = word();
    }
    parts.name = parts.opcode.substr(0, parts.opcode.find('.'));
    parts.operands = sass;
    return parts;
}

SassFacts readSass(std::string_view sass) {
    SassFacts facts;
    const auto [opcode, name, operands, predicated] = splitSass(sass);
    if (opcode.empty()) return facts;
    facts.opcode = std::string(opcode.substr(0, kLongestOpcode));
    facts.kind = kindOf(name);
    if (!hasWidth(name)) return facts;
    facts.width = 4;  // the default, without a modifier
    for (std::size_t at = name.size(); at < opcode.size();) {
        const auto end = std::min(opcode.find('.', at + 1), opcode.size());
        if (const auto width = widthOf(opcode.substr(at + 1, end - at - 1))) facts.width = width;
        at = end;
    }
    return facts;
}

std::optional<std::uint32_t> jumpTarget(std::string_view sass) {
    const auto at = sass.rfind("0x");
    if (at == sass.npos) return std::nullopt;
    std::uint32_t offset = 0;
    const auto [end, error] =
        std::from_chars(sass.data() + at + 2, sass.data() + sass.size(), offset, 16);
    if (error != std::errc{}) return std::nullopt;
    return offset;
}

bool neverGoesOn(const SassParts& parts) {
    return !parts.predicated &&
           isAny(parts.name, {"BRA", "JMP", "BRX", "JMX", "EXIT", "RET", "KILL"}) &&
           parts.opcode.find(".DIV") == std::string_view::npos;  // only where lanes differ
}

}  // namespace roofscope
