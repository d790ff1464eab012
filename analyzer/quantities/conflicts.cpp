// SPDX-License-Identifier: Apache-2.0
#include "analyzer/quantities/conflicts.h"

#include <algorithm>

namespace roofscope {

namespace {
constexpr double kBytesPerWavefront = 128.0;  // 32 banks of 4 bytes

double idealUpperBound(const ConflictSums& sums) {
    const double quad = std::min(sums.instructions, sums.width128);
    const double pair = std::min(sums.instructions - quad, sums.width64);
    const double single = sums.instructions - quad - pair;  // 4 bytes and narrower
    return 4 * quad + 2 * pair + single;
}
}  // namespace

ConflictEstimate estimateConflicts(const ConflictSums& sums, double launches) {
    static const SharedText kLow = "max(instructions, bytes / 128)";
    static const SharedText kHigh =
        "largest n32 + 2·n64 + 4·n128 with at most as many accesses as shared instructions";
    const double low = std::max(sums.instructions, sums.bytes / kBytesPerWavefront);
    return estimateConflictsWithin({.wavefronts = sums.wavefronts,
                                    .instructions = sums.instructions,
                                    .low = low,
                                    .high = std::max(low, idealUpperBound(sums)),
                                    .howLow = kLow,
                                    .howHigh = kHigh},
                                   launches);
}

ConflictEstimate estimateConflictsWithin(const ConflictBounds& bounds, double launches) {
    using D = Derived<double>;
    using R = Derived<Ratio>;
    static const SharedText kCertain = "(wavefronts − highest ideal) / wavefronts, at least 0";
    static const SharedText kPossible = "(wavefronts − lowest ideal) / wavefronts, at least 0";
    static const SharedText kWavefronts = "wavefronts of ordinary operations";
    static const SharedText kInstructions = "shared-memory warp instructions";
    static const SharedText kDegree = "wavefronts / highest ideal";
    const double wavefronts = bounds.wavefronts;
    ConflictEstimate estimate;
    estimate.wavefronts = D::of(wavefronts / launches, kWavefronts);
    estimate.instructions = D::of(bounds.instructions / launches, kInstructions);
    if (!(bounds.instructions > 0) || !(wavefronts > 0)) {
        estimate.idealLow = D::none(bounds.howLow);
        estimate.idealHigh = D::none(bounds.howHigh);
        estimate.excessCertain = R::none(kCertain);
        estimate.excessPossible = R::none(kPossible);
        estimate.degree = D::none(kDegree);
        return estimate;
    }
    const auto excess = [wavefronts](double ideal) {
        return Ratio{std::max(0.0, wavefronts - ideal) / wavefronts};
    };
    estimate.idealLow = D::of(bounds.low / launches, bounds.howLow);
    estimate.idealHigh = D::of(bounds.high / launches, bounds.howHigh);
    estimate.excessCertain = R::of(excess(bounds.high), kCertain);
    estimate.excessPossible = R::of(excess(bounds.low), kPossible);
    estimate.degree = D::of(wavefronts / bounds.high, kDegree);
    return estimate;
}

}  // namespace roofscope
