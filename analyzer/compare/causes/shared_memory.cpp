// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzer/compare/causes/causes.h"

namespace roofscope::compare::causes {

FoundCause bankConflicts(const Measured& m) {
    // Loads or stores, whichever conflict more: together they would show the mean of both.
    const bool loads = known(m.slow.sharedLoads.degree).value_or(0) >=
                       known(m.slow.sharedStores.degree).value_or(0);
    const auto side = [&](const Quantities& q) {
        const auto own = known(loads ? q.sharedLoads.degree : q.sharedStores.degree);
        return own ? own : known(q.shared.degree);
    };
    const auto slow = side(m.slow);
    if (!slow || !m.wavefronts || !m.slow.sharedPipeUtilisation.has()) return std::nullopt;
    // The faster kernel may do without shared memory: then it has no conflicts.
    const Both degree{*slow, std::max(1.0, side(m.fast).value_or(1.0))};
    if (degree.slow < degree.fast * (1 + kLeastAmountChange)) return std::nullopt;
    std::vector<Arg> more{word("kind", loads ? Words("loads") : Words("stores"))};
    Words phrase = m.faster
                       ? Words("the {from} bank conflicts are gone with the shared-memory accesses")
                       : Words("shared memory came into use, with {to} bank conflicts");
    if (m.wavefronts->fast > 0) {
        more.push_back(number("waves", m.wavefronts->slow / m.wavefronts->fast, Unit::Factor));
        phrase = Words(
            "bank conflicts of shared {kind} {fell} from {from} to {to}, so shared memory "
            "took {waves} {fewer} wavefronts");
        // Fewer instructions also mean fewer wavefronts.
        const auto count = m.both([](auto& q) { return known(q.shared.instructions); });
        if (count && count->slow > count->fast * (1 + kSameWork)) {
            std::ranges::move(beforeAfter(m, *count, Unit::Count), std::back_inserter(more));
            phrase = Words(
                "bank conflicts of shared {kind} {fell} from {from} to {to} and shared-memory "
                "instructions from {before} to {after}, so shared memory took {waves} {fewer} "
                "wavefronts");
        }
    }
    const auto pipe = m.both([](auto& q) { return known(q.lsuWavefronts); });
    return candidate(m, "bank-conflicts", pipe ? *pipe : *m.wavefronts,
                     m.slow.sharedPipeUtilisation->value, degree, Unit::Ways, std::move(phrase),
                     std::move(more));
}

FoundCause sharedWavefronts(const Measured& m) {
    return whereLess(m, "shared-wavefronts", m.wavefronts, m.busy(ResourceId::SharedPipe),
                     Unit::Count, Words("shared-memory wavefronts {fell} from {from} to {to}"));
}

}  // namespace roofscope::compare::causes
