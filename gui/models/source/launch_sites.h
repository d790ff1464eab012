// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "profile/model/profile.h"

namespace roofscope::gui {

/// A line of the program that launches kernels or calls CUDA.
struct LaunchSite {
    QString file;             ///< as the program knew it
    int line = 0;             ///< 1 is the first
    QString place;            ///< "train.py:5 (step)"
    QStringList calls;        ///< what it launches or calls, most often first
    std::uint64_t count = 0;  ///< how often, in the run that looked
};

/// Those with a file and a line, most often first. Texts are clean; `file` is as recorded.
[[nodiscard]] std::vector<LaunchSite> launchSites(const Profile& profile);

}  // namespace roofscope::gui
