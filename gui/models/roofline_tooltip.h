// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "analyzer/analysis.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::gui {

/// What hovering over a dot of the roofline shows, as rich text. Names are escaped.
[[nodiscard]] QString rooflineTooltip(const Analysis& analysis, const plot::PlacedDot& dot);

}  // namespace roofscope::gui
