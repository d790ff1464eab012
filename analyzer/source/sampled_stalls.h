// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/model/source_pass.h"

/// What warps wait for, instruction by instruction: the columns "smsp__pcsamp_*" of a source pass.
///
/// A sample is one resident warp in one state, counted at the instruction that it issues next. So a
/// warp that waits for data is counted at the instruction that uses them, not at the one that loads
/// them.
namespace roofscope {

/// Shares are reliable from this many samples on: at 500, a share of 30 % is known to ±4 points.
inline constexpr double kEnoughSamples = 500;

struct SampledStalls {
    /// One state of warps.
    struct State {
        std::string reason;          ///< as CUPTI names it: "long_scoreboard"
        std::vector<double> perRow;  ///< samples per instruction
        double total = 0;
    };
    std::vector<State> states;   ///< with "selected" and "not_selected"; empty: not sampled
    std::vector<double> perRow;  ///< samples per instruction, all states
    double total = 0;

    [[nodiscard]] bool enough() const { return total >= kEnoughSamples; }
    /// The state of this reason; nullptr if no warp was seen in it.
    [[nodiscard]] const State* find(std::string_view reason) const;
};

/// The instructions at which warps were seen in a state and all others, most samples first; among
/// equals, the first.
[[nodiscard]] std::vector<std::size_t> rowsBySamples(const SampledStalls::State& state);

/// The samples of a pass. Missing or negative values (a damaged file) count as 0.
[[nodiscard]] SampledStalls readStalls(const SourcePass& pass);

/// Counter name of a state.
[[nodiscard]] std::string sampledStallCounter(std::string_view reason);
/// Counter name of all samples of an instruction.
inline constexpr std::string_view kSampleCount = "smsp__pcsamp_sample_count";

/// Whether warps in this state wait. In the other states they issue, or could issue.
[[nodiscard]] bool isWaiting(std::string_view reason);

/// What most warps at some instructions wait for.
struct DominantStall {
    std::string reason;
    double samples = 0;  ///< in this state
    double share = 0;    ///< of all samples at these instructions, 0 to 1
};
/// nullopt if no warp was seen waiting there.
[[nodiscard]] std::optional<DominantStall> dominantStall(const SampledStalls& stalls,
                                                         std::span<const std::size_t> rows);

}  // namespace roofscope
