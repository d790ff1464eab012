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

/// Errors: Unavailable, if there is no driver or no GPU.
[[nodiscard]] Result<Gpu> currentGpu();

/// The number of launches.
struct Repeats {
    int warmup = 0;    ///< Launches before the counted ones, outside any NVTX range.
    int profiled = 1;  ///< Counted launches, each in its own NVTX range; at least 1.
    bool time = true;  ///< Off under a profiler, where launches are slower.
};

/// Durations of the counted launches from CUDA events: from the end of the previous work to the end
/// of the launch. Below about 5 µs they are dominated by launch cost.
struct Timing {
    Seconds median, fastest, slowest;
    /// Distance between the quartiles / median.
    Ratio spread;
};

/// The quantile `at` of sorted values, interpolated; there must be at least one value.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double at);

/// The result of running a job.
struct Measurement {
    Bytes minimumBytes;                 ///< What any implementation must move.
    std::optional<Timing> timing = {};  ///< Absent if Repeats::time is off.
};

/// Launches a job. Inputs rotate, so that the L2 does not serve them; the seed determines their
/// values. Errors: Unavailable, if the CUDA runtime fails (no memory, no code for this GPU).
[[nodiscard]] Result<Measurement> measure(const Job& job, const Repeats& repeats,
                                          std::uint64_t seed);

/// Launches a job once on poisoned outputs and compares with the CPU. Errors as for measure().
[[nodiscard]] Result<Check> verify(const Job& job, std::uint64_t seed);

}  // namespace roofscope::kernels
