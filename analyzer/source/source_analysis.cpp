// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/source_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analyzer/counters/counter_names.h"
#include "analyzer/language/sentence.h"
#include "analyzer/launches/grouping.h"
#include "analyzer/source/issued.h"
#include "analyzer/source/waits.h"

namespace roofscope {

namespace {

/// Runs of one program may differ a little (spinning, atomics). Beyond this share they did other
/// work.
constexpr double kAgreement = 0.10;

using Sum = std::optional<double>;

Sum plus(const Sum& a, const Sum& b) {
    if (!a) return b;
    return b ? Sum(*a + *b) : a;
}

/// Adds the excess of two parts. The counts tell whether a missing excess matters.
Sum plusExcess(const Sum& aCount, const Sum& a, const Sum& bCount, const Sum& b) {
    const auto lost = [](const Sum& count, const Sum& excess) {
        return count && *count > 0 && !excess;
    };
    if (lost(aCount, a) || lost(bCount, b)) return std::nullopt;
    return plus(a, b);
}

Sum excess(const Sum& count, const Sum& ideal) {
    if (!count) return std::nullopt;
    if (!(*count > 0)) return 0.0;
    return ideal ? Sum(std::max(0.0, *count - *ideal)) : std::nullopt;
}

SourceSums rowSums(const CounterTable& counters, std::size_t row) {
    // A negative count means a damaged file; treat it as missing.
    const auto value = [&](std::string_view name) {
        const auto found = counters.value(name, row);
        return found && *found >= 0 ? found : std::nullopt;
    };
    SourceSums sums;
    sums.executed = value(counter::kSassExecuted);
    sums.threads = value(counter::kSassThreads);
    sums.sectors = value(counter::kSassGlobalSectors);
    sums.excessSectors = excess(sums.sectors, value(counter::kSassGlobalSectorsIdeal));
    sums.localSectors = value(counter::kSassLocalSectors);
    sums.wavefronts = value(counter::kSassSharedWavefronts);
    sums.excessWavefronts = excess(sums.wavefronts, value(counter::kSassSharedWavefrontsIdeal));
    return sums;
}

bool agree(const Sum& sum, const Sum& counted) {
    if (!sum || !counted) return true;
    return std::abs(*sum - *counted) <= kAgreement * std::max(*sum, *counted);
}

/// What copies of one access have in common: the opcode, and each counter per execution.
using Likeness = std::pair<std::string, std::array<Sum, 5>>;

Likeness likenessOf(const SassFacts& facts, const SourceSums& sums) {
    const auto each = [&](const Sum& sum) {
        return sum && sums.executed && *sums.executed > 0 ? Sum(*sum / *sums.executed)
                                                          : std::nullopt;
    };
    return {facts.opcode,
            {each(sums.sectors), each(sums.excessSectors), each(sums.localSectors),
             each(sums.wavefronts), each(sums.excessWavefronts)}};
}

std::vector<SourceLine> linesOf(const SourcePass& pass, const SourceAnalysis& source) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, SourceLine> known;
    std::map<Likeness, SourceLine> unknown;
    for (std::size_t row = 0; row < pass.instructions.size(); ++row) {
        const Instruction& instruction = pass.instructions[row];
        const SourceSums& sums = source.perRow[row];
        const bool mapped = instruction.file && instruction.line > 0;
        SourceLine& line = mapped ? known[{*instruction.file, instruction.line}]
                                  : unknown[likenessOf(source.facts[row], sums)];
        if (mapped) {
            line.file = instruction.file;
            line.line = instruction.line;
        }
        line.rows.push_back(row);
        add(line.sums, sums);
    }
    std::vector<SourceLine> lines;
    for (auto& [key, line] : known) lines.push_back(std::move(line));
    for (auto& [key, line] : unknown) lines.push_back(std::move(line));
    return lines;
}

void setIssued(SourceAnalysis& source, const SourcePass& pass) {
    if (source.total.executed.value_or(0) > 0)
        for (const SourceSums& row : source.perRow)
            source.issued.push_back(row.executed.value_or(0));
    else if (source.hasSass)
        source.issued =
            issuedBySamples(pass.instructions, source.stalls).value_or(std::vector<double>());
    source.issuedTotal = std::accumulate(source.issued.begin(), source.issued.end(), 0.0);
}

}  // namespace

