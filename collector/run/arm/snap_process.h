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

/// How many steps a profile has, and how long one takes.
struct StepsSeen {
    std::size_t count = 0;
    Seconds each;
};

/// What `roofscope snap` asks of an armed process.
struct SnapOptions {
    /// How many steps to record; absent: record for `seconds`.
    std::optional<std::uint32_t> steps;
    double seconds = 5;  ///< with `steps`: the time limit
    double around = 1;   ///< launches are only counted for so long before and after
    std::uint64_t mostBytes = std::uint64_t{1} << 30;  ///< of measurements
    TimelineDetail timeline = TimelineDetail::Full;
    bool cpuSamples = true;
    bool callSites = true;
    /// Finds the steps in the recording so far; nullopt: no period was found yet. Needed for
    /// `steps`.
    std::function<std::optional<StepsSeen>(const Profile&)> stepsIn;
    std::function<void(const std::string&)> progress;  ///< receives lines
};

/// Records an armed process for a while and then restores its previous state. Interruptions end the
/// recording early. An error means that nothing was recorded.
[[nodiscard]] Result<Recording> snapProcess(const ArmedProcess& process,
                                            const SnapOptions& options);

}  // namespace roofscope
