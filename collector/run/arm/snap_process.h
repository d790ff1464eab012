// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "collector/run/arm/armed_processes.h"
#include "collector/run/options/record_options.h"
#include "collector/run/recording/record.h"

namespace roofscope {

/// Steps that a profile holds, and how long one takes.
struct StepsSeen {
    std::size_t count = 0;
    Seconds each;
};

/// What `roofscope snap` asks of an armed process.
struct SnapOptions {
    /// How many steps; absent: for `seconds`.
    std::optional<std::uint32_t> steps;
    double seconds = 5;  ///< with steps: at most so long
    double around = 1;   ///< launches are only counted for so long before, and after that
    std::uint64_t mostBytes = std::uint64_t{1} << 30;  ///< of measurements
    TimelineDetail timeline = TimelineDetail::Full;
    bool cpuSamples = true;
    bool callSites = true;
    /// The steps in what was recorded so far; nullopt: there is no period yet. Needed for `steps`.
    std::function<std::optional<StepsSeen>(const Profile&)> stepsIn;
    std::function<void(const std::string&)> progress;  ///< receives lines
};

/// Records a part of an armed process, and leaves it as it was. Interruptions end it early. An
/// error means that nothing was recorded.
[[nodiscard]] Result<Recording> snapProcess(const ArmedProcess& process,
                                            const SnapOptions& options);

}  // namespace roofscope
