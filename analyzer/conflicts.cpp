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
    const double low = std::max(sums.instructions, sums.bytes / kBytesPerWavefront);
    return screenConflictsWithin(
        {.wavefronts = sums.wavefronts,
         .instructions = sums.instructions,
         .low = low,
         .high = std::max(low, idealUpperBound(sums)),
         .howLow = "max(instructions, bytes / 128)",
         .howHigh =
             "largest n32 + 2·n64 + 4·n128 with at most as many accesses as shared instructions"},
        launches);
}

ConflictScreen screenConflictsWithin(const ConflictBounds& bounds, double launches) {
    using D = Derived<double>;
    using R = Derived<Ratio>;
    constexpr const char* kCertain = "(wavefronts − highest ideal) / wavefronts, at least 0";
    constexpr const char* kPossible = "(wavefronts − lowest ideal) / wavefronts, at least 0";
    constexpr const char* kDegree = "wavefronts / highest ideal";
    const double wavefronts = bounds.wavefronts;
    ConflictScreen screen;
    screen.wavefronts = D::of(wavefronts / launches, "wavefronts of ordinary operations");
    screen.instructions = D::of(bounds.instructions / launches, "shared-memory warp instructions");
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
