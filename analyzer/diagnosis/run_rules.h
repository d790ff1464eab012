// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope {

class CounterLookup;  // analyzer/counters/counter_lookup.h
struct Chains;        // analyzer/chains/chains.h
struct LaunchGaps;    // analyzer/launches/launch_gaps.h

/// Runs all rules on a kernel whose quantities and verdict are known. Sets its findings and their
/// joint bound, and updates the headroom and the confidence of its verdict. `trials` (or null) make
/// findings in kernels of libraries minor.
void runRules(const Profile& profile, const CounterLookup& counters, const Chains& chains,
              const TrialResults* trials, KernelAnalysis& kernel);
/// Runs the rules about the sequence of launches, except those that Analysis::trials rule out.
void runSequenceRules(const Profile& profile, const LaunchGaps& gaps, Analysis& analysis);

}  // namespace roofscope
