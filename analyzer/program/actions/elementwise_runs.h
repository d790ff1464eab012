// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::program {

/// Consecutive launches of PyTorch's elementwise operators in one stream, each on what the previous
/// one wrote ("x * a + b", a bias and its activation). A compiler makes one launch of them.
struct ElementwiseRuns {
    double launches = 0;  ///< per occurrence of the window
    /// What one launch in place of each run would save, if it took as long as the longest in it;
    /// per occurrence. An estimate: less if something else reads the results in between.
    Seconds gain;
    std::map<std::uint32_t, double> kernels;  ///< index into Analysis::kernels → its part of `gain`
    /// Buffers were not recorded: launches that follow each other on tensors of about one size are
    /// a run, with the reductions of their rows (a norm).
    bool byOrder = false;
};

/// Launches of a CUDA graph are in no run. Nor are launches without buffers, if the profile has
/// buffers at all.
[[nodiscard]] ElementwiseRuns elementwiseRuns(const Analysis& analysis, const LaneActivity& lane,
                                              const FoundWindow& window);

}  // namespace roofscope::program
