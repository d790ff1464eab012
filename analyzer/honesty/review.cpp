// SPDX-License-Identifier: Apache-2.0
#include "analyzer/honesty/review.h"

#include <algorithm>

#include "analyzer/honesty/checks.h"

namespace roofscope::honesty {
namespace {

std::optional<CallFacts> factsOf(const Analysis* analysis) {
    return analysis ? std::optional(callFacts(*analysis)) : std::nullopt;
}

/// Kernel time of one call / kernel time of the other.
std::optional<double> ratio(const std::optional<CallFacts>& one,
                            const std::optional<CallFacts>& other) {
    if (!one || !other || !one->kernelTime || !other->kernelTime || !(other->kernelTime->value > 0))
        return std::nullopt;
    return one->kernelTime->value / other->kernelTime->value;
}

}  // namespace

std::size_t Review::suspicious() const {
    return static_cast<std::size_t>(
        std::ranges::count(checks, Outcome::Suspicious, &Check::outcome));
}

Review review(const ReviewFacts& facts, const ReviewProfiles& profiles) {
    Review review;
    review.baseline = factsOf(profiles.baseline);
    review.candidate = factsOf(profiles.candidate);
    review.fresh = factsOf(profiles.fresh);
    review.flushed = factsOf(profiles.flushed);
    review.baselineFlushed = factsOf(profiles.baselineFlushed);
    review.warmFactor = ratio(review.flushed, review.candidate);
    review.baselineWarmFactor = ratio(review.baselineFlushed, review.baseline);
    review.speedup = ratio(review.baseline, review.candidate);
    review.coldSpeedup = ratio(review.baselineFlushed, review.flushed);
    const Evidence evidence{facts, profiles, review};
    std::vector<Check> checks{
        wrongOutput(evidence),     constantOutput(evidence), staleOutput(evidence),
        unwrittenOutput(evidence), changedInput(evidence),   fewerBytes(evidence),
        fasterThanRoof(evidence),  keptWork(evidence),       laterWork(evidence),
        otherThread(evidence),     lowerPrecision(evidence), replacedTimer(evidence)};
    if (auto check = otherKernel(evidence)) checks.push_back(std::move(*check));
    review.checks = std::move(checks);
    return review;
}

}  // namespace roofscope::honesty
