// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/program/program.h"
#include "profile/model/timeline.h"
#include "reports/plot/draw_list.h"

/// Colours of what a program's time goes into, after the plot's palette, which colour-blind people
/// can tell apart; names and numbers say the same.
namespace roofscope::gui {

[[nodiscard]] plot::Role roleOf(TimeClass cls);
/// That of the class which the GPU's idle time is in while a CPU is in such a call.
[[nodiscard]] plot::Role roleOf(CallKind kind);

}  // namespace roofscope::gui
