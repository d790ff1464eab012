// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope {

/// A follow-up question: what to read in addition to the options of a
/// recording, for a few launches.
struct Question {
    /// Counter groups. "source" alone: per instruction; "over-time" alone:
    /// over the time of a launch.
    std::vector<std::string> groups;
    std::vector<std::uint32_t> launches;  ///< rows of the profile; typical ones among them are read
    std::optional<Seconds> limit;         ///< time limit for the run
    /// The user asked for it: a missing answer counts as lost (exit code 90).
    bool required = false;
    /// With "source": one more run samples what warps wait for, and where.
    bool stallSamples = true;
};

/// The loop for which a program is judged, as it was recorded.
struct JudgedLoop {
    Seconds repeat;  ///< mean duration of a repeat; 0 without one
    /// Share of that in which the GPU is idle; without a repeat, the share that tracing took. Below
    /// kHardlyIdle, tracing did not slow the program down.
    double idle = 1;
    bool onePiece = false;  ///< all of the program is judged, with its last launch and copy
};
inline constexpr double kHardlyIdle = 0.02;

/// A recording that has read what its options ask for and can answer follow-up questions
/// (RecordOptions::followUp).
struct RecordingInProgress {
    Seconds plainRun;  ///< how long the program took without counters
    /// One run both counted and timed, because the program starts slowly. One further run then
    /// costs more than all questions of an ordinary program.
    bool startsSlowly = false;
    /// About how long another run takes, without setting up counters.
    std::function<Seconds()> furtherRun;
    std::function<const Profile&()> profile;            ///< what was read so far
    std::function<Seconds()> elapsed;                   ///< since the recording began
    std::function<std::optional<Seconds>()> remaining;  ///< of `--time-limit`; absent: no limit
    std::function<bool()> over;                         ///< no further run is possible or wanted
    /// Runs the program again and adds the answer to the profile: counters of the same launches,
    /// and an entry in Capture::further. Failures become issues; nothing in the profile is lost.
    /// Returns whether there was an answer.
    std::function<bool(const Question&)> ask;
};

}  // namespace roofscope
