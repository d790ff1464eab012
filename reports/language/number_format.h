// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "analyzer/model/derived.h"
#include "analyzer/model/finding.h"

/// Numbers for people: three significant digits, SI prefixes, never "-0". Non-finite values read
/// "n/a".
namespace roofscope {

/// "4.26 TB/s", "12.3 µs", "93.9 %", "16.5-way", "67.1 M". `value` is in the SI base unit. Whole
/// counts below 1,000,000 are written in full ("433,376").
[[nodiscard]] std::string formatNumber(double value, Unit unit);
/// A duration: "329 µs".
[[nodiscard]] inline std::string formatTime(Seconds time) {
    return formatNumber(time.value, Unit::Seconds);
}
/// The same with any unit name after the SI prefix: (5.9e13, "FLOP/s") → "59.0 TFLOP/s".
[[nodiscard]] std::string formatSi(double value, const char* unit);
/// "0.375 FLOP/B": no prefixes, because intensities are compared with an axis.
[[nodiscard]] std::string formatIntensity(double flopsPerByte);
/// The same for any arithmetic; integer operations are "OP".
[[nodiscard]] std::string formatIntensity(double operationsPerByte, const Arithmetic& arithmetic);
/// "407 TFLOP/s"; for integers "1.24 POP/s".
[[nodiscard]] std::string formatRate(double operationsPerSecond, const Arithmetic& arithmetic);
/// "137 GFLOP"; for integers "137 GOP".
[[nodiscard]] std::string formatOperations(double operations, const Arithmetic& arithmetic);
/// Three significant digits without unit or prefix: "0.125", "16.5", "1.23e+12".
[[nodiscard]] std::string formatPlain(double value);

/// A whole number in full: "232,448".
[[nodiscard]] std::string formatExact(double value);

/// "4096 × 1 × 1" without trailing ones: "4096", "64 × 8".
[[nodiscard]] std::string formatDim(const Dim3& extents);

/// A list of missing counters, naming at most two: "a, b and 3 more".
[[nodiscard]] std::string namesOfMissing(const std::string& missing, Language language);

/// Why there is no value: "not measured (dram__bytes_read.sum)" with at most two counters, or "n/a"
/// if it does not apply (0/0).
[[nodiscard]] std::string formatMissing(const std::string& missing, Language language);

/// The number, or why there is none.
template <class Tag>
[[nodiscard]] std::string formatDerived(const Derived<Quantity<Tag>>& derived, Unit unit,
                                        Language language) {
    return derived.has() ? formatNumber(derived->value, unit)
                         : formatMissing(derived.missing, language);
}
[[nodiscard]] inline std::string formatDerived(const Derived<double>& derived, Unit unit,
                                               Language language) {
    return derived.has() ? formatNumber(*derived, unit) : formatMissing(derived.missing, language);
}

}  // namespace roofscope
