// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/program/actions/action_finder.h"
#include "analyzer/program/actions/launch_rounds.h"
#include "analyzer/program/actions/python_loops.h"

namespace roofscope::program {

struct ActionFinder::LaunchPattern {
    double perWindow = 0, idle = 0;            ///< launches, and seconds of waiting for them
    bool graphs = false;                       ///< most come from CUDA graphs
    const KernelFunction* changing = nullptr;  ///< a function whose shapes change
    bool ofItems = false;                      ///< `loop` is what the window is a round of
    std::optional<double> cells = {};          ///< calls of nn.GRUCell and nn.LSTMCell
    std::optional<PythonLoop> loop = {};       ///< that launches a few small kernels each time
    bool own = false;                          ///< neither a framework nor such a loop
    /// Rows of a field, one library call each, whose rounds do not wait for each other.
    std::optional<LaunchRounds> rows = {};
    /// Such a call that takes most of the time, and the function that does many of them at once.
    std::string call = {}, batched = {};
    /// Kernels that such an edit makes a few large ones, because each has too few blocks for the
    /// GPU; and what that saves at most.
    std::vector<std::uint32_t> merged = {};
    double mergedLaunches = 0;
    Seconds mergedTime = {};
    [[nodiscard]] bool merges() const { return !merged.empty(); }
};

}  // namespace roofscope::program
