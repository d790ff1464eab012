// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/ruler.h"

#include <algorithm>
#include <cmath>

#include "analyzer/language/sentence.h"
#include "analyzer/roofline/resources.h"
#include "reports/language/number_format.h"
#include "reports/language/term_words.h"

namespace roofscope::plot {

namespace {

/// Closer than this counts as "at its roof": measurements are no better.
constexpr double kThere = 1.03;

/// The limiter by the verdict; without one, the busiest resource.
const Resource* limiterOf(const Resources& resources, const Verdict& verdict) {
    if (verdict.limiter) return resources.find(*verdict.limiter);
    return verdict.reason.leading ? resources.find(verdict.reason.leading->id) : nullptr;
}

}  // namespace

std::optional<Ruler> rulerOf(const KernelAnalysis& kernel, const RooflineOptions& options) {
    const Resources resources = resourcesOf(kernel.quantities);
    const Resource* limiter = limiterOf(resources, kernel.verdict);
    if (!limiter || !(limiter->busy > 0) || !std::isfinite(limiter->busy)) return std::nullopt;
    const Level level = levelOf(limiter->id).value_or(Level::Dram);
    const RooflinePoint* dot = nullptr;
    for (const RooflinePoint& point : kernel.points) {
        const bool shown = options.levels[point.level] && options.shows(point.precision) &&
                           point.intensity.value > 0 && point.rate.value > 0;
        // The first point is of the pipe that does most; prefer its dot at the limiter's level.
        if (shown && (!dot || (dot->precision == point.precision && point.level == level)))
            dot = &point;
    }
    if (!dot) return std::nullopt;
    const double factor = std::max(1.0, 1 / limiter->busy);
    const roofscope::Words there{"at its roof"};
    const std::string number = formatNumber(factor, Unit::Factor);
    const roofscope::Words away = wordsOf("{} to go", number);
    return Ruler{.dot = *dot,
                 .rate = dot->rate.value * factor,
                 .factor = factor,
                 .name = resourceWords(limiter->id, options.language),
                 .gap = (factor < kThere ? there : away).in(options.language)};
}

bool isOwnRoof(const Roof& roof, const KernelAnalysis& kernel) {
    return roof.kind == Roof::Kind::Compute &&
           std::ranges::any_of(kernel.points, [&](const RooflinePoint& point) {
               return point.precision == roof.precision;
           });
}

}  // namespace roofscope::plot
