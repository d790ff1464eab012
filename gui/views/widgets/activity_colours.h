// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "gui/models/timeline/timeline.h"
#include "profile/model/timeline.h"
#include "reports/plot/draw_list.h"

/// Colours of the program's activities, from the plot's palette, which is safe for colour-blind
/// people. Names and numbers give the same information.
namespace roofscope::gui {

[[nodiscard]] plot::Role roleOf(TimeClass cls);
/// The colour of the time class that the GPU's idle time belongs to during such a CPU call.
[[nodiscard]] plot::Role roleOf(CallKind kind);

/// The colour of a timeline bar: for a kernel that of its verdict, which differs from those of all
/// time classes; for copies and calls that of their time class.
[[nodiscard]] plot::Role roleOf(TimelineTone tone);

}  // namespace roofscope::gui
