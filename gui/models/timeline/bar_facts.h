// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

/// What is known about a single copy, call, range, or stretch of samples.
struct BarFacts {
    TimelinePlace bar;
    QString name;   ///< "copy from pageable host memory to GPU memory", "cudaStreamSynchronize"
    QString place;  ///< "copies to the host · repeat 7 of 40"
    Facts facts;    ///< label and value
    QString stack;  ///< the call stack of samples; else empty
    bool hasCall = false;  ///< it is a copy whose call is known

    /// All facts as text for the clipboard.
    [[nodiscard]] QString text() const;
};
[[nodiscard]] BarFacts barFacts(const Analysis& analysis, const Timeline& timeline,
                                const TimelinePlace& place);

/// The time from the start of the call of a launch or copy to the start of the bar; absent if the
/// call is unknown.
[[nodiscard]] std::optional<Seconds> barDelay(const Profile& profile, const Timeline& timeline,
                                              const TimelinePlace& place);

}  // namespace roofscope::gui
