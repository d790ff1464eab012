// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace roofscope::plot {

namespace {

/// Minimum distance of labels in pixels.
constexpr double kLabelGap = 46;
/// Maximum number of ticks: a broken view must not exhaust memory.
constexpr int kMaxTicks = 400;

std::string tickLabel(double value, TickStyle style) {
    if (style == TickStyle::Plain && value < 1e6)
        return value < 1e-3 ? fmt::format("{:.4g}", value) : fmt::format("{:.6g}", value);
    constexpr std::array<std::pair<double, const char*>, 7> kPrefixes{
        {{1e18, " E"}, {1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
    for (const auto& [factor, prefix] : kPrefixes)
        if (value >= factor * (1 - 1e-9)) return fmt::format("{:.6g}{}", value / factor, prefix);
    return fmt::format("{:.4g}", value);
}

}  // namespace

std::vector<Tick> logTicks(double low, double high, double pixels, TickStyle style) {
    std::vector<Tick> ticks;
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || !(pixels > 0)) return ticks;
    const double perDecade = pixels / (high - low);
    const auto add = [&](double log, bool labelled, bool major) {
        if (log < low - 1e-9 || log > high + 1e-9) return;
        ticks.push_back({.log = log,
                         .label = labelled ? tickLabel(std::pow(10, log), style) : std::string(),
                         .major = major});
    };
    if (high - low < 0.8) {
        // Less than a decade: linear steps of 1, 2 or 5 times a power of ten.
        const double from = std::pow(10, low), to = std::pow(10, high);
        const double wanted = (to - from) / std::max(1.0, pixels / (kLabelGap * 1.5));
        const double power = std::pow(10, std::floor(std::log10(wanted)));
        double step = 10 * power;
        for (const double factor : {1.0, 2.0, 5.0})
            if (factor * power >= wanted) {
                step = factor * power;
                break;
            }
        if (!(step > 0) || (to - from) / step > kMaxTicks) return ticks;
        for (double i = std::ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i)
            if (i > 0) add(std::log10(i * step), true, true);
        return ticks;
    }
    const int every = std::max(1, static_cast<int>(std::ceil(kLabelGap / perDecade)));
    const int first = static_cast<int>(std::floor(low)), last = static_cast<int>(std::ceil(high));
    if (last - first > kMaxTicks) return ticks;
    // Labels at 1, 2 and 5 need room between 1 and 2, the closest pair.
    const bool between = perDecade * std::log10(2.0) >= kLabelGap;
    const bool minor = perDecade >= 40;
    for (int decade = first; decade <= last; ++decade) {
        add(decade, decade % every == 0, true);
        if (!minor) continue;
        for (int digit = 2; digit <= 9; ++digit)
            add(decade + std::log10(digit), between && (digit == 2 || digit == 5), false);
    }
    return ticks;
}

}  // namespace roofscope::plot
