// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/source/producers.h"

/// Why warps wait where they were sampled waiting.
namespace roofscope {

/// An instruction at which warps wait, and what for.
struct Wait {
    std::size_t row = 0;               ///< index into SourcePass::instructions
    double share = 0;                  ///< of all samples in this state
    std::optional<Producer> producer;  ///< absent where the machine code does not tell
    /// Mean time that a warp waits in this state before it executes the instruction, in cycles of
    /// the SM: samples of row and state / all samples × resident warps' cycles / executions.
    std::optional<double> cycles;
    std::size_t loadsInFlight = 0;           ///< Dataflow::loadsInFlight
    std::optional<std::size_t> addressFrom;  ///< Dataflow::addressFrom, of the producer
    /// Of a wait at a barrier: where the warps that come late are seen most.
    std::optional<std::size_t> latecomers;
};

/// Where most warps in a state ("long_scoreboard") wait, most samples first: at most three
/// instructions, none with less than a twentieth of them. Empty without samples or SASS.
[[nodiscard]] std::vector<Wait> waitsOf(const Profile& profile, const KernelAnalysis& kernel,
                                        const std::string& state);

/// Where most of the time in a state is spent and for which instruction, in one sentence; empty
/// where that is not known.
[[nodiscard]] Words waitWords(const Profile& profile, const KernelAnalysis& kernel,
                              const Wait& wait);

/// What to change so that such a wait ends sooner; empty where it only says what its state says.
/// `busiest`: share of the busiest resource, 0 to 1.
[[nodiscard]] Words waitEdit(const Profile& profile, const KernelAnalysis& kernel, const Wait& wait,
                             double busiest);

}  // namespace roofscope
