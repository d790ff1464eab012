// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/model/program.h"

namespace roofscope::program {

/// How often the thread that feeds a GPU waits for it, in the middle one of the counted windows.
struct StepWaits {
    /// A copy back and the call that waits for it are one wait. A call that waits again, without
    /// new work, and one for a copy to the GPU are none.
    double waits = 0;
    /// Of these, those with a launch between the wait before and this one.
    double apart = 0;
    /// Time of the copies back before these waits, up to the wait: they go with it.
    Seconds copies = {};

    /// Whether there are several in different places of a step, not only at its end.
    [[nodiscard]] bool areWithin() const;
};
[[nodiscard]] StepWaits stepWaits(const Profile& profile, const Lane& lane);

}  // namespace roofscope::program
