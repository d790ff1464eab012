// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/address_kinds.h"

#include <algorithm>

#include "analyzer/source/producers.h"

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

}  // namespace

AddressKinds addressKinds(const Profile& profile, const SourceAnalysis& source,
                          std::span<const SassKind> kinds) {
    AddressKinds found;
    if (!source.hasSass) return found;
    const Dataflow flow(profile.sources[source.pass].instructions);
    for (std::size_t row = 0; row < source.perRow.size(); ++row) {
        const double excess = source.perRow[row].excessSectors.value_or(0);
        if (!(excess > 0) || std::ranges::find(kinds, source.facts[row].kind) == kinds.end())
            continue;
        const Dataflow::Address address = flow.addressOf(row);
        const bool loaded = std::ranges::any_of(address.loads, [&](std::size_t load) {
            return load != row && differsByLane(source.perRow[load]);
        });
        const bool placed = address.fromFloat && isGlobalLoad(source.facts[row].kind);
        double& kind = loaded ? (address.advances ? found.walked : found.indexed)
                              : (placed ? found.placed : found.computed);
        kind += excess;
    }
    return found;
}

}  // namespace roofscope
