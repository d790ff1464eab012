// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/coalescing.h"

#include <algorithm>

namespace roofscope {

CoalescingEstimate estimateCoalescing(double requestedBytes, double sectors, double requests,
                                      double launches) {
    using D = Derived<double>;
    using R = Derived<Ratio>;
    static const SharedText kBytes = "bytes asked for, per launch";
    static const SharedText kSectors = "32-byte sectors, per launch";
    static const SharedText kRequests = "warp instructions, per launch";
    static const SharedText kEfficiency = "requested bytes / (32 × sectors)";
    static const SharedText kPerRequest = "sectors / warp instructions";
    static const SharedText kExcess =
        "sectors − (requested bytes / 32 + warp instructions), at least 0";
    CoalescingEstimate estimate;
    estimate.requested = Derived<Bytes>::of({requestedBytes / launches}, kBytes);
    estimate.sectors = D::of(sectors / launches, kSectors);
    estimate.requests = D::of(requests / launches, kRequests);
    estimate.efficiency = sectors > 0
                              ? R::of({requestedBytes / (kSectorBytes * sectors)}, kEfficiency)
                              : R::none(kEfficiency);
    estimate.sectorsPerRequest =
        requests > 0 ? D::of(sectors / requests, kPerRequest) : D::none(kPerRequest);
    const double ideal = requestedBytes / kSectorBytes + requests;
    estimate.certainExcess =
        sectors > 0 ? D::of(std::max(0.0, sectors - ideal) / launches, kExcess) : D::none(kExcess);
    return estimate;
}

std::optional<double> returnedToLoads(const Quantities& quantities) {
    const auto& sectors = quantities.stores.sectors;
    if (!quantities.l2Counted.has() || !sectors.has()) return std::nullopt;
    return quantities.l2Counted->value - kSectorBytes * *sectors;
}

bool isMostlyExcess(const CoalescingEstimate& accesses) {
    constexpr double kMostly = 0.5;
    return accesses.certainExcess.has() && accesses.sectors.has() && *accesses.sectors > 0 &&
           *accesses.certainExcess >= kMostly * *accesses.sectors;
}

}  // namespace roofscope
