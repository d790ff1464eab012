// SPDX-License-Identifier: Apache-2.0
#include "gui/models/roofline_tooltip.h"

#include <QCoreApplication>

#include "gui/models/kernel_facts.h"
#include "gui/models/number_text.h"
#include "gui/models/shown_language.h"
#include "gui/models/shown_text.h"
#include "reports/compare/words.h"

namespace roofscope::gui {
namespace {

/// Where the translation finds the texts of this file.
struct RooflineTooltip {
    Q_DECLARE_TR_FUNCTIONS(RooflineTooltip)
};

QString pointRow(const QString& label, const QString& value) {
    return QStringLiteral("<tr><td>%1</td><td align=right>&nbsp;&nbsp;<b>%2</b></td></tr>")
        .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
}

}  // namespace

QString rooflineTooltip(const Analysis& analysis, const plot::PlacedDot& dot) {
    if (dot.kernel >= analysis.kernels.size()) return {};
    const KernelAnalysis& kernel = analysis.kernels[dot.kernel];
    const QString level = levelText(dot.level);
    QString html = QStringLiteral("<p style='white-space:pre'><b>%1</b></p><table>")
                       .arg(shownText(kernel.name).toHtmlEscaped());
    html += pointRow(RooflineTooltip::tr("Intensity at %1").arg(level),
                     text(dot.intensity, dot.precision));
    html += pointRow(RooflineTooltip::tr("%1 rate").arg(arithmeticText(dot.precision)),
                     text(dot.rate, dot.precision));
    html += pointRow(RooflineTooltip::tr("%1 bandwidth").arg(level),
                     text(kernel.quantities.bandwidth[dot.level]));
    html += pointRow(RooflineTooltip::tr("of its roof"),
                     text(kernel.quantities.utilisation[dot.level]));
    for (const Roof& roof : analysis.roofs)
        if (roof.kind == Roof::Kind::Compute && roof.precision == dot.precision &&
            roof.device == kernel.group.device)
            html += pointRow(
                roof.measured
                    ? RooflineTooltip::tr("%1 roof, measured").arg(arithmeticText(dot.precision))
                    : RooflineTooltip::tr("%1 roof").arg(arithmeticText(dot.precision)),
                text(FlopsPerSecond{roof.rate}, dot.precision));
    html += pointRow(RooflineTooltip::tr("Total time"), text(totalTime(kernel)));
    html += pointRow(RooflineTooltip::tr("Share of GPU time"), text(kernel.timeShare));
    html += pointRow(RooflineTooltip::tr("Verdict"), verdictText(kernel.verdict));
    return html + QStringLiteral("</table>");
}

QString arrowTooltip(const Analysis& analysis, const ReportBaseline& baseline,
                     const plot::PlacedArrow& arrow) {
    if (arrow.change >= baseline.comparison.kernels.size()) return {};
    const KernelComparison& change = baseline.comparison.kernels[arrow.change];
    const compare_words::View view{baseline.comparison, *baseline.analysis, analysis,
                                   shownLanguage()};
    const QString name = shownText(view.to(change).name);
    const QString before = shownText(view.from(change).name);
    const auto words = [](const std::string& text) { return shownText(text); };
    QString html =
        QStringLiteral("<p style='white-space:pre'><b>%1</b></p><table>").arg(name.toHtmlEscaped());
    if (before != name) html += pointRow(RooflineTooltip::tr("Compared with"), before);
    html += pointRow(RooflineTooltip::tr("Duration"),
                     words(compare_words::outcome(change.duration, view.language)));
    html += pointRow(
        RooflineTooltip::tr("Before"),
        words(compare_words::side(change.duration.from, change.duration.fromBand, view.language)));
    html += pointRow(
        RooflineTooltip::tr("Now"),
        words(compare_words::side(change.duration.to, change.duration.toBand, view.language)));
    html += pointRow(RooflineTooltip::tr("Verdict"), words(compare_words::verdicts(view, change)));
    html += QStringLiteral("</table>");
    if (const std::string why = compare_words::cause(change.cause, view.language); !why.empty())
        html += QStringLiteral("<p>%1</p>").arg(words(why).toHtmlEscaped());
    return html;
}

}  // namespace roofscope::gui
