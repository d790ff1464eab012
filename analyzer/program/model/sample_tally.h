// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "profile/model/profile.h"

/// What samples of the CPU say, and the functions of the program that have most of them.
namespace roofscope {

/// What a sample says: a stack of a process, and what the thread waited for.
struct SampledStack {
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::uint32_t stack = 0;    ///< index into its CpuSamples::stacks
    CpuWait wait = CpuWait::None;
    bool worker = false;  ///< of a process that `process` has forked
    auto operator<=>(const SampledStack&) const = default;
};
/// The number of samples that say the same. A sample counts as 1 on average (SampleWeights). If its
/// thread waits for a lock, it is divided among the threads that run at that moment, or it counts
/// for the forked process that it waits for.
using SampleTally = std::map<SampledStack, double>;
[[nodiscard]] inline double samplesIn(const SampleTally& tally) {
    double sum = 0;
    for (const auto& [stack, samples] : tally) sum += samples;
    return sum;
}

/// A function of the program, and its share of samples.
struct HostFunction {
    std::string function;  ///< "CalcTimeConstraintsForElems"
    std::string place;     ///< "lulesh.cu:2214": its line with most samples; empty: not known
    /// What it called in a library, if the time went there: "fscanf".
    std::string callee;
    CpuWait wait = CpuWait::None;  ///< what it waited for there
    Ratio share;                   ///< of all samples, those without a known function included
    bool noLines = false;          ///< compiled code of the program, built without -g
    bool inWorker = false;         ///< it ran in processes that the program has forked
};

}  // namespace roofscope
