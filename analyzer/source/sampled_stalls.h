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
/// A sample is one resident warp, found before the instruction that it is to issue next and in one
/// state. So a warp that waits for data is found at the instruction that uses them, not at the one
/// that loads them.
namespace roofscope {

/// From so many samples on shares are believed: at 500, a share of 30 % is known to ±4 points.
inline constexpr double kEnoughSamples = 500;

struct SampledStalls {
    /// One state of warps.
    struct State {
        std::string reason;          ///< as CUPTI names it: "long_scoreboard"
        std::vector<double> perRow;  ///< samples per instruction
        double total = 0;
    };
    std::vector<State> states;   ///< "selected" and "not_selected" among them; empty: not sampled
    std::vector<double> perRow;  ///< samples per instruction, all states
    double total = 0;

    [[nodiscard]] bool enough() const { return total >= kEnoughSamples; }
};

/// The samples of a pass. Values that are missing or negative (a damaged file) count nothing.
[[nodiscard]] SampledStalls readStalls(const SourcePass& pass);

/// Column of a state.
[[nodiscard]] std::string sampledStallCounter(std::string_view reason);
/// Column of all samples of an instruction.
inline constexpr std::string_view kSampleCount = "smsp__pcsamp_sample_count";

/// Whether warps in this state wait; others issue, or could.
[[nodiscard]] bool isWaiting(std::string_view reason);

/// What most warps at some instructions wait for.
struct DominantStall {
    std::string reason;
    double samples = 0;  ///< in this state
    double share = 0;    ///< of all samples at these instructions, 0 to 1
};
/// Nothing when no warp was seen waiting there.
[[nodiscard]] std::optional<DominantStall> dominantStall(const SampledStalls& stalls,
                                                         std::span<const std::size_t> rows);

}  // namespace roofscope
