// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roof_lines.h"

#include <algorithm>
#include <cmath>

#include "reports/kernel_facts.h"
#include "reports/language/wording.h"
#include "reports/number_format.h"

namespace roofscope::plot {

Role roleOf(Level level) {
    switch (level) {
        case Level::Dram:
            return Role::Dram;
        case Level::L2:
            return Role::L2;
        case Level::L1:
            return Role::L1;
        case Level::Shared:
            return Role::Shared;
    }
    return Role::Dram;
}

Role roleOf(const Arithmetic& arithmetic) {
    const Precision* const precision = arithmetic.precision();
    if (!precision) return Role::Tensor;
    switch (*precision) {
        case Precision::Fp64:
            return Role::Fp64;
        case Precision::Fp32:
            return Role::Fp32;
        case Precision::Fp16:
            return Role::Fp16;
    }
    return Role::Fp32;
}

MarkerShape shapeOf(Level level) {
    switch (level) {
        case Level::Dram:
            return MarkerShape::Circle;
        case Level::L2:
            return MarkerShape::Square;
        case Level::L1:
            return MarkerShape::Triangle;
        case Level::Shared:
            return MarkerShape::Diamond;
    }
    return MarkerShape::Circle;
}

RoofLines roofLines(const Analysis& analysis, const RooflineOptions& options,
                    const Viewport& view) {
    std::vector<const Roof*> slopes, flats;
    for (const Roof& roof : analysis.roofs) {
        if (roof.device != options.device || !(roof.rate > 0) || !std::isfinite(roof.rate))
            continue;
        const bool compute = roof.kind == Roof::Kind::Compute;
        if (compute && options.shows(roof.precision)) flats.push_back(&roof);
        if (!compute && options.levels[roof.level]) slopes.push_back(&roof);
    }
    const auto highest = [](const std::vector<const Roof*>& roofs, bool measured) {
        double best = 0;
        for (const Roof* roof : roofs)
            if (roof->measured == measured) best = std::max(best, roof->rate);
        if (best == 0)
            for (const Roof* roof : roofs) best = std::max(best, roof->rate);
        return best;
    };
    RoofLines result;
    const PlotWords& words = wordingOf(options.language).plot;
    const auto named = [&words](const Roof& roof, const std::string& name,
                                const std::string& rate) {
        const std::string label = name + " " + rate;
        return roof.measured ? words.measured(label) : label;
    };
    for (const Roof* roof : slopes) {
        const double rate = std::log10(roof->rate), top = highest(flats, roof->measured);
        // log(rate) = log(intensity) + log(bandwidth): a line of slope 1.
        const double endY = top > 0 ? std::log10(top) : std::max(view.yMax, view.xMax + rate);
        const double startX = std::min(view.xMin, view.yMin - rate);
        result.lines.push_back({.roof = roof,
                                .role = roleOf(roof->level),
                                .from = {startX, startX + rate},
                                .to = {endY - rate, endY},
                                .label = named(*roof, toString(roof->level),
                                               formatNumber(roof->rate, Unit::BytesPerSecond))});
    }
    for (const Roof* roof : flats) {
        const double rate = std::log10(roof->rate), bandwidth = highest(slopes, roof->measured);
        const double startX = bandwidth > 0 ? rate - std::log10(bandwidth) : view.xMin;
        result.lines.push_back(
            {.roof = roof,
             .role = roleOf(roof->precision),
             .from = {startX, rate},
             .to = {std::max(view.xMax, startX) + 1, rate},
             .label = named(*roof, arithmeticWords(roof->precision, options.language),
                            formatRate(roof->rate, roof->precision))});
    }
    for (const Roof* slope : slopes)
        for (const Roof* flat : flats)
            if (slope->measured == flat->measured)
                result.ridges.push_back(
                    {.at = {std::log10(flat->rate / slope->rate), std::log10(flat->rate)},
                     .role = roleOf(slope->level)});
    return result;
}

}  // namespace roofscope::plot
