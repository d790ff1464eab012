// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/peer_overlap.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profile/names/peer_kernels.h"

namespace roofscope {

std::vector<std::optional<bool>> overlapPeers(const Profile& profile) {
    struct Span {
        double from, to;
    };
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // process and device
    std::map<Place, std::vector<Span>> waiting;
    std::set<Place> unknown;
    std::vector<bool> waits;
    for (const Kernel& kernel : profile.kernels) waits.push_back(waitsForPeers(kernel.symbol));
    const auto spanOf = [](const Launch& launch) {
        return Span{launch.start->value, launch.start->value + launch.duration->value};
    };
    for (const Launch& launch : profile.launches) {
        if (!waits[launch.kernel]) continue;
        const Place place{launch.process, launch.device};
        if (launch.start && launch.duration)
            waiting[place].push_back(spanOf(launch));
        else
            unknown.insert(place);
    }
    for (auto& [place, spans] : waiting) {
        std::ranges::sort(spans, {}, &Span::from);
        // Several may run at once. Overlapping ones are joined, so that spans are also sorted by
        // their end.
        std::vector<Span> joined;
        for (const Span& span : spans)
            if (!joined.empty() && span.from <= joined.back().to)
                joined.back().to = std::max(joined.back().to, span.to);
            else
                joined.push_back(span);
        spans = std::move(joined);
    }
    std::vector<std::optional<bool>> beside;
    beside.reserve(profile.launches.size());
    for (const Launch& launch : profile.launches) {
        const Place place{launch.process, launch.device};
        if (!launch.start || !launch.duration || unknown.contains(place)) {
            beside.emplace_back();
            continue;
        }
        const auto found = waiting.find(place);
        if (found == waiting.end()) {
            beside.emplace_back(false);
            continue;
        }
        const Span own = spanOf(launch);
        // The first span that ends after this launch begins. If it begins too late, so do all
        // others.
        const auto next = std::ranges::upper_bound(found->second, own.from, {}, &Span::to);
        beside.emplace_back(next != found->second.end() && next->from < own.to);
    }
    return beside;
}

}  // namespace roofscope
