// SPDX-License-Identifier: Apache-2.0
#include "gui/models/plot/roofline_tooltip.h"

#include <QCoreApplication>

#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/compare/words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct RooflineTooltip {
    Q_DECLARE_TR_FUNCTIONS(RooflineTooltip)
};

}  // namespace

QString rooflineTooltip(const Analysis& analysis, const plot::PlacedDot& dot) {
    if (dot.kernel >= analysis.kernels.size()) return {};
    const KernelAnalysis& kernel = analysis.kernels[dot.kernel];
    const QString level = levelText(dot.level);
    const QString arithmetic = arithmeticText(dot.precision);
    Facts facts{
        {RooflineTooltip::tr("Intensity at %1").arg(level), text(dot.intensity, dot.precision)},
        {RooflineTooltip::tr("%1 rate").arg(arithmetic), text(dot.rate, dot.precision)},
        {RooflineTooltip::tr("%1 bandwidth").arg(level),
         text(kernel.quantities.bandwidth[dot.level])},
        {RooflineTooltip::tr("of its roof"), text(kernel.quantities.utilisation[dot.level])}};
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Compute && roof.precision == dot.precision &&
            roof.device == kernel.group.device)
            facts.emplace_back(roof.measured
                                   ? RooflineTooltip::tr("%1 roof, measured").arg(arithmetic)
                                   : RooflineTooltip::tr("%1 roof").arg(arithmetic),
                               text(FlopsPerSecond{roof.rate}, dot.precision));
    facts.emplace_back(RooflineTooltip::tr("Total time"), text(totalTime(kernel)));
    facts.emplace_back(RooflineTooltip::tr("Share of GPU time"), text(kernel.timeShare));
    facts.emplace_back(RooflineTooltip::tr("Verdict"), verdictText(kernel.verdict));
    return factTip(shownText(kernel.wholeName), facts);
}

QString arrowTooltip(const Analysis& analysis, const ReportBaseline& baseline,
                     const plot::PlacedArrow& arrow) {
    if (arrow.change >= baseline.comparison.kernels.size()) return {};
    const KernelComparison& change = baseline.comparison.kernels[arrow.change];
    const compare_words::View view{baseline.comparison, *baseline.analysis, analysis,
                                   shownLanguage()};
    const QString name = shownText(view.to(change).wholeName);
    const QString before = shownText(view.from(change).wholeName);
    Facts facts;
    if (before != name) facts.emplace_back(RooflineTooltip::tr("Compared with"), before);
    const auto add = [&facts](const QString& label, const std::string& words) {
        facts.emplace_back(label, shownText(words));
    };
    add(RooflineTooltip::tr("Duration"), compare_words::outcome(change.duration, view.language));
    add(RooflineTooltip::tr("Before"),
        compare_words::side(change.duration.from, change.duration.fromBand, view.language));
    add(RooflineTooltip::tr("Now"),
        compare_words::side(change.duration.to, change.duration.toBand, view.language));
    add(RooflineTooltip::tr("Verdict"), compare_words::verdicts(view, change));
    return factTip(name, facts, shownText(compare_words::cause(change.cause, view.language)));
}

}  // namespace roofscope::gui
