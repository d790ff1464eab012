// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/quantities/access_widths.h"
#include "analyzer/quantities/coalescing.h"
#include "analyzer/quantities/derivation.h"

namespace roofscope {

CoalescingEstimate Derivation::absentCoalescing(SharedText missing) {
    CoalescingEstimate estimate;
    estimate.requested = Derived<Bytes>::absent(missing);
    estimate.sectors = D::absent(missing);
    estimate.requests = D::absent(missing);
    estimate.efficiency = R::absent(missing);
    estimate.sectorsPerRequest = D::absent(missing);
    estimate.certainExcess = D::absent(missing);
    return estimate;
}

CoalescingEstimate Derivation::globalStores() const {
    const auto joint = m_sums.joint(
        {counter::kGlobalStoreBytes, counter::kGlobalStoreSectors, counter::kGlobalStores});
    if (!joint.ok()) return absentCoalescing(joint.missing);
    return estimateCoalescing(joint[0], joint[1], joint[2], static_cast<double>(joint.launches));
}

CoalescingEstimate Derivation::globalLoads() const {
    const auto loads = m_sums.joint(
        {counter::kGlobalLoadBytes, counter::kGlobalLoadSectors, counter::kGlobalLoads});
    if (!loads.ok()) return absentCoalescing(loads.missing);
    double bytes = loads[0], sectors = loads[1], requests = loads[2];
    auto launches = static_cast<double>(loads.launches);
    if (m_formulas.asyncCopies) {
        const auto copies = m_sums.joint({counter::kAsyncCopies});
        if (!copies.ok()) return absentCoalescing(copies.missing);
        if (copies[0] > 0) {
            const auto all = m_sums.joint({counter::kGlobalBytes, counter::kGlobalSectors,
                                           counter::kGlobalStoreBytes, counter::kGlobalStoreSectors,
                                           counter::kGlobalLoads, counter::kAsyncCopies});
            if (!all.ok()) return absentCoalescing(all.missing);
            bytes = std::max(0.0, all[0] - all[2]);
            sectors = std::max(0.0, all[1] - all[3]);
            requests = all[4] + all[5];
            launches = static_cast<double>(all.launches);
        }
    }
    // Generic loads that turn out to access shared memory count as bytes, but have no sectors.
    return estimateCoalescing(std::min(bytes, kSectorBytes * sectors), sectors, requests, launches);
}

void Derivation::globalAccesses() {
    m_out.loads = globalLoads();
    m_out.stores = globalStores();
}

void Derivation::widths() {
    using namespace counter;
    constexpr std::array kWidths{kWidth8, kWidth16, kWidth32, kWidth64, kWidth128};
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
        const auto joint = m_sums.joint({kWidths[i]});
        m_out.widths.instructions[i] =
            joint.ok() ? D::of(joint.mean(0), kWidths[i]) : D::absent(joint.missing);
    }
    constexpr std::array kNames{kWidth8,   kWidth16,     kWidth32,      kWidth64,
                                kWidth128, kGlobalLoads, kGlobalStores, kAsyncCopies};
    const bool copies = m_formulas.asyncCopies;
    const auto joint = m_sums.joint(std::span(kNames).first(kNames.size() - (copies ? 0 : 1)));
    m_out.widths.globalNarrowCertain =
        joint.ok() ? globalNarrowShare({joint[0], joint[1], joint[2], joint[3], joint[4]}, joint[5],
                                       joint[6], copies ? joint[7] : 0.0)
                   : R::absent(joint.missing);
    static const SharedText kWide = "256 × n64 + 512 × n128";
    if (joint.ok()) {
        const double bytes = 256.0 * joint[3] + 512.0 * joint[4];
        m_out.widths.wideBytesPossible =
            Derived<Bytes>::of({bytes / static_cast<double>(joint.launches)}, kWide);
        return;
    }
    m_out.widths.wideBytesPossible = Derived<Bytes>::absent(joint.missing, kWide);
    widthsFromLines();
}

void Derivation::widthsFromLines() {
    using namespace counter;
    std::vector<std::string_view> names{kGlobalTags,      kGlobalLoads,      kGlobalStores,
                                        kGlobalLoadBytes, kGlobalStoreBytes, kThreadInstructions,
                                        kWarpInstructions};
    if (m_formulas.asyncCopies) names.push_back(kAsyncCopies);
    const auto joint = m_sums.joint(names);
    if (!joint.ok()) return;
    const LineSums sums{
        .lines = joint[0],
        .instructions = joint[1] + joint[2] + (m_formulas.asyncCopies ? joint[7] : 0.0),
        .loadBytes = joint[3],
        .storeBytes = joint[4],
        .threadInstructions = joint[5],
        .warpInstructions = joint[6]};
    m_out.widths.globalNarrowCertain = globalNarrowFromLines(sums);
    if (!m_out.widths.globalNarrowCertain.has()) return;
    m_out.widths.inferred = true;
    m_out.widths.wideBytesPossible =
        Derived<Bytes>::of({wideBytesFromLines(sums) / static_cast<double>(joint.launches)},
                           "256 × (128-byte lines touched − global instructions)");
    m_out.substitutes.push_back({.wanted = "widths of global accesses",
                                 .formula = "inferred from 128-byte lines per instruction"});
}

}  // namespace roofscope
