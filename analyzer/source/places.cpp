// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "analyzer/language/sentence.h"
#include "analyzer/source/source_analysis.h"

/// What the counters of a single instruction say about the addresses of its lanes. A pattern gives
/// exactly these numbers, but others may as well, so the texts say "as with".
namespace roofscope {

namespace {

constexpr double kLanes = 32, kSector = 32, kBanks = 32;

std::size_t rowAt(const SourcePass& pass, std::uint32_t offset) {
    const auto at = std::ranges::lower_bound(pass.instructions, offset, {}, &Instruction::offset);
    return static_cast<std::size_t>(at - pass.instructions.begin());
}

bool isWhole(double value) { return std::abs(value - std::round(value)) < 1e-9; }

/// Whether all lanes took part in every execution.
bool fullWarps(const SourceSums& sums) {
    return sums.executed && sums.threads && *sums.executed > 0 &&
           *sums.threads == kLanes * *sums.executed;
}

Words sectorPattern(const SourceSums& sums, double width, double per, double ideal) {
    if (!fullWarps(sums) || !isWhole(per) || ideal != width) return {};
    if (per == kLanes) {
        const double elements = kSector / width;
        return wordsOf(
            "every lane in a sector of its own, as with a stride of {:.0f} or more elements of "
            "{:.0f} B",
            elements, width);
    }
    if (per == width + 1)
        return Words("as when the first address of a warp is not a multiple of 32 B");
    if (per > width && std::fmod(per, width) == 0)
        return wordsOf(
            "{:.3g} lanes in each sector, as with a stride of {:.0f} elements of {:.0f} B",
            kLanes / per, per / width, width);
    return {};
}

Words bankPattern(const SourceSums& sums, double width, double per, double ideal) {
    constexpr double kBankBytes = 4;
    if (!fullWarps(sums) || width != kBankBytes || ideal != 1) return {};
    if (per == kBanks)
        return Words("all lanes in one bank, as with a stride of a multiple of 32 words");
    for (const double ways : {2.0, 4.0, 8.0, 16.0})
        if (per == ways) return wordsOf("as with a stride of {:.0f} words", ways);
    return {};
}

using Member = std::optional<double> SourceSums::*;

/// Places of an excess, with numbers per executed instruction.
std::vector<Place> excessPlaces(const Profile& profile, const SourceAnalysis& source,
                                const Words& what, Member count, Member excess,
                                std::initializer_list<std::span<const SassKind>> kinds,
                                Words (*pattern)(const SourceSums&, double, double, double)) {
    const auto amount = [&](std::size_t row) {
        const SassKind kind = source.facts[row].kind;
        const bool among = kind == SassKind::Unknown || std::ranges::any_of(kinds, [&](auto list) {
                               return std::ranges::find(list, kind) != list.end();
                           });
        return among ? (source.perRow[row].*excess).value_or(0) : 0.0;
    };
    double total = 0;
    for (std::size_t row = 0; row < source.perRow.size(); ++row) total += amount(row);
    std::vector<Place> places = worstPlaces(profile, source, what, total, amount);
    for (Place& place : places) {
        const std::size_t row = rowAt(profile.sources[source.pass], place.offset);
        const SourceSums& sums = source.perRow[row];
        if (!sums.executed || !(*sums.executed > 0) || !(sums.*count) || !(sums.*excess)) continue;
        place.perRequest = *(sums.*count) / *sums.executed;
        place.idealRequest = (*(sums.*count) - *(sums.*excess)) / *sums.executed;
        const auto& width = source.facts[row].width;
        if (!width) continue;
        const Words found = pattern(sums, *width, *place.perRequest, *place.idealRequest);
        if (found.empty() || place.pattern.empty())
            place.pattern = found.empty() ? place.pattern : found;
        else
            place.pattern = wordsOf("{}, {}", place.pattern, found);
    }
    return places;
}

}  // namespace

std::vector<Place> uncoalescedPlaces(const Profile& profile, const SourceAnalysis& source) {
    return excessPlaces(profile, source, Words("excess sectors"), &SourceSums::sectors,
                        &SourceSums::excessSectors, {kGlobalLoadKinds, kGlobalStoreKinds},
                        sectorPattern);
}

std::vector<Place> conflictPlaces(const Profile& profile, const SourceAnalysis& source) {
    return excessPlaces(profile, source, Words("excess wavefronts"), &SourceSums::wavefronts,
                        &SourceSums::excessWavefronts, {kSharedLoadKinds, kSharedStoreKinds},
                        bankPattern);
}

std::vector<Place> localMemoryPlaces(const Profile& profile, const SourceAnalysis& source) {
    const auto amount = [&](std::size_t row) {
        return source.perRow[row].localSectors.value_or(0);
    };
    return worstPlaces(profile, source, Words("local-memory sectors"),
                       source.total.localSectors.value_or(0), amount);
}

std::vector<Place> waitingPlaces(const Profile& profile, const SourceAnalysis& source,
                                 const std::string& reason) {
    for (const SampledStalls::State& state : source.stalls.states)
        if (state.reason == reason)
            return worstPlaces(profile, source, wordsOf("samples of warps in {}", reason),
                               state.total, [&](std::size_t row) { return state.perRow[row]; });
    return {};
}

}  // namespace roofscope
