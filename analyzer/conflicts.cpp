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
    using D = Derived<double>;
    using R = Derived<Ratio>;
    constexpr const char* kLow = "max(instructions, bytes / 128)";
    constexpr const char* kHigh =
        "largest n32 + 2·n64 + 4·n128 with at most as many accesses as shared instructions";
    constexpr const char* kCertain = "(wavefronts − highest ideal) / wavefronts, at least 0";
    constexpr const char* kPossible = "(wavefronts − lowest ideal) / wavefronts, at least 0";
    constexpr const char* kDegree = "wavefronts / highest ideal";
    ConflictScreen screen;
    screen.wavefronts = D::of(sums.wavefronts / launches, "wavefronts of ordinary operations");
    screen.instructions = D::of(sums.instructions / launches, "shared-memory warp instructions");
    if (!(sums.instructions > 0) || !(sums.wavefronts > 0)) {
        screen.idealLow = D::none(kLow);
        screen.idealHigh = D::none(kHigh);
        screen.excessCertain = R::none(kCertain);
        screen.excessPossible = R::none(kPossible);
        screen.degree = D::none(kDegree);
        return screen;
    }
    const double low = std::max(sums.instructions, sums.bytes / kBytesPerWavefront);
    const double high = std::max(low, idealUpperBound(sums));
    const auto excess = [&](double ideal) {
        return Ratio{std::max(0.0, sums.wavefronts - ideal) / sums.wavefronts};
    };
    screen.idealLow = D::of(low / launches, kLow);
    screen.idealHigh = D::of(high / launches, kHigh);
    screen.excessCertain = R::of(excess(high), kCertain);
    screen.excessPossible = R::of(excess(low), kPossible);
    screen.degree = D::of(sums.wavefronts / high, kDegree);
    return screen;
}

}  // namespace roofscope
