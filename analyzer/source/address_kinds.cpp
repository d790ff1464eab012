// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/address_kinds.h"

#include <algorithm>
#include <map>
#include <vector>

namespace roofscope {
namespace {

/// Lanes that load the same value take one sector. Neighbouring indices of 2 bytes already take
/// two.
constexpr double kDiffers = 1.2;

bool differsByLane(const SourceSums& load) {
    return load.sectors && load.executed && *load.executed > 0 &&
           *load.sectors >= kDiffers * *load.executed;
}

bool isGlobalLoad(SassKind kind) {
    return std::ranges::find(kGlobalLoadKinds, kind) != kGlobalLoadKinds.end();
}

/// Whether comparisons of what the same load, or another one that was decided like it, loaded
/// before decide where the load of `row` goes.
bool isSearch(std::size_t row, const std::map<std::size_t, std::vector<std::size_t>>& deciders) {
    const auto own = deciders.find(row);
    return own != deciders.end() && std::ranges::any_of(own->second, [&](std::size_t load) {
               const auto other = deciders.find(load);
               return load == row || (other != deciders.end() && !other->second.empty());
           });
}

}  // namespace

bool followsFromLanes(const Dataflow::Address& address, std::size_t row,
                      const SourceAnalysis& source) {
    return std::ranges::any_of(address.loads, [&](std::size_t load) {
        return load != row && differsByLane(source.perRow[load]);
    });
}

AddressKinds addressKinds(const Profile& profile, const SourceAnalysis& source,
                          std::span<const SassKind> kinds) {
    AddressKinds found;
    if (!source.hasSass) return found;
    const Dataflow flow(profile.sources[source.pass].instructions);
    std::map<std::size_t, Dataflow::Address> addresses;  // of rows with sectors beyond the ideal
    std::map<std::size_t, std::vector<std::size_t>> deciders;  // of the loads among them
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        if (!(source.perRow[row].excessSectors.value_or(0) > 0) ||
            std::ranges::find(kinds, source.facts[row].kind) == kinds.end())
            continue;
        const Dataflow::Address& address =
            addresses.emplace(row, flow.addressOf(row)).first->second;
        if (isGlobalLoad(source.facts[row].kind)) deciders.emplace(row, flow.decidersOf(address));
    }
    for (const auto& [row, address] : addresses) {
        const bool placed = address.fromFloat && isGlobalLoad(source.facts[row].kind);
        double& kind = isSearch(row, deciders) ? found.searched
                       : followsFromLanes(address, row, source)
                           ? (address.advances ? found.walked : found.indexed)
                           : (placed ? found.placed : found.computed);
        kind += *source.perRow[row].excessSectors;
    }
    return found;
}

}  // namespace roofscope
