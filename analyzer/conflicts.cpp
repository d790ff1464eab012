// SPDX-License-Identifier: Apache-2.0
#include "analyzer/conflicts.h"

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

ConflictScreen screenConflicts(const ConflictSums& sums, double launches) {
    static const SharedText kLow = "max(instructions, bytes / 128)";
    static const SharedText kHigh =
        "largest n32 + 2·n64 + 4·n128 with at most as many accesses as shared instructions";
    const double low = std::max(sums.instructions, sums.bytes / kBytesPerWavefront);
    return screenConflictsWithin({.wavefronts = sums.wavefronts,
                                  .instructions = sums.instructions,
                                  .low = low,
                                  .high = std::max(low, idealUpperBound(sums)),
                                  .howLow = kLow,
                                  .howHigh = kHigh},
                                 launches);
}

ConflictScreen screenConflictsWithin(const ConflictBounds& bounds, double launches) {
    using D = Derived<double>;
    using R = Derived<Ratio>;
    static const SharedText kCertain = "(wavefronts − highest ideal) / wavefronts, at least 0";
    static const SharedText kPossible = "(wavefronts − lowest ideal) / wavefronts, at least 0";
    static const SharedText kWavefronts = "wavefronts of ordinary operations";
    static const SharedText kInstructions = "shared-memory warp instructions";
    static const SharedText kDegree = "wavefronts / highest ideal";
    const double wavefronts = bounds.wavefronts;
    ConflictScreen screen;
    screen.wavefronts = D::of(wavefronts / launches, kWavefronts);
    screen.instructions = D::of(bounds.instructions / launches, kInstructions);
    if (!(bounds.instructions > 0) || !(wavefronts > 0)) {
        screen.idealLow = D::none(bounds.howLow);
        screen.idealHigh = D::none(bounds.howHigh);
        screen.excessCertain = R::none(kCertain);
        screen.excessPossible = R::none(kPossible);
        screen.degree = D::none(kDegree);
        return screen;
    }
    const auto excess = [wavefronts](double ideal) {
        return Ratio{std::max(0.0, wavefronts - ideal) / wavefronts};
    };
    screen.idealLow = D::of(bounds.low / launches, bounds.howLow);
    screen.idealHigh = D::of(bounds.high / launches, bounds.howHigh);
    screen.excessCertain = R::of(excess(bounds.high), kCertain);
    screen.excessPossible = R::of(excess(bounds.low), kPossible);
    screen.degree = D::of(wavefronts / bounds.high, kDegree);
    return screen;
}

}  // namespace roofscope
