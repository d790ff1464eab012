// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/honesty/review.h"

/// The catalogue of checks, by what they look at. A check without the data that it needs returns
/// Outcome::CannotTell; nullopt if it does not apply.
namespace roofscope::honesty {

/// Everything that a check may look at.
struct Evidence {
    const ReviewFacts& facts;
    const ReviewProfiles& profiles;
    const Review& calls;  ///< used for its CallFacts
};

// checks_of_results.cpp: what the function returns.
Check constantOutput(const Evidence& evidence);
Check staleOutput(const Evidence& evidence);
Check unwrittenOutput(const Evidence& evidence);
Check wrongOutput(const Evidence& evidence);
Check changedInput(const Evidence& evidence);

// checks_of_work.cpp: what work it does for that.
Check fewerBytes(const Evidence& evidence);
Check fasterThanRoof(const Evidence& evidence);
Check lowerPrecision(const Evidence& evidence);

// checks_of_time.cpp: whether the work is done while the clock runs.
Check laterWork(const Evidence& evidence);
Check otherThread(const Evidence& evidence);
Check keptWork(const Evidence& evidence);
std::optional<Check> otherKernel(const Evidence& evidence);
Check replacedTimer(const Evidence& evidence);

/// Set the outcome of a check. `missing`: the facts that it lacks.
inline Check cannotTell(Check check, Words missing) {
    check.outcome = Outcome::CannotTell;
    check.sentence = std::move(missing);
    return check;
}
inline Check clear(Check check) {
    check.outcome = Outcome::Clear;
    return check;
}
inline Check suspicious(Check check, Words sentence, Words innocent, std::vector<Arg> args = {}) {
    check.outcome = Outcome::Suspicious;
    check.sentence = std::move(sentence);
    check.innocent = std::move(innocent);
    check.args = std::move(args);
    return check;
}

}  // namespace roofscope::honesty
