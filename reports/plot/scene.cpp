// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/scene.h"
#include "reports/language/say.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzer/roofline/roofline.h"
#include "reports/plot/fit_viewport.h"
#include "reports/plot/roofline_layout.h"

namespace roofscope::plot {

namespace {

/// Counts kernels without a dot, by reason.
struct NotShown {
    std::size_t noOperations = 0, tensor = 0, unknown = 0;

    [[nodiscard]] std::string words(Language language) const {
        std::vector<std::string> reasons;
        if (noOperations > 0)
            reasons.push_back(sayCount(language, noOperations,
                                       "{} kernel without floating-point operations",
                                       "{} kernels without floating-point operations"));
        if (tensor > 0)
            reasons.push_back(sayCount(
                language, tensor, "{} kernel on tensor cores, whose operations were not counted",
                "{} kernels on tensor cores, whose operations were not counted"));
        if (unknown > 0)
            reasons.push_back(sayCount(language, unknown, "{} kernel with counters missing",
                                       "{} kernels with counters missing"));
        if (reasons.empty()) return {};
        std::string text;
        for (std::size_t i = 0; i < reasons.size(); ++i)
            text += (i == 0                    ? std::string()
                     : i + 1 == reasons.size() ? say(language, " and ")
                                               : std::string(marksOf(language).comma)) +
                    reasons[i];
        return noOperations + tensor + unknown == 1 ? say(language, "{} is not shown", text)
                                                    : say(language, "{} are not shown", text);
    }
};

/// Logarithmic axes cannot show 0.
bool hasPlace(const RooflinePoint& point) {
    return point.intensity.value > 0 && point.rate.value > 0 &&
           std::isfinite(point.intensity.value) && std::isfinite(point.rate.value);
}

bool isShown(const RooflinePoint& point, const RooflineOptions& options) {
    return options.levels[point.level] && options.shows(point.precision) && hasPlace(point);
}

Point logOf(const RooflinePoint& point) {
    return {std::log10(point.intensity.value), std::log10(point.rate.value)};
}

void countNotShown(NotShown& notShown, const KernelAnalysis& kernel) {
    const auto none = [&](Precision precision) {
        const auto& flops = kernel.quantities.flops[precision];
        return flops.has() && flops->value <= 0;
    };
    const bool counted = !tensorWork(kernel.quantities).empty();
    if (usesTensorCores(kernel.quantities) && !counted)
        ++notShown.tensor;
    else if (none(Precision::Fp32) && none(Precision::Fp64) && !counted)
        ++notShown.noOperations;
    else
        ++notShown.unknown;
}

void collectArrows(RooflineScene& scene, const Analysis& analysis, const RooflineOptions& options,
                   const std::vector<std::size_t>& kernels) {
    if (!options.baseline) return;
    const Analysis& baseline = *options.baseline->analysis;
    std::vector<bool> shown(analysis.kernels.size());
    for (const std::size_t index : kernels)
        if (index < shown.size())
            shown[index] = analysis.kernels[index].group.device == options.device;
    const auto& changes = options.baseline->comparison.kernels;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const KernelMatch& match = changes[i].match;
        if (match.candidate >= shown.size() || !shown[match.candidate] ||
            match.baseline >= baseline.kernels.size())
            continue;
        const KernelAnalysis& before = baseline.kernels[match.baseline];
        for (const RooflinePoint& to : analysis.kernels[match.candidate].points) {
            const auto from = std::find_if(
                before.points.begin(), before.points.end(), [&](const RooflinePoint& point) {
                    return point.level == to.level && point.precision == to.precision;
                });
            if (from == before.points.end() || !hasPlace(*from) || !isShown(to, options)) continue;
            scene.arrows.push_back({.change = i,
                                    .kernel = match.candidate,
                                    .level = to.level,
                                    .precision = to.precision,
                                    .radius = dotRadius(before.timeShare)});
            scene.arrowEnds.emplace_back(logOf(*from), logOf(to));
        }
    }
}

}  // namespace

