// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "gui/models/text/plain_tip.h"
#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

/// The time from the start of a launch's call to its start on the GPU; absent if the call is
/// unknown.
[[nodiscard]] std::optional<Seconds> launchDelay(const Profile& profile, const Timeline& timeline,
                                                 std::uint32_t launch);

/// What is known about a single launch.
struct LaunchFacts {
    std::uint32_t launch = 0;  ///< index into Profile::launches
    std::size_t kernel = 0;    ///< index into Analysis::kernels
    QString name;              ///< name of the kernel
    QString place;             ///< "launch 3 of 412 of this kernel · repeat 7 of 40"
    Facts facts;               ///< label and value
    Facts counters;            ///< values of this launch; empty if it was not counted

    /// All facts as text for the clipboard.
    [[nodiscard]] QString text() const;
};
/// `kernel` is the launch's kernel, an index into Analysis::kernels.
[[nodiscard]] LaunchFacts launchFacts(const Analysis& analysis, const Timeline& timeline,
                                      std::uint32_t launch, std::size_t kernel);

}  // namespace roofscope::gui
