// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/model/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// Tooltip of a dot in the roofline, as rich text. Names are escaped.
[[nodiscard]] QString rooflineTooltip(const Analysis& analysis, const plot::PlacedDot& dot);
/// Tooltip of an arrow: what changed for the kernel since the baseline, as rich text.
[[nodiscard]] QString arrowTooltip(const Analysis& analysis, const ReportBaseline& baseline,
                                   const plot::PlacedArrow& arrow);

}  // namespace roofscope::gui