/// The area is proportional to the share of GPU time, limited so that dots are visible and do not
/// hide others.
double dotRadius(const Derived<Ratio>& share) {
    constexpr double kMinRadius = 3.5, kMaxRadius = 18;
    if (!share.has() || !(share->value > 0)) return kMinRadius;
    return std::clamp(kMaxRadius * std::sqrt(share->value), kMinRadius, kMaxRadius);
}

RooflineScene collectScene(const Analysis& analysis, const RooflineOptions& options) {
    RooflineScene scene;
    NotShown notShown;
    std::vector<std::size_t> kernels = options.kernels;
    if (kernels.empty()) {
        kernels.resize(analysis.kernels.size());
        std::iota(kernels.begin(), kernels.end(), std::size_t{0});
    }
    std::unordered_map<std::string_view, std::size_t> named;  // first kernel of each name
    scene.namesake.resize(analysis.kernels.size());
    for (const std::size_t index : kernels) {
        if (index >= analysis.kernels.size()) continue;
        const KernelAnalysis& kernel = analysis.kernels[index];
        if (kernel.group.device != options.device) continue;
        ++scene.kernels;
        if (kernel.points.empty()) countNotShown(notShown, kernel);
        bool any = false;
        std::optional<double> lastIntensity;
        for (const RooflinePoint& point : kernel.points) {
            if (!isShown(point, options)) continue;
            any = true;
            constexpr double kOneSpot = 1.02;  // a few pixels
            const double at = point.intensity.value;
            if (lastIntensity &&
                std::max(at, *lastIntensity) < kOneSpot * std::min(at, *lastIntensity))
                scene.coincide = true;
            lastIntensity = at;
            scene.dots.push_back({.kernel = index,
                                  .level = point.level,
                                  .precision = point.precision,
                                  .radius = dotRadius(kernel.timeShare),
                                  .intensity = point.intensity,
                                  .rate = point.rate});
        }
        if (!any) continue;
        const auto [found, first] = named.try_emplace(kernel.name, index);
        if (!first && found->second != index)
            scene.namesake[index] = scene.namesake[found->second] = true;
    }
    // Large dots first, so that small ones are on top and can be clicked. A streaming kernel has
    // the same intensity at all levels: DRAM's circle goes on top, so that the corners of the
    // square and the triangle show below it.
    std::ranges::stable_sort(scene.dots, [](const PlacedDot& a, const PlacedDot& b) {
        return a.radius != b.radius ? a.radius > b.radius : a.level > b.level;
    });
    scene.places.reserve(scene.dots.size());
    for (const PlacedDot& dot : scene.dots)
        scene.places.push_back({std::log10(dot.intensity.value), std::log10(dot.rate.value)});
    if (scene.dots.size() > RooflineScene::kCrowd) {
        std::vector<Level> levels;
        levels.reserve(scene.dots.size());
        for (const PlacedDot& dot : scene.dots) levels.push_back(dot.level);
        scene.grid = DotGrid(scene.places, levels);
    }
    scene.shares.reserve(analysis.kernels.size());
    for (const KernelAnalysis& kernel : analysis.kernels)
        scene.shares.push_back(kernel.timeShare.has() ? kernel.timeShare->value : 0);
    // Kernels are sorted by total time.
    for (std::size_t i = 0; i < scene.dots.size(); ++i) {
        const PlacedDot& dot = scene.dots[i];
        const PlacedDot& best = scene.dots[scene.longest.value_or(i)];
        if (!scene.longest || dot.kernel < best.kernel ||
            (dot.kernel == best.kernel && dot.level < best.level))
            scene.longest = i;
    }
    collectArrows(scene, analysis, options, kernels);
    std::vector<Point> places = scene.places;
    for (const auto& [from, to] : scene.arrowEnds) places.push_back(from);
    scene.fitted = fitViewport(places, analysis.roofs, options);
    scene.notShown = notShown.words(options.language);
    return scene;
}

}  // namespace roofscope::plot
