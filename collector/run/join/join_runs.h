// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collector/run/join/serial_times.h"
#include "collector/spool/reader/spool_reader.h"
#include "profile/model/profile.h"

namespace roofscope {

/// How well the launches of one run match those of another.
struct JoinReport {
    std::size_t matched = 0;
    std::size_t withoutPartner = 0;  ///< launches of the run without a counterpart in the base
    /// Where the order of launches first differs, as text; empty if it never does.
    std::string firstDifference;
};

/// What to do with launches whose signature the base does not have.
enum class UnmatchedLaunches { Add, LeaveOut };

/// Adds the measurements of `run` to the launches of `base`, another run of the same program.
///
/// Partners are the n-th launches of the same kernel, shape and NVTX range in the same process
/// (pairProcesses()). So it does no harm if the order of different kernels differs (streams,
/// threads). The report says where it does, and an issue says where processes differ. A launch
/// without partner is added if its signature never occurs in `base`, unless `unmatched` says
/// otherwise; all others are left out. Values that `base` already has are kept. Devices gain chip
/// and peaks; issues are added once. If a process lost launches in either run, partners are
/// launches of the same kernel and shape at the same position (`basePositions`, `positions`).
JoinReport joinCounters(Profile& base, const Profile& run,
                        const LaunchPositions& basePositions = {},
                        const LaunchPositions& positions = {},
                        UnmatchedLaunches unmatched = UnmatchedLaunches::Add);

/// Takes the durations of a run that timed kernels one by one (TimingMode::serial) where they are
/// shorter. Both ways of timing can only add time: instrumentation adds it to kernels with many
/// warps, running one by one adds a microsecond to short kernels. Starts move earlier by the time
/// that was removed before them, so that gaps stay the same. Issues are added once. Returns how
/// many launches had a partner.
std::size_t joinSerialTimes(Profile& base, const Profile& serial,
                            const LaunchPositions& basePositions = {},
                            const LaunchPositions& positions = {});

/// Removes the time that instrumentation added to launches whose duration one by one is `known`
/// (corrected by what timing one by one adds). It removes at most what instrumentation can add,
/// because the GPU may have been cooler when the known time was measured. Starts move as above.
void joinSerialTimes(Profile& base, const SerialTimes& known);

/// Joins timing runs of one program: the launches of the first run, each with the median of its
/// durations. Starts stay those of the first run. `positions` has one entry per run.
[[nodiscard]] Profile joinTimings(std::vector<Profile> runs,
                                  const std::vector<LaunchPositions>& positions = {});

}  // namespace roofscope
