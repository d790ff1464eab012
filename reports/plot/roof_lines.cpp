// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/roof_lines.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/language/term_words.h"

namespace roofscope::plot {

Role roleOf(Level level) {
    static constexpr PerLevel<Role> kRoles{{Role::Dram, Role::L2, Role::L1, Role::Shared}};
    return kRoles[level];
}

Role roleOf(const Arithmetic& arithmetic) {
    static constexpr PerPrecision<Role> kRoles{{Role::Fp64, Role::Fp32, Role::Fp16}};
    if (const Precision* const precision = arithmetic.precision()) return kRoles[*precision];
    static_assert(kTensorTypes.size() == 7);
    return static_cast<Role>(static_cast<int>(Role::TensorFp64) +
                             static_cast<int>(*arithmetic.tensor()));
}

MarkerShape shapeOf(Level level) {
    static constexpr PerLevel<MarkerShape> kShapes{
        {MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle, MarkerShape::Diamond}};
    return kShapes[level];
}

namespace {

void setName(RoofLine& line, std::string name, std::string rate, Language language) {
    line.name = std::move(name);
    line.rate = std::move(rate);
    line.label = line.name + " " + line.rate;
    if (line.roof->measured) line.label = say(language, "{} measured", line.label);
}

/// Tensor core types with equal rates share one line.
bool shareLine(const Roof* a, const Roof* b) {
    constexpr double kSame = 1e-6;
    return a->precision.tensor() && b->precision.tensor() && a->measured == b->measured &&
           std::abs(a->rate - b->rate) <= kSame * a->rate;
}

/// "FP32", "66.9 TFLOP/s". Types that share a line: "BF16, FP16 tensor", in OP/s if integers are
/// among them.
void setFlatName(RoofLine& line, const std::vector<const Roof*>& flats, Language language) {
    const Roof& roof = *line.roof;
    if (!roof.precision.tensor())
        return setName(line, arithmeticWords(roof.precision, language),
                       formatRate(roof.rate, roof.precision), language);
    std::string types;
    Arithmetic unit = roof.precision;
    for (const Roof* other : flats) {
        if (!shareLine(&roof, other)) continue;
        types += (types.empty() ? "" : ", ") + std::string(toString(*other->precision.tensor()));
        if (other->precision == Arithmetic(TensorType::Int8)) unit = other->precision;
    }
    setName(line, say(language, "{} tensor", types), formatRate(roof.rate, unit), language);
}

}  // namespace

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
    for (const Roof* roof : slopes) {
        const double rate = std::log10(roof->rate), top = highest(flats, roof->measured);
        // log(rate) = log(intensity) + log(bandwidth): a line of slope 1.
        const double endY = top > 0 ? std::log10(top) : std::max(view.yMax, view.xMax + rate);
        const double startX = std::min(view.xMin, view.yMin - rate);
        result.lines.push_back({.roof = roof,
                                .role = roleOf(roof->level),
                                .from = {startX, startX + rate},
                                .to = {endY - rate, endY}});
        setName(result.lines.back(), toString(roof->level),
                formatNumber(roof->rate, Unit::BytesPerSecond), options.language);
    }
    for (const Roof* roof : flats) {
        const auto same = std::ranges::find_if(flats, std::bind_front(shareLine, roof));
        if (same != flats.end() && *same != roof) continue;  // shares that line
        const double rate = std::log10(roof->rate), bandwidth = highest(slopes, roof->measured);
        const double startX = bandwidth > 0 ? rate - std::log10(bandwidth) : view.xMin;
        result.lines.push_back({.roof = roof,
                                .role = roleOf(roof->precision),
                                .from = {startX, rate},
                                .to = {std::max(view.xMax, startX) + 1, rate}});
        setFlatName(result.lines.back(), flats, options.language);
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
