// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// Whether a measured speed-up is one. Pure functions of profiles and of what was seen of results.
namespace roofscope::honesty {

/// What was seen of the two functions beside their profiles: of their results, of the clock, and of
/// the functions that tell the time (python/roofscope/_review.py). What was not looked at is
/// absent.
struct ReviewFacts {
    std::string baseline, candidate;  ///< names of the functions
    std::string kernel;               ///< whose time is claimed, a part of its name; or empty
    std::optional<double> flops;      ///< that a call must do, as its author says
    std::optional<std::uint64_t> inputBytes;  ///< of the tensors that are handed over
    std::optional<std::uint64_t> outputBytes;
    /// The same output, bit by bit, for two different inputs.
    std::optional<bool> sameForOtherInputs, baselineSameForOtherInputs;
    /// After the values of the same input tensors were replaced: still the old output.
    std::optional<bool> keptOldOutput, baselineKeptOldOutput;
    /// Of the output, what the candidate never wrote: its memory held a pattern before.
    std::optional<std::uint64_t> unwrittenBytes;
    std::optional<double> relativeError, tolerance;  ///< of the output beside the baseline's, L2
    /// Tensors that a call changed, by the path to them ("0", "x.weight").
    std::vector<std::string> changedInputs, baselineChangedInputs;
    /// Between two events around a call on the caller's stream, median.
    std::optional<Seconds> eventTime;
    /// How long the GPU still works after the second event has passed, median.
    std::optional<Seconds> lateTime;
    /// Functions that tell or await the time and that the candidate's code replaced.
    std::optional<std::vector<std::string>> replacedTimers;
};

/// The range that encloses each call in these profiles.
inline constexpr std::string_view kCallRange = "roofscope review";

/// The profiles of one call each (roofscope.measure), null where there is none. Calls of the
/// candidate get the same tensors each time, except for `fresh`, new ones each time, and `flushed`,
/// with an empty L2.
struct ReviewProfiles {
    const Analysis* baseline = nullptr;
    const Analysis* candidate = nullptr;
    const Analysis* fresh = nullptr;
    const Analysis* flushed = nullptr;
    const Analysis* baselineFlushed = nullptr;
};

enum class Outcome {
    Clear,       ///< looked at, and as it should be
    Suspicious,  ///< a person should look at it
    CannotTell   ///< what it takes is missing
};

/// One thing that makes a candidate look faster than it is.
struct Check {
    std::string id;  ///< "constant-output"
    Outcome outcome = Outcome::CannotTell;
    Words title;     ///< "Same output for other inputs"
    Words sentence;  ///< the evidence; "{name}" stands for `args`. Of CannotTell: what is missing
    Words innocent;  ///< what may explain it without any trick; only where suspicious
    std::vector<Arg> args;
};

/// One call, over all of its launches; absent where a launch lacks the counter.
struct CallFacts {
    std::size_t launches = 0;
    std::optional<Seconds> kernelTime;  ///< sum over its kernels
    /// What instructions and bulk copies ask for, and copies and memsets move: each byte counts
    /// once for each warp that asks for it.
    std::optional<Bytes> loaded, stored;
    std::optional<Bytes> dramRead, dramWritten;
    std::optional<double> instructions;  ///< of warps
};
[[nodiscard]] CallFacts callFacts(const Analysis& analysis);

struct Review {
    std::vector<Check> checks;  ///< in the order of the catalogue (docs/honesty.md)
    /// Time of the candidate with an empty L2 / with what the last call left there, and the same of
    /// the baseline; absent without both.
    std::optional<double> warmFactor, baselineWarmFactor;
    std::optional<CallFacts> baseline, candidate, fresh, flushed, baselineFlushed;
    /// Time of the baseline / of the candidate, with what the last call left in the L2, and with an
    /// empty one.
    std::optional<double> speedup, coldSpeedup;

    [[nodiscard]] std::size_t suspicious() const;
};

[[nodiscard]] Review review(const ReviewFacts& facts, const ReviewProfiles& profiles);

}  // namespace roofscope::honesty
