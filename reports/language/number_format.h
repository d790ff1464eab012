// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "analyzer/model/derived.h"
#include "analyzer/model/finding.h"

/// Numbers for people: three significant digits, SI prefixes, never "-0". A value that is not
/// finite reads "n/a".
namespace roofscope {

/// "4.26 TB/s", "12.3 µs", "93.9 %", "16.5-way", "67.1 M". `value` is in the SI base of the unit.
/// Whole counts below 100 000 are written in full ("12,288").
[[nodiscard]] std::string formatNumber(double value, Unit unit);
/// A duration: "329 µs".
[[nodiscard]] inline std::string formatTime(Seconds time) {
    return formatNumber(time.value, Unit::Seconds);
}
/// The same with another unit name behind the SI prefix: (5.9e13, "FLOP/s") → "59.0 TFLOP/s".
[[nodiscard]] std::string formatSi(double value, const char* unit);
/// "0.375 FLOP/B": no prefixes, because an intensity is read off an axis.
[[nodiscard]] std::string formatIntensity(double flopsPerByte);
/// The same for operations of any arithmetic: those on integers are OP.
[[nodiscard]] std::string formatIntensity(double operationsPerByte, const Arithmetic& arithmetic);
/// "407 TFLOP/s", of integers "1.24 POP/s".
[[nodiscard]] std::string formatRate(double operationsPerSecond, const Arithmetic& arithmetic);
/// "137 GFLOP", of integers "137 GOP".
[[nodiscard]] std::string formatOperations(double operations, const Arithmetic& arithmetic);
/// Three significant digits without unit or prefix: "0.125", "16.5", "1.23e+12".
[[nodiscard]] std::string formatPlain(double value);

/// A whole number in full: "232,448".
[[nodiscard]] std::string formatExact(double value);

/// A list of missing counters, of which at most two are named: "a, b and 3 more".
[[nodiscard]] std::string namesOfMissing(const std::string& missing, Language language);

/// Why there is no value: "not measured (dram__bytes_read.sum)", at most two counters by name, or
/// "n/a" when it does not apply (0/0).
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
