// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyzer/program/account/host_samples.h"
#include "analyzer/program/actions/launch_rounds.h"
#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// A loop in one of the program's Python functions that launches a few kernels for each of many
/// items (samples, pairs, boxes).
struct PythonLoop {
    std::string place;    ///< "losses.py:49–55 (triplet)"
    double rounds = 0;    ///< at least; each time the function is entered, or per window
    double launches = 0;  ///< per window, without those of the backward pass
};

/// The loop that launches most, if it makes a fifth of the window's launches. Its lines launch at
/// least 32 times as often as another line of the function, which tells how often the function is
/// entered. A function that is itself called many times (a layer's forward) has no such line.
/// `repeats`: the most windows that can have passed while sites were recorded. A line that launches
/// once in each of them is in the program's main loop.
[[nodiscard]] std::optional<PythonLoop> pythonLoop(const Analysis& analysis, const Program& program,
                                                   double repeats);

/// The same for launches that repeat within the window, if no line was recorded for most of them:
/// the innermost of the program's Python functions that holds three quarters of the CPU's samples,
/// on several of its lines. `samples`: of the time in which the GPU waits for launches.
[[nodiscard]] std::optional<PythonLoop> sampledLoop(const Profile& profile,
                                                    const LaunchRounds& rounds,
                                                    const SampleTally& samples);

}  // namespace roofscope::program
