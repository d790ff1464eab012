// SPDX-License-Identifier: Apache-2.0
#include "profile/model/profile.h"

namespace roofscope {

bool isConsistent(const ProcessRun& run) {
    const auto within = [&](const std::optional<Nanoseconds>& time) {
        return !time || (*time >= run.time.start && *time <= run.time.end);
    };
    return run.time.start <= run.setup.start && run.setup.start <= run.setup.end &&
           run.setup.end <= run.time.end && within(run.firstContext) && within(run.firstLaunch) &&
           within(run.countedUntil) && run.countedUntil.value_or(run.setup.end) >= run.setup.end;
}

bool fitsIntoProfile(const ProcessRun& run) {
    constexpr Nanoseconds kMost = Nanoseconds{1} << 53;
    return run.time.start > -kMost && run.time.end < kMost;
}

}  // namespace roofscope