void add(SourceSums& sums, const SourceSums& more) {
    sums.excessSectors =
        plusExcess(sums.sectors, sums.excessSectors, more.sectors, more.excessSectors);
    sums.excessWavefronts =
        plusExcess(sums.wavefronts, sums.excessWavefronts, more.wavefronts, more.excessWavefronts);
    sums.executed = plus(sums.executed, more.executed);
    sums.threads = plus(sums.threads, more.threads);
    sums.sectors = plus(sums.sectors, more.sectors);
    sums.localSectors = plus(sums.localSectors, more.localSectors);
    sums.wavefronts = plus(sums.wavefronts, more.wavefronts);
}

SourceSums SourceAnalysis::sumOf(std::span<const SassKind> kinds) const {
    SourceSums sums;
    for (std::size_t row = 0; row < perRow.size(); ++row)
        if (std::ranges::find(kinds, facts[row].kind) != kinds.end()) add(sums, perRow[row]);
    return sums;
}

std::shared_ptr<const SourceAnalysis> analyzeSource(const Profile& profile,
                                                    const LaunchGroup& group,
                                                    bool onlyGroupOfKernel) {
    const auto belongs = [&](const SourcePass& pass) {
        return !pass.instructions.empty() && isAbout(pass, group, onlyGroupOfKernel);
    };
    const auto pass = std::ranges::find_if(profile.sources, belongs);
    if (pass == profile.sources.end()) return nullptr;
    auto source = std::make_shared<SourceAnalysis>();
    source->pass = static_cast<std::size_t>(pass - profile.sources.begin());
    // A counted instruction without text cannot be identified; a single one makes hasSass false.
    source->hasSass = true;
    for (std::size_t row = 0; row < pass->instructions.size(); ++row) {
        const Instruction& instruction = pass->instructions[row];
        source->facts.push_back(readSass(instruction.sass));
        source->perRow.push_back(rowSums(pass->counters, row));
        add(source->total, source->perRow.back());
        source->hasSass = source->hasSass && source->facts.back().kind != SassKind::Unknown;
        source->hasLines = source->hasLines || (instruction.file && instruction.line > 0);
    }
    source->lines = linesOf(*pass, *source);
    source->stalls = readStalls(*pass);
    setIssued(*source, *pass);
    if (pass->launch) {
        const auto counted = [&](std::string_view name) {
            return profile.counters.value(name, *pass->launch);
        };
        const std::string wavefronts = std::string(counter::kSassSharedWavefronts) + ".sum";
        source->agrees = agree(source->total.sectors, counted(counter::kGlobalSectors)) &&
                         agree(source->total.wavefronts, counted(wavefronts));
    }
    if (!source->agrees || !source->stalls.enough()) return source;
    std::vector<std::size_t> everyRow(pass->instructions.size());
    std::iota(everyRow.begin(), everyRow.end(), std::size_t{0});
    if (const auto most = dominantStall(source->stalls, everyRow)) {
        source->waitState = most->reason;
        source->waits = findWaits(profile, group, *source, source->waitState);
    }
    return source;
}

std::vector<Place> worstPlaces(const Profile& profile, const SourceAnalysis& source,
                               const Words& what, double total,
                               const std::function<double(std::size_t row)>& amount) {
    constexpr double kLeastShare = 0.05;  // a smaller part is not where the fault is
    std::vector<Place> places;
    if (!(total > 0)) return places;
    const SourcePass& pass = profile.sources[source.pass];
    for (const SourceLine& line : source.lines) {
        double sum = 0, worst = -1;
        std::size_t worstRow = line.rows.front(), first = 0, last = 0, count = 0;
        for (const std::size_t row : line.rows) {
            const double value = amount(row);
            sum += value;
            if (value > 0) {
                if (count++ == 0) first = row;
                last = row;
            }
            if (value > worst) {
                worst = value;
                worstRow = row;
            }
        }
        if (!(sum > 0)) continue;
        Place place;
        place.file = line.file;
        if (line.file) place.path = pass.files[*line.file];
        place.line = line.line;
        place.offset = pass.instructions[worstRow].offset;
        place.opcode = source.facts[worstRow].opcode;
        place.what = what;
        place.amount = sum;
        place.share = sum / total;
        if (count > 1)
            place.pattern =
                wordsOf("{} instructions from +0x{:x} to +0x{:x}", count,
                        pass.instructions[first].offset, pass.instructions[last].offset);
        places.push_back(std::move(place));
    }
    std::ranges::stable_sort(places, std::greater{}, &Place::amount);
    while (places.size() > kMostPlaces || (places.size() > 1 && places.back().share < kLeastShare))
        places.pop_back();
    return places;
}

}  // namespace roofscope
