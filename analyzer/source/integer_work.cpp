// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/integer_work.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "analyzer/source/address_kinds.h"
#include "analyzer/source/producers.h"

namespace roofscope {
namespace {

/// Accesses that are looked at for data in their addresses, the most executed first. The others
/// count as accesses by index.
constexpr std::size_t kMostAccesses = 128;

/// Whether it computes integers. Moves do not, even as products with nothing ("IMAD.U32 R16, RZ,
/// RZ, UR4").
bool isInteger(const SassParts& parts) {
    if (parts.name == "IMAD" && parts.operands.find(", RZ, RZ, ") != std::string_view::npos)
        return false;
    return isAny(parts.name,
                 {"IADD3", "IADD", "IMAD",   "IMUL",     "LOP3",     "LOP",  "SHF",       "SHL",
                  "SHR",   "LEA",  "IABS",   "IMNMX",    "VIADD",    "SEL",  "VIADDMNMX", "PRMT",
                  "I2F",   "F2I",  "I2I",    "POPC",     "FLO",      "BREV", "BMSK",      "SGXT",
                  "IDP",   "I2FP", "VIMNMX", "VABSDIFF", "VABSDIFF4"});
}

/// Instructions of a division by a variable. Counted in code that nvcc 13.0 made for sm_90: each
/// begins with a conversion that rounds up, which nothing else has. Of 64-bit divisions, most take
/// the path for 32-bit values.
double instructionsOfDivision(const SassParts& parts) {
    constexpr double k32Bit = 20, k64Bit = 75;
    if (parts.name != "I2F" || parts.opcode.find(".RP") == std::string_view::npos) return 0;
    return parts.opcode.find("64") == std::string_view::npos ? k32Bit : k64Bit;
}

bool isAccess(SassKind kind) { return kind != SassKind::Other && kind != SassKind::Unknown; }

/// Rows of accesses whose addresses do not follow from what each lane loaded.
std::vector<std::size_t> accessesByIndex(const SourceAnalysis& source, const Dataflow& flow) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < source.facts.size(); ++row)
        if (isAccess(source.facts[row].kind) && source.issued[row] > 0) rows.push_back(row);
    std::ranges::stable_sort(rows, std::greater{},
                             [&](std::size_t row) { return source.issued[row]; });
    const std::size_t looked = std::min(rows.size(), kMostAccesses);
    const auto followsData = [&](std::size_t row) {
        return followsFromLanes(flow.addressOf(row), row, source);
    };
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(looked);
    rows.erase(std::remove_if(rows.begin(), end, followsData), end);
    return rows;
}

}  // namespace

std::optional<IntegerWork> integerWork(const Profile& profile, const SourceAnalysis& source) {
    const double all = source.issuedTotal;
    if (!source.hasSass || !(all > 0)) return std::nullopt;
    const auto& instructions = profile.sources[source.pass].instructions;
    const Dataflow flow(instructions);
    const std::vector<bool> ofAddresses = flow.stepsOfAddresses(accessesByIndex(source, flow));
    IntegerWork work;
    work.perRow.resize(source.perRow.size());
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        const double share = source.issued[row] / all;
        const SassParts parts = splitSass(instructions[row].sass);
        work.divisions += share * instructionsOfDivision(parts);
        if (!isInteger(parts)) continue;
        work.perRow[row] = share;
        work.all += share;
        if (ofAddresses[row]) work.addresses += share;
    }
    work.divisions = std::min(work.divisions, 1.0);
    return work;
}

}  // namespace roofscope
