// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

#include "analyzer/model/analysis.h"
#include "analyzer/model/derived.h"
#include "analyzer/model/finding.h"
#include "profile/model/profile.h"
#include "profile/model/units.h"

/// Formats numbers like the reports (reports/language/number_format.h), so that window and report
/// agree.
namespace roofscope::gui {

/// Shown for a number that is missing or not applicable: "–".
[[nodiscard]] QString missingText();

[[nodiscard]] QString text(Seconds time);            ///< "12.3 µs"
[[nodiscard]] QString text(Bytes bytes);             ///< "67.1 MB" (10⁶)
[[nodiscard]] QString text(BytesPerSecond rate);     ///< "4.26 TB/s"
[[nodiscard]] QString text(Flops operations);        ///< "137 GFLOP"
[[nodiscard]] QString text(FlopsPerSecond rate);     ///< "790 TFLOP/s"
[[nodiscard]] QString text(FlopsPerByte intensity);  ///< "0.25 FLOP/B"
/// The same for any arithmetic: the unit of integer operations is OP.
[[nodiscard]] QString text(Flops operations, const Arithmetic& arithmetic);
[[nodiscard]] QString text(FlopsPerSecond rate, const Arithmetic& arithmetic);
[[nodiscard]] QString text(FlopsPerByte intensity, const Arithmetic& arithmetic);
[[nodiscard]] QString text(Hertz frequency);  ///< "1.76 GHz"
[[nodiscard]] QString text(Ratio share);      ///< "89.3 %"
[[nodiscard]] QString text(double value, Unit unit);
[[nodiscard]] QString text(double number);  ///< "1.33", whole numbers in full: "67,108,864"
/// A count in short form: "12,288", "67.1 M"; "–" if it is missing.
[[nodiscard]] QString countText(const std::optional<double>& count);
[[nodiscard]] QString text(const Dim3& extents);  ///< "1024 × 16"
/// An exact size, such as shared memory per block: "49,152 B (48 KiB)".
[[nodiscard]] QString sizeText(std::uint64_t bytes);
/// `one` ("%1 kernel") or `many` ("%1 kernels") with the number. Replaces Qt's %n, which needs a
/// translation file even for English, and writes 1024 instead of our 1,024.
[[nodiscard]] QString counted(std::uint64_t number, const QString& one, const QString& many);

template <class T>
[[nodiscard]] QString text(const std::optional<T>& value) {
    return value ? text(*value) : missingText();
}
template <class T>
[[nodiscard]] QString text(const Derived<T>& derived) {
    return derived.has() ? text(*derived) : missingText();
}

/// How a derived number was obtained, or why it is missing.
[[nodiscard]] QString howText(bool has, const std::string& how, const std::string& missing);
template <class T>
[[nodiscard]] QString howText(const Derived<T>& derived) {
    return howText(derived.has(), derived.how, derived.missing);
}

}  // namespace roofscope::gui
