// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/selection.h"

/// Running rungs on the current GPU.
namespace roofscope::kernels {

/// The GPU that kernels run on.
struct Gpu {
    std::string name;           ///< "NVIDIA H200"
    int computeCapability = 0;  ///< Times ten: 90 for 9.0.
};

/// Errors: Unavailable, when there is no driver or no GPU.
[[nodiscard]] Result<Gpu> currentGpu();

/// How often to launch.
struct Repeats {
    int warmup = 0;    ///< Launches before, outside any NVTX range.
    int profiled = 1;  ///< Launches that count, each in an NVTX range of its own; at least 1.
    bool time = true;  ///< Off under a profiler, whose launches are slower.
};

/// Durations of the launches that counted, by CUDA events: from the end of what ran before to the
/// end of the launch. Below about 5 µs the cost of the launch itself shows.
struct Timing {
    Seconds median, fastest, slowest;
    /// Distance between the quartiles / median.
    Ratio spread;
};

/// The value at share `at` of sorted values, interpolated; there is at least one.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double at);

/// One job, run.
struct Measurement {
    Bytes minimumBytes;                 ///< What any implementation must move.
    std::optional<Timing> timing = {};  ///< Absent when Repeats::time is off.
};

/// Launches a job. Inputs rotate, so that the L2 does not serve them; the seed fixes their values.
/// Errors: Unavailable, when the CUDA runtime fails (no memory, no code for this GPU).
[[nodiscard]] Result<Measurement> measure(const Job& job, const Repeats& repeats,
                                          std::uint64_t seed);

/// Launches a job once on poisoned outputs and compares with the CPU. Errors as measure().
[[nodiscard]] Result<Check> verify(const Job& job, std::uint64_t seed);

}  // namespace roofscope::kernels
