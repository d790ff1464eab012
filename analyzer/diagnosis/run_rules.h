// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/analysis.h"

namespace roofscope {

class CounterLookup;  // analyzer/counters/counter_lookup.h
struct Chains;        // analyzer/chains/chains.h
struct LaunchGaps;    // analyzer/launches/launch_gaps.h

/// Lets all rules look at a kernel whose quantities and verdict are there, and sets its findings,
/// their joint bound, and what they change of the verdict.
void runRules(const Profile& profile, const CounterLookup& counters, const Chains& chains,
              KernelAnalysis& kernel);
/// The rules about the sequence of launches.
void runSequenceRules(const Profile& profile, const LaunchGaps& gaps, Analysis& analysis);

}  // namespace roofscope
