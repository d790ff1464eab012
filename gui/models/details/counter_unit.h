// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace roofscope::gui {

/// The unit of a counter, derived from its CUPTI name ("dram__bytes_read.sum" → "B",
/// "….pct_of_peak_sustained_active" → "%"); empty if the name does not tell.
[[nodiscard]] QString counterUnit(const QString& counter);

}  // namespace roofscope::gui
