// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/quantities/conflicts.h"
#include "analyzer/quantities/derivation.h"

namespace roofscope {

ConflictEstimate Derivation::conflicts(std::initializer_list<std::string_view> counters,
                                       std::size_t kinds) const {
    const auto joint = m_sums.joint(counters);
    if (!joint.ok()) {
        ConflictEstimate estimate;
        estimate.wavefronts = D::absent(joint.missing);
        estimate.instructions = D::absent(joint.missing);
        estimate.idealLow = D::absent(joint.missing);
        estimate.idealHigh = D::absent(joint.missing);
        estimate.excessCertain = R::absent(joint.missing);
        estimate.excessPossible = R::absent(joint.missing);
        estimate.degree = D::absent(joint.missing);
        return estimate;
    }
    std::size_t next = 0;
    const auto take = [&](std::size_t count) {
        double sum = 0;
        for (; count > 0; --count) sum += joint[next++];
        return sum;
    };
    ConflictSums sums;
    sums.wavefronts = take(kinds);
    sums.instructions = take(kinds);
    sums.bytes = take(kinds);
    sums.width32 = take(1);
    sums.width64 = take(1);
    sums.width128 = take(1);
    return estimateConflicts(sums, static_cast<double>(joint.launches));
}

void Derivation::sharedAccesses() {
    using namespace counter;
    m_out.sharedLoads = conflicts(
        {kSharedLoadWavefronts, kSharedLoads, kSharedLoadBytes, kWidth32, kWidth64, kWidth128}, 1);
    m_out.sharedStores = conflicts(
        {kSharedStoreWavefronts, kSharedStores, kSharedStoreBytes, kWidth32, kWidth64, kWidth128},
        1);
    m_out.shared =
        conflicts({kSharedLoadWavefronts, kSharedStoreWavefronts, kSharedLoads, kSharedStores,
                   kSharedLoadBytes, kSharedStoreBytes, kWidth32, kWidth64, kWidth128},
                  2);
    if (!m_out.shared.wavefronts.has() && !conflictsFromSource()) conflictsByWidestAccess();
}

bool Derivation::conflictsFromSource() {
    using namespace counter;
    const auto joint =
        m_sums.joint({kSourceWavefronts, kSourceWavefrontsIdeal, kSharedLoads, kSharedStores});
    if (!joint.ok()) return false;
    const double wavefronts = joint[0], ideal = joint[1], loads = joint[2], stores = joint[3];
    const auto launches = static_cast<double>(joint.launches);
    static const SharedText kExact = "memory_l1_wavefronts_shared_ideal";
    static const SharedText kRest =
        "(memory_l1_wavefronts_shared_ideal − instructions of the other kind)";
    m_out.shared = estimateConflictsWithin(ConflictBounds{.wavefronts = wavefronts,
                                                          .instructions = loads + stores,
                                                          .low = ideal,
                                                          .high = ideal,
                                                          .howLow = kExact,
                                                          .howHigh = kExact},
                                           launches);
    const auto side = [&](std::string_view counted, double own, double others) {
        const auto of = m_sums.joint({counted, kSourceWavefronts, kSharedLoads, kSharedStores});
        double most = std::max(0.0, wavefronts - others);
        if (of.ok() && of.launches == joint.launches) most = std::min(most, of[0]);
        return estimateConflictsWithin(ConflictBounds{.wavefronts = own > 0 ? most : 0.0,
                                                      .instructions = own,
                                                      .low = own,
                                                      .high = std::max(own, ideal - others),
                                                      .howLow = "instructions",
                                                      .howHigh = kRest},
                                       launches);
    };
    m_out.sharedLoads = side(kSharedLoadWavefronts, loads, stores);
    m_out.sharedStores = side(kSharedStoreWavefronts, stores, loads);
    m_out.substitutes.push_back({.wanted = "ideal shared wavefronts", .formula = kExact});
    return true;
}

void Derivation::conflictsByWidestAccess() {
    using namespace counter;
    const auto estimate = [this](std::initializer_list<std::string_view> wavefronts,
                                 std::initializer_list<std::string_view> instructions) {
        constexpr double kMost = 4;
        std::vector<std::string_view> names(wavefronts);
        names.insert(names.end(), instructions);
        const auto joint = m_sums.joint(names);
        if (!joint.ok()) return std::optional<ConflictEstimate>();
        double moved = 0, issued = 0;
        for (std::size_t i = 0; i < names.size(); ++i)
            (i < wavefronts.size() ? moved : issued) += joint[i];
        return std::optional(estimateConflictsWithin(
            ConflictBounds{.wavefronts = moved,
                           .instructions = issued,
                           .low = issued,
                           .high = kMost * issued,
                           .howLow = "instructions",
                           .howHigh = "4 × instructions, as if all moved 16 bytes per lane"},
            static_cast<double>(joint.launches)));
    };
    auto both =
        estimate({kSharedLoadWavefronts, kSharedStoreWavefronts}, {kSharedLoads, kSharedStores});
    if (!both) return;
    m_out.shared = std::move(*both);
    if (auto loads = estimate({kSharedLoadWavefronts}, {kSharedLoads}))
        m_out.sharedLoads = std::move(*loads);
    if (auto stores = estimate({kSharedStoreWavefronts}, {kSharedStores}))
        m_out.sharedStores = std::move(*stores);
    m_out.substitutes.push_back(
        {.wanted = "ideal shared wavefronts", .formula = "at most 4 × shared instructions"});
}

}  // namespace roofscope
