// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/issued.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "analyzer/source/sass.h"
#include "analyzer/source/sass_registers.h"

namespace roofscope {

namespace {

/// After these, another instruction than the next may follow; or other warps join there.
bool mayBranch(std::string_view name) {
    return isAny(name, {"BRA", "BRX", "JMP", "JMX", "CALL", "RET", "EXIT", "BSYNC", "BREAK", "KILL",
                        "BRXU", "YIELD"});
}

/// Where stretches without a branch begin: offsets.
std::set<std::uint32_t> beginnings(std::span<const Instruction> instructions) {
    std::set<std::uint32_t> offsets;
    bool after = true;
    for (const Instruction& instruction : instructions) {
        if (after) offsets.insert(instruction.offset);
        const SassParts parts = splitSass(instruction.sass);
        after = mayBranch(parts.name);
        if (after || parts.name == "BSSY")
            if (const auto target = jumpTarget(parts.operands)) offsets.insert(*target);
    }
    return offsets;
}

}  // namespace

std::optional<std::vector<double>> issuedBySamples(std::span<const Instruction> instructions,
                                                   const SampledStalls& stalls) {
    const SampledStalls::State* const issuing = stalls.find("selected");
    if (!issuing || issuing->total < kEnoughIssuing ||
        issuing->perRow.size() != instructions.size())
        return std::nullopt;
    const std::set<std::uint32_t> offsets = beginnings(instructions);
    std::vector<double> issued(instructions.size());
    for (std::size_t first = 0, end = 0; first < issued.size(); first = end) {
        double samples = 0;
        do {
            samples += issuing->perRow[end++];
        } while (end < issued.size() && !offsets.contains(instructions[end].offset));
        std::fill(issued.begin() + static_cast<std::ptrdiff_t>(first),
                  issued.begin() + static_cast<std::ptrdiff_t>(end),
                  samples / static_cast<double>(end - first));
    }
    return issued;
}

}  // namespace roofscope
