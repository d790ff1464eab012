// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/model/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// What hovering over a dot of the roofline shows, as rich text. Names are escaped.
[[nodiscard]] QString rooflineTooltip(const Analysis& analysis, const plot::PlacedDot& dot);
/// What the arrow of a kernel stands for: what changed since the baseline, as rich text.
[[nodiscard]] QString arrowTooltip(const Analysis& analysis, const ReportBaseline& baseline,
                                   const plot::PlacedArrow& arrow);

}  // namespace roofscope::gui
