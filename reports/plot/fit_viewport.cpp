// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reports/plot/fit_viewport.h"

namespace roofscope::plot {

namespace {

/// log10 that stays finite, so that a pixel is always a number.
double safeLog(double value) {
    constexpr double kFar = 400;
    if (!(value > 0)) return -kFar;
    return std::clamp(std::log10(value), -kFar, kFar);
}

}  // namespace

bool isUsable(const Viewport& view) {
    return std::isfinite(view.xMin) && std::isfinite(view.xMax) && std::isfinite(view.yMin) &&
           std::isfinite(view.yMax) && view.xMax > view.xMin && view.yMax > view.yMin;
}

Viewport fitViewport(const std::vector<PlacedDot>& dots, const std::vector<Roof>& roofs,
                     const RooflineOptions& options) {
    double lowBandwidth = 0, highBandwidth = 0, lowCompute = 0, highCompute = 0;
    const auto widen = [](double& low, double& high, double value) {
        low = low == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    };
    for (const Roof& roof : roofs) {
        if (roof.device != options.device || !(roof.rate > 0) || !std::isfinite(roof.rate))
            continue;
        if (roof.kind == Roof::Kind::Compute)
            widen(lowCompute, highCompute, roof.rate);
        else if (options.levels[roof.level])
            widen(lowBandwidth, highBandwidth, roof.rate);
    }
    Viewport view;
    bool any = false;
    const auto include = [&](double x, double y) {
        if (!any) view = {.xMin = x, .xMax = x, .yMin = y, .yMax = y};
        any = true;
        view.xMin = std::min(view.xMin, x);
        view.xMax = std::max(view.xMax, x);
        view.yMin = std::min(view.yMin, y);
        view.yMax = std::max(view.yMax, y);
    };
    for (const PlacedDot& dot : dots)
        include(safeLog(dot.intensity.value), safeLog(dot.rate.value));
    if (highBandwidth > 0 && highCompute > 0) {
        // All ridges, a piece of flat roof behind the last one, and the foot of the slopes.
        include(safeLog(lowCompute / highBandwidth), safeLog(lowCompute));
        include(safeLog(highCompute / lowBandwidth) + 0.7, safeLog(highCompute));
        include(std::min(-1.0, view.xMin), view.yMax);
        include(view.xMin, std::min(view.yMin, safeLog(lowBandwidth) + view.xMin));
    }
    if (!any) return {};
    // A tenth of a decade keeps the largest dot and the labels of the roofs inside.
    view.xMin -= 0.3;
    view.xMax += 0.3;
    view.yMin -= 0.25;
    view.yMax += 0.35;
    constexpr double kLeastDecades = 2;
    const auto spread = [](double& low, double& high) {
        if (const double lack = kLeastDecades - (high - low); lack > 0) {
            low -= lack / 2;
            high += lack / 2;
        }
    };
    spread(view.xMin, view.xMax);
    spread(view.yMin, view.yMax);
    return view;
}

Point RooflinePlot::toPixel(FlopsPerByte intensity, FlopsPerSecond rate) const {
    const double x = (safeLog(intensity.value) - viewport.xMin) / (viewport.xMax - viewport.xMin);
    const double y = (safeLog(rate.value) - viewport.yMin) / (viewport.yMax - viewport.yMin);
    return {area.x + x * area.w, area.y + (1 - y) * area.h};
}

Point RooflinePlot::toLog(Point pixel) const {
    const double x = (pixel.x - area.x) / area.w, y = 1 - (pixel.y - area.y) / area.h;
    return {viewport.xMin + x * (viewport.xMax - viewport.xMin),
            viewport.yMin + y * (viewport.yMax - viewport.yMin)};
}

std::optional<std::size_t> RooflinePlot::hitTest(Point pixel, double slack) const {
    // Dots outside the plot area are cut off and cannot be hit.
    if (pixel.x < area.x || pixel.x > area.x + area.w || pixel.y < area.y ||
        pixel.y > area.y + area.h)
        return std::nullopt;
    std::optional<std::size_t> best;
    double nearest = 0;
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const double distance = std::hypot(dots[i].centre.x - pixel.x, dots[i].centre.y - pixel.y);
        if (distance > dots[i].radius + slack) continue;
        if (!best || distance <= nearest) {  // of equals the one drawn last, on top
            best = i;
            nearest = distance;
        }
    }
    return best;
}

}  // namespace roofscope::plot
