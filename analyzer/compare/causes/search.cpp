// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyzer/compare/causes/causes.h"

/// Why a duration changed, from the counters.
///
/// The slower of the two kernels is the one to explain, whichever came first. Each candidate states
/// how much of some work the faster kernel still does (`kept`: fast / slow), and for what share of
/// the slower kernel's time that work kept its resource busy (`weight`). If nothing else changed,
/// the time would shrink to (1 − weight) + weight × kept of what it was (Amdahl's law). A candidate
/// that predicts more than what was gained explains all of it: another limit was reached first.
namespace roofscope::compare {

namespace {

using causes::Candidate;

/// Causes whose explained shares differ by at most this much count as equal. Then the one nearer to
/// the code is named (excess sectors rather than the bytes that they cause).
constexpr double kEquallyGood = 0.15;

/// Those nearest to the code first, the last resort last.
constexpr causes::FoundCause (*kNearestFirst[])(const causes::Measured&) = {
    causes::bankConflicts,  causes::excessSectors,    causes::spills,         causes::narrowAccess,
    causes::bulkCopies,     causes::loadedAgain,      causes::tensorCores,    causes::wgmma,
    causes::fp64Operations, causes::fp32Operations,   causes::fp16Operations, causes::gridSize,
    causes::imbalance,      causes::waveTail,         causes::dramBytes,      causes::l2Bytes,
    causes::l1Bytes,        causes::sharedWavefronts, causes::instructions,   causes::activeLanes,
    causes::occupancy,      causes::loadsInFlight};

std::vector<Candidate> candidatesOf(const causes::Measured& measured) {
    std::vector<Candidate> found;
    for (const auto cause : kNearestFirst)
        if (auto candidate = cause(measured)) found.push_back(*std::move(candidate));
    return found;
}

}  // namespace

Cause findCause(const Side& from, const Side& to, const DurationChange& duration) {
    Cause cause;
    if (!duration.changed()) return cause;
    cause.state = Cause::State::NotVisible;
    const bool faster = duration.state == DurationChange::State::Faster;
    const double gained =
        std::log(faster ? duration.from / duration.to : duration.to / duration.from);
    std::vector<Candidate> candidates = candidatesOf(causes::Measured(from, to, faster));
    const auto explained = [gained](const Candidate& candidate) {
        const double left = 1 - candidate.weight + candidate.weight * candidate.kept;
        return left > 0 ? std::min(1.0, -std::log(left) / gained) : 1.0;
    };
    double best = 0;
    for (const Candidate& candidate : candidates)
        if (!candidate.lastResort) best = std::max(best, explained(candidate));
    if (best >= kLeastExplained)
        std::erase_if(candidates, [](const Candidate& candidate) { return candidate.lastResort; });
    else if (!candidates.empty() && candidates.back().lastResort)
        best = explained(candidates.back());
    if (best < kLeastExplained) return cause;
    for (Candidate& candidate : candidates) {
        const double share = explained(candidate);
        if (share < std::max(kLeastExplained, best - kEquallyGood)) continue;
        cause.state = Cause::State::Found;
        cause.id = std::move(candidate.id);
        cause.sentence = std::move(candidate.sentence);
        cause.explained = share;
        break;
    }
    return cause;
}

}  // namespace roofscope::compare
