// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"

/// Whether a measured speed-up is real. Pure functions of profiles and of observed results.
namespace roofscope::honesty {

/// What was observed of the two functions in addition to their profiles: their results, the time of
/// calls, and the functions that tell the time (python/roofscope/_review.py). What was not checked
/// is absent.
struct ReviewFacts {
    std::string baseline, candidate;          ///< names of the functions
    std::string kernel;                       ///< part of the claimed kernel's name; or empty
    std::optional<double> flops;              ///< that a call must do, by its author
    std::optional<std::uint64_t> inputBytes;  ///< of the tensors that are passed in
    std::optional<std::uint64_t> outputBytes;
    /// Whether two different inputs give the same output, bit by bit.
    std::optional<bool> sameForOtherInputs, baselineSameForOtherInputs;
    /// Whether the output stayed the old one after the values of the same input tensors were
    /// replaced.
    std::optional<bool> keptOldOutput, baselineKeptOldOutput;
    /// Output bytes that the candidate never wrote: they still hold the pattern that was there
    /// before.
    std::optional<std::uint64_t> unwrittenBytes;
    std::optional<double> relativeError, tolerance;  ///< of the output to the baseline's, L2
    /// Tensors that a call changed, by the path to them ("0", "x.weight").
    std::vector<std::string> changedInputs, baselineChangedInputs;
    /// Time between two events around a call on the caller's stream, median.
    std::optional<Seconds> eventTime;
    /// How long the GPU keeps working after the second event, median.
    std::optional<Seconds> lateTime;
    /// Functions that tell or await the time and that the candidate's code replaced.
    std::optional<std::vector<std::string>> replacedTimers;
};

/// The NVTX range around each call in these profiles.
inline constexpr std::string_view kCallRange = "roofscope review";

/// The profiles of one call each (roofscope.measure); null where there is none. Each call of the
/// candidate gets the same tensors, except in `fresh`, where it gets new ones each time. In
/// `flushed` profiles the L2 is empty.
struct ReviewProfiles {
    const Analysis* baseline = nullptr;
    const Analysis* candidate = nullptr;
    const Analysis* fresh = nullptr;
    const Analysis* flushed = nullptr;
    const Analysis* baselineFlushed = nullptr;
};

enum class Outcome {
    Clear,       ///< checked, and as it should be
    Suspicious,  ///< a person should look at it
    CannotTell   ///< the data that it needs is missing
};

/// A check for one thing that makes a candidate look faster than it is.
struct Check {
    std::string id;  ///< "constant-output"
    Outcome outcome = Outcome::CannotTell;
    Words title;     ///< "Same output for other inputs"
    Words sentence;  ///< the evidence; "{name}" stands for `args`. If CannotTell: what is missing
    Words innocent;  ///< an explanation without any trick; only if suspicious
    std::vector<Arg> args;
};

/// One call: sums over its launches; absent if a launch lacks the counter.
struct CallFacts {
    std::size_t launches = 0;
    std::optional<Seconds> kernelTime;  ///< sum over its kernels
    /// Bytes that instructions and bulk copies request, and that copies and memsets move. A byte
    /// counts once for each warp that requests it.
    std::optional<Bytes> loaded, stored;
    std::optional<Bytes> dramRead, dramWritten;
    std::optional<double> instructions;  ///< warp instructions
};
[[nodiscard]] CallFacts callFacts(const Analysis& analysis);

struct Review {
    std::vector<Check> checks;  ///< in the order of the catalogue (docs/honesty.md)
    /// Time of the candidate with an empty L2 / with what the last call left in it; and the same
    /// for the baseline. Absent unless both times are known.
    std::optional<double> warmFactor, baselineWarmFactor;
    std::optional<CallFacts> baseline, candidate, fresh, flushed, baselineFlushed;
    /// Time of the baseline / time of the candidate: with what the last call left in the L2, and
    /// with an empty L2.
    std::optional<double> speedup, coldSpeedup;

    [[nodiscard]] std::size_t suspicious() const;
};

[[nodiscard]] Review review(const ReviewFacts& facts, const ReviewProfiles& profiles);

}  // namespace roofscope::honesty
