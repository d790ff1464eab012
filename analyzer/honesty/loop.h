// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"

/// Whether the times of a benchmark loop are those that the program will see.
namespace roofscope::honesty {

/// Medians that differ by less than this factor count as equal.
inline constexpr double kLoopDiffers = 1.05;

/// A kernel of the loop in one of the recordings, per launch (median time, mean counters).
struct LoopSide {
    Seconds time;
    std::size_t launches = 0;
    Derived<Bytes> dramRead, dramWrite, l2;
    Derived<Hertz> smClock;  ///< in the runs with counters
    /// Lowest clock while launches were timed and the GPU was busy; absent if it was not observed.
    std::optional<Hertz> lowestClock;
};

/// Why a loop shows another time than the program. Each fault is judged on its own.
enum class LoopFault {
    WarmCache,      ///< its data are still in the L2
    OtherInputs,    ///< in the program the same kernel takes another time: it may do other work
    OtherClocks,    ///< the SMs' clock is lower where the kernel takes longer
    FirstLaunches,  ///< the first launches of the loop take longer than the others
    NoResult        ///< the kernel writes nothing: the compiler may have removed its work
};
[[nodiscard]] const char* toString(LoopFault fault);  ///< "warm-cache"

struct LoopFinding {
    LoopFault fault = LoopFault::WarmCache;
    Words sentence;  ///< "{name}" stands for `args`
    std::vector<Arg> args;
};

struct LoopKernel {
    std::string name, fullName;
    Ratio share;  ///< of the loop's kernel time
    LoopSide inPlace;
    std::optional<LoopSide> replayed;  ///< repeated by CUPTI, which restores memory in between
    std::optional<LoopSide> flushed;   ///< with an empty L2
    std::optional<LoopSide> program;   ///< in the program's own recording
    /// Time in the program / time in the loop. Without a program: with an empty L2 / in the loop.
    std::optional<double> optimism;
    std::vector<LoopFinding> findings;
    /// Why something could not be judged.
    std::vector<Words> unknown;
};

/// The recordings of one loop. A kernel is found in another recording by name and launch shape; in
/// the program's, also by name alone if only one kernel has it.
struct LoopProfiles {
    const Analysis* inPlace = nullptr;   ///< each launch measured where it runs, once; required
    const Analysis* replayed = nullptr;  ///< under kernel replay
    const Analysis* flushed = nullptr;   ///< `--cache-control flush`
    const Analysis* program = nullptr;
};

/// The kernels of the loop, most time first. Those below 1 % of its time are left out.
[[nodiscard]] std::vector<LoopKernel> judgeLoop(const LoopProfiles& profiles);

}  // namespace roofscope::honesty
