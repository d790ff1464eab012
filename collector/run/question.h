// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace roofscope {

/// What a recording is to read beside what its options say: of few launches, and only of these.
struct Question {
    std::vector<std::string> groups;      ///< counter groups; "source" alone: per instruction
    std::vector<std::uint32_t> launches;  ///< rows of the profile; typical ones of them are read
    std::optional<Seconds> limit;         ///< the program is ended when so much time was spent
    /// Somebody asked for it: what is missing of the answer counts as lost (exit code 90).
    bool required = false;
};

/// A recording that has read what its options say, and can be asked for more
/// (RecordOptions::followUp).
struct RecordingInProgress {
    Seconds plainRun;                         ///< how long the program took without counters
    std::function<const Profile&()> profile;  ///< what was read so far
    std::function<Seconds()> elapsed;         ///< since the recording began
    std::function<std::optional<Seconds>()> remaining;  ///< of `--time-limit`; absent: no limit
    std::function<bool()> over;                         ///< nobody wants a further run
    /// Runs the program again, and adds to the profile what was asked: the counters of the same
    /// launches, and an entry in Capture::further. What goes wrong becomes an issue; nothing that
    /// the profile holds is lost. Whether there was an answer.
    std::function<bool(const Question&)> ask;
};

}  // namespace roofscope
