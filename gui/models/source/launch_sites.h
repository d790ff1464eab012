// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope::gui {

/// A source line that launches kernels or calls CUDA, or a function whose lines are unknown.
struct LaunchSite {
    QString file;             ///< path as recorded; empty without a line
    int line = 0;             ///< the first is 1; 0: unknown
    QString place;            ///< "train.py:5 (step)"; without a line "pgain(long, double)"
    QStringList calls;        ///< what it launches or calls, the most frequent first
    std::uint64_t count = 0;  ///< number of calls in the run that recorded call sites
};

/// The launch sites with known line or function, the most frequent first. Texts have no control
/// characters; `file` is as recorded.
[[nodiscard]] std::vector<LaunchSite> launchSites(const Profile& profile);

}  // namespace roofscope::gui
