// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace roofscope::gui {

/// The unit of a counter, derived from its CUPTI name ("dram__bytes_read.sum" → "B",
/// "….pct_of_peak_sustained_active" → "%"); empty if the name does not tell.
[[nodiscard]] QString counterUnit(const QString& counter);

/// A counter value in short form, formatted like other quantities: "200 MB", "12.3 µs", "89.3 %",
/// "433,376" (a count; "4.19 M" from a million on).
[[nodiscard]] QString counterText(const QString& counter, double value);
/// The same with all digits: "200,000,000 B".
[[nodiscard]] QString exactCounterText(const QString& counter, double value);

}  // namespace roofscope::gui
