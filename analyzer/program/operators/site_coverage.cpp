// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/operators/site_coverage.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace roofscope::program {

bool sitesCover(std::span<const LaunchInShape> all, std::span<const ShapePerWindow> window,
                double noted) {
    constexpr double kSamePart = 0.02;  // parts of launches that differ by less are the same
    double perWindow = 0;
    for (const ShapePerWindow& shape : window) perWindow += shape.launches;
    if (!(perWindow > 0) || !(noted > 0) || all.empty()) return false;
    const double windows = noted / perWindow, whole = std::round(windows);
    if (whole < 1 || std::abs(windows - whole) > kSamePart * whole) return false;
    // Sites of several processes are counted together, and their launches are not in one order.
    if (std::ranges::any_of(all, [&](const LaunchInShape& launch) {
            return launch.process != all.front().process;
        }))
        return false;
    const auto first = static_cast<std::size_t>(std::llround(noted));
    if (first > all.size()) return false;
    std::map<std::uint32_t, double> differ;  // by shape: part of the noted ones − of the window
    for (const LaunchInShape& launch : all.first(first)) differ[launch.shape] += 1.0 / noted;
    for (const ShapePerWindow& shape : window) differ[shape.shape] -= shape.launches / perWindow;
    return std::ranges::all_of(differ,
                               [](const auto& part) { return std::abs(part.second) <= kSamePart; });
}

}  // namespace roofscope::program
