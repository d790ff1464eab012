// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/address_kinds.h"

#include <algorithm>
#include <map>

#include "analyzer/source/producers.h"

namespace roofscope {
namespace {

bool isGlobalLoad(SassKind kind) {
    return std::ranges::find(kGlobalLoadKinds, kind) != kGlobalLoadKinds.end();
}

}  // namespace

AddressKinds addressKinds(const Profile& profile, const SourceAnalysis& source,
                          std::span<const SassKind> kinds) {
    AddressKinds found;
    if (!source.hasSass) return found;
    const Dataflow flow(profile.sources[source.pass].instructions);
    std::map<std::size_t, Dataflow::Address> addresses;  // of rows with sectors beyond the ideal
    for (std::size_t row = 0; row < source.perRow.size(); ++row)
        if (source.perRow[row].excessSectors.value_or(0) > 0 &&
            std::ranges::find(kinds, source.facts[row].kind) != kinds.end())
            addresses.emplace(row, flow.addressOf(row));
    for (const auto& [row, address] : addresses) {
        const bool loads = isGlobalLoad(source.facts[row].kind);
        const bool searched =
            loads && std::ranges::any_of(address.deciders, [&](std::size_t load) {
                const auto other = addresses.find(load);
                return load == row || (other != addresses.end() && !other->second.deciders.empty());
            });
        const bool loaded = std::ranges::any_of(address.loads, [&](std::size_t load) {
            return load != row && differsByLane(source.perRow[load]);
        });
        double& kind = searched ? found.searched
                       : loaded ? (address.advances ? found.walked : found.indexed)
                                : (address.fromFloat && loads ? found.placed : found.computed);
        kind += *source.perRow[row].excessSectors;
    }
    return found;
}

}  // namespace roofscope
