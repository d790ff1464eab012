// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "analyzer/program/activity.h"
#include "analyzer/program/window.h"

namespace roofscope::program {

/// Launches of PyTorch's elementwise operators that follow each other in one stream, each on what
/// the one before wrote ("x * a + b", a bias and its activation): a compiler makes one launch of
/// them.
struct ElementwiseRuns {
    double launches = 0;  ///< per occurrence of the window
    /// What one launch in place of each run would spare, if it took as long as the longest in it;
    /// per occurrence. An estimate: what else reads the results between decides what stays.
    Seconds gain;
    std::map<std::uint32_t, double> kernels;  ///< index into Analysis::kernels → its part of `gain`
};

/// Launches of a CUDA graph, and launches whose buffers were not recorded, are in no run.
[[nodiscard]] ElementwiseRuns elementwiseRuns(const Analysis& analysis, const LaneActivity& lane,
                                              const FoundWindow& window);

}  // namespace roofscope::program
