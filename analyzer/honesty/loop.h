// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"

/// Whether a timing loop sees what the program will see.
namespace roofscope::honesty {

/// Below this factor two medians are the same to whoever times a kernel.
inline constexpr double kLoopDiffers = 1.05;

/// A kernel of the loop in one of the recordings, per launch (median time, mean counters).
struct LoopSide {
    Seconds time;
    std::size_t launches = 0;
    Derived<Bytes> dramRead, dramWrite, l2;
    Derived<Hertz> smClock;  ///< of the runs with counters
    /// The lowest while launches were timed and the GPU worked; absent when nothing saw it.
    std::optional<Hertz> lowestClock;
};

/// What makes a loop tell another time than a program. Each stands for itself.
enum class LoopFault {
    WarmCache,      ///< its data are still in the L2
    OtherInputs,    ///< in the program the same kernel and shape takes longer, and does other work
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
    std::optional<LoopSide> program;   ///< of the program's own recording
    /// Time in the program, or with an empty L2 where no program was given / time in the loop.
    std::optional<double> optimism;
    std::vector<LoopFinding> findings;
    /// Why something could not be judged.
    std::vector<Words> unknown;
};

/// The recordings of one loop. Kernels belong together by name and launch shape; those of the
/// program by name, and by shape where that is unique.
struct LoopProfiles {
    const Analysis* inPlace = nullptr;   ///< each launch measured where it runs, once; required
    const Analysis* replayed = nullptr;  ///< under kernel replay
    const Analysis* flushed = nullptr;   ///< `--cache-control flush`
    const Analysis* program = nullptr;
};

/// Kernels by their share of the loop's time, those below `leastShare` left out.
[[nodiscard]] std::vector<LoopKernel> judgeLoop(const LoopProfiles& profiles,
                                                double leastShare = 0.01);

}  // namespace roofscope::honesty
