// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reports/plot/fit_viewport.h"

namespace roofscope::plot {

namespace {

/// log10 clamped to finite values, so that pixels are always numbers.
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

Viewport fitViewport(const std::vector<Point>& places, const std::vector<Roof>& roofs,
                     const RooflineOptions& options) {
    double lowBandwidth = 0, highBandwidth = 0, lowCompute = 0, highCompute = 0;
    const auto widen = [](double& low, double& high, double value) {
        low = low == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    };
    for (const Roof& roof : roofs) {
        if (roof.device != options.device || !(roof.rate > 0) || !std::isfinite(roof.rate))
            continue;
        const bool compute = roof.kind == Roof::Kind::Compute;
        if (compute && options.shows(roof.precision)) widen(lowCompute, highCompute, roof.rate);
        if (!compute && options.levels[roof.level]) widen(lowBandwidth, highBandwidth, roof.rate);
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
    for (const Point& place : places) include(place.x, place.y);
    if (highBandwidth > 0 && highCompute > 0) {
        // Include all ridge points, some flat roof to the right of the last one, and the start of
        // the slopes.
        include(safeLog(lowCompute / highBandwidth), safeLog(lowCompute));
        include(safeLog(highCompute / lowBandwidth) + 0.7, safeLog(highCompute));
        include(std::min(-1.0, view.xMin), view.yMax);
        include(view.xMin, std::min(view.yMin, safeLog(lowBandwidth) + view.xMin));
    }
    if (!any) return {};
    // A margin of about a third of a decade keeps the largest dot and the roof labels inside.
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

namespace {

bool contains(const Rect& area, Point pixel) {
    return pixel.x >= area.x && pixel.x <= area.x + area.w && pixel.y >= area.y &&
           pixel.y <= area.y + area.h;
}

}  // namespace

std::optional<std::size_t> RooflinePlot::hitTest(Point pixel, double slack) const {
    // Dots outside the plot area are clipped and cannot be hit.
    if (!contains(area, pixel)) return std::nullopt;
    std::optional<std::size_t> best;
    double nearest = 0;
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const double distance = std::hypot(dots[i].centre.x - pixel.x, dots[i].centre.y - pixel.y);
        if (distance > dots[i].radius + slack) continue;
        if (!best || distance <= nearest) {  // on a tie the one drawn last, on top
            best = i;
            nearest = distance;
        }
    }
    return best;
}

std::optional<std::size_t> RooflinePlot::hitTestArrow(Point pixel, double slack) const {
    if (!contains(area, pixel)) return std::nullopt;
    std::optional<std::size_t> best;
    double nearest = 0;
    for (std::size_t i = 0; i < arrows.size(); ++i) {
        const auto& [from, to] = std::pair{arrows[i].from, arrows[i].to};
        const double dx = to.x - from.x, dy = to.y - from.y;
        const double length2 = dx * dx + dy * dy;
        const double along =
            length2 > 0
                ? std::clamp(((pixel.x - from.x) * dx + (pixel.y - from.y) * dy) / length2, 0., 1.)
                : 0;
        const double line =
            std::hypot(from.x + along * dx - pixel.x, from.y + along * dy - pixel.y);
        const double start = std::hypot(from.x - pixel.x, from.y - pixel.y) - arrows[i].radius;
        const double distance = std::min(line, std::max(0.0, start));
        if (distance > slack || (best && distance > nearest)) continue;
        best = i;
        nearest = distance;
    }
    return best;
}

std::vector<std::size_t> RooflinePlot::kernelsIn(const RooflineScene& scene,
                                                 const Rect& pixels) const {
    const double left = std::max(pixels.x, area.x), top = std::max(pixels.y, area.y);
    const double right = std::min(pixels.x + pixels.w, area.x + area.w);
    const double bottom = std::min(pixels.y + pixels.h, area.y + area.h);
    std::vector<std::size_t> kernels;
    if (left > right || top > bottom) return kernels;
    const Point low = toLog({left, bottom}), high = toLog({right, top});
    for (std::size_t i = 0; i < scene.dots.size(); ++i) {
        const Point& place = scene.places[i];
        if (place.x >= low.x && place.x <= high.x && place.y >= low.y && place.y <= high.y)
            kernels.push_back(scene.dots[i].kernel);
    }
    std::ranges::sort(kernels);
    kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
    return kernels;
}

}  // namespace roofscope::plot
