// SPDX-License-Identifier: Apache-2.0
#include "reports/language/number_format.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "reports/language/say.h"

namespace roofscope {

namespace {

constexpr const char* kNotApplicable = "n/a";

/// Rounds to three significant digits, so that the prefix fits the rounded number: 999.7 is "1.00
/// k", not "1000".
double roundTo3(double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(std::abs(value))));
    if (!std::isfinite(scale) || scale == 0) return value;
    const double rounded = std::round(value * scale) / scale;
    return std::isfinite(rounded) ? rounded : value;
}

/// Three significant digits of a number with a magnitude from 1 to 999.
std::string digits3(double value) {
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string trimZeros(std::string text) {
    if (text.find('.') == std::string::npos) return text;
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

struct Prefix {
    double factor;
    const char* name;
};
constexpr std::array kLarge{Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"},
                            Prefix{1e9, "G"},  Prefix{1e6, "M"},  Prefix{1e3, "k"}};

std::string withPrefix(double value, const char* unit, bool trim) {
    const double shown = roundTo3(value);
    const std::string behind = *unit ? std::string(unit) : std::string();
    for (const Prefix& prefix : kLarge) {
        // Slack: rounded values like 999999999999.9999 belong to the larger prefix.
        if (std::abs(shown) < prefix.factor * (1 - 1e-9)) continue;
        if (std::abs(shown) >= 1e21) break;
        const std::string digits = digits3(shown / prefix.factor);
        return (trim ? trimZeros(digits) : digits) + " " + prefix.name + behind;
    }
    const std::string digits = formatPlain(shown);
    return behind.empty() ? digits : digits + " " + behind;
}

std::string count(double value) {
    // A mean of 1070.3 launches stands beside whole counts, so write "1,070", not "1.07 k".
    const bool whole = value == std::floor(value) || std::abs(value) >= 1e3;
    constexpr double kLeastShort = 1e6;  // smaller numbers are written in full
    if (whole && std::round(std::abs(value)) < kLeastShort) return formatExact(value);
    return withPrefix(value, "", true);
}

std::string seconds(double value) {
    constexpr std::array kSmall{Prefix{1.0, "s"}, Prefix{1e-3, "ms"}, Prefix{1e-6, "µs"},
                                Prefix{1e-9, "ns"}};
    if (value == 0) return "0 s";
    const double shown = roundTo3(value);
    for (const Prefix& prefix : kSmall)
        // Slack: a quotient of 0.9999… must not fall to the smaller unit.
        if (std::abs(shown) >= prefix.factor * (1 - 1e-9)) {
            const double scaled = shown / prefix.factor;
            return (std::abs(scaled) >= 1000 ? formatPlain(scaled) : digits3(scaled)) + " " +
                   prefix.name;
        }
    return formatPlain(shown * 1e9) + " ns";
}

bool isInteger(const Arithmetic& arithmetic) { return arithmetic == Arithmetic(TensorType::Int8); }

std::string share(double value) {
    const double percent = value * 100;
    const double magnitude = std::abs(percent);
    if (magnitude == 0) return "0 %";
    if (magnitude < 0.01) return percent < 0 ? "> -0.01 %" : "< 0.01 %";
    if (magnitude >= 999.5) return formatPlain(roundTo3(percent)) + " %";
    if (magnitude >= 9.995) return trimZeros(fmt::format("{:.1f}", percent)) + " %";
    return trimZeros(fmt::format("{:.2f}", percent)) + " %";
}

}  // namespace

std::string formatPlain(double value) {
    if (!std::isfinite(value)) return kNotApplicable;
    const double shown = roundTo3(value);
    const double magnitude = std::abs(shown);
    if (magnitude == 0) return "0";
    if (magnitude >= 1e6 || magnitude < 1e-3) return fmt::format("{:.3g}", shown);
    if (magnitude >= 1000) return formatExact(shown);
    if (magnitude >= 1) return trimZeros(digits3(shown));
    const int decimals = 2 - static_cast<int>(std::floor(std::log10(magnitude)));
    return trimZeros(fmt::format("{:.{}f}", shown, decimals));
}

std::string formatExact(double value) {
    if (!std::isfinite(value)) return kNotApplicable;
    const std::string digits = fmt::format("{:.0f}", std::abs(value));
    std::string text = value <= -0.5 ? "-" : "";
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string formatSi(double value, const char* unit) {
    if (!std::isfinite(value)) return kNotApplicable;
    return withPrefix(value, unit, false);
}

std::string formatIntensity(double flopsPerByte) {
    if (!std::isfinite(flopsPerByte)) return kNotApplicable;
    return formatPlain(flopsPerByte) + " FLOP/B";
}

std::string formatIntensity(double operationsPerByte, const Arithmetic& arithmetic) {
    if (!isInteger(arithmetic)) return formatIntensity(operationsPerByte);
    return std::isfinite(operationsPerByte) ? formatPlain(operationsPerByte) + " OP/B"
                                            : kNotApplicable;
}

std::string formatRate(double operationsPerSecond, const Arithmetic& arithmetic) {
    return formatSi(operationsPerSecond, isInteger(arithmetic) ? "OP/s" : "FLOP/s");
}

std::string formatOperations(double operations, const Arithmetic& arithmetic) {
    return formatSi(operations, isInteger(arithmetic) ? "OP" : "FLOP");
}

std::string formatNumber(double value, Unit unit) {
    if (!std::isfinite(value)) return kNotApplicable;
    switch (unit) {
        case Unit::Count:
            return count(value);
        case Unit::Bytes:
            return withPrefix(value, "B", false);
        case Unit::Seconds:
            return seconds(value);
        case Unit::Share:
            return share(value);
        case Unit::Factor:
            return (std::abs(value) >= 1 && std::abs(value) < 999.5 ? digits3(value)
                                                                    : formatPlain(value)) +
                   "×";
        case Unit::Ways:
            return formatPlain(value) + "-way";
        case Unit::BytesPerSecond:
            return withPrefix(value, "B/s", false);
        case Unit::FlopsPerSecond:
            return withPrefix(value, "FLOP/s", false);
        case Unit::Hertz:
            return withPrefix(value, "Hz", false);
    }
    return formatPlain(value);
}

std::string formatDim(const Dim3& extents) {
    std::string text = fmt::format("{}", extents.x);
    if (extents.y != 1 || extents.z != 1) text += fmt::format(" × {}", extents.y);
    if (extents.z != 1) text += fmt::format(" × {}", extents.z);
    return text;
}

std::string namesOfMissing(const std::string& missing, Language language) {
    constexpr std::size_t kShown = 2;
    std::string shown;
    std::size_t names = 0;
    for (std::size_t at = 0; at < missing.size();) {
        const std::size_t comma = std::min(missing.find(',', at), missing.size());
        std::string_view name = std::string_view(missing).substr(at, comma - at);
        while (name.starts_with(' ')) name.remove_prefix(1);
        if (!name.empty() && ++names <= kShown)
            shown += (names > 1 ? ", " : "") + std::string(name);
        at = comma + 1;
    }
    return names > kShown ? say(language, "{} and {} more", shown, names - kShown) : shown;
}

std::string formatMissing(const std::string& missing, Language language) {
    if (missing.empty()) return kNotApplicable;
    return say(language, "not measured ({})", namesOfMissing(missing, language));
}

}  // namespace roofscope
