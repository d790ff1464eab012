// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "analyzer/source/producers.h"

namespace roofscope {

/// An instruction at which warps were sampled waiting in one state, and what for.
struct Wait {
    std::size_t row = 0;               ///< index into SourcePass::instructions
    double share = 0;                  ///< of all samples in this state
    std::optional<Producer> producer;  ///< absent if the machine code does not show it
    /// Mean time that a warp waits in this state before it executes the instruction, in cycles of
    /// the SM: samples of row and state / all samples × resident warps' cycles / executions.
    std::optional<double> cycles;
    std::size_t loadsInFlight = 0;           ///< Dataflow::loadsInFlight
    std::optional<std::size_t> addressFrom;  ///< Dataflow::addressFrom, of the producer
    /// For a wait at a barrier: where late warps are seen most.
    std::optional<std::size_t> latecomers;
};

}  // namespace roofscope
