// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_column.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/language/term_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct ColumnText {
    Q_DECLARE_TR_FUNCTIONS(KernelColumn)
};

template <class T>
std::optional<double> numberOf(const Derived<T>& value) {
    return value.has() ? std::optional(value->value) : std::nullopt;
}
template <class T>
std::optional<double> numberOf(const std::optional<T>& value) {
    return value ? std::optional(value->value) : std::nullopt;
}

/// "label: value — how". `how` says how the value was obtained.
QString tipLine(const QString& label, const QString& value, const QString& how) {
    return how.isEmpty() ? ColumnText::tr("%1: %2").arg(label, value)
                         : ColumnText::tr("%1: %2 — %3").arg(label, value, how);
}

/// One line for each quantity of a column.
QString linesOf(const TermQuantities& word, const Quantities& q) {
    QStringList lines;
    for (const auto* list : {&word.shown, &word.beside})
        for (const ShownQuantity& one : *list)
            lines << tipLine(one.label(), one.text(q), one.how(q));
    if (word.share)
        lines << tipLine(ColumnText::tr("Share of the theoretical roof"), word.share->text(q),
                         word.share->how(q));
    return lines.join(QLatin1Char('\n'));
}

/// Fills in a column of quantities: value, unit, formula and reason if missing come from the
/// catalogue.
template <const TermQuantities& (*word)()>
ColumnRow ofCatalogue(ColumnRow row) {
    row.text = [](const KernelAnalysis& k) { return word().of(k.quantities).text(k.quantities); };
    row.number = [](const KernelAnalysis& k) { return word().value(k.quantities); };
    row.share = [](const KernelAnalysis& k) { return word().shareOf(k.quantities); };
    if (!row.tip) row.tip = [](const KernelAnalysis& k) { return linesOf(word(), k.quantities); };
    return row;
}

QString nameTip(const KernelAnalysis& kernel) {
    QString tip = shownText(kernel.fullName) + QLatin1Char('\n') + launchShapeText(kernel.group);
    if (!kernel.range.empty())
        tip += QLatin1Char('\n') + ColumnText::tr("NVTX range: %1").arg(shownText(kernel.range));
    return tip;
}

QString timeTip(const KernelAnalysis& kernel) {
    const DurationStats& duration = kernel.quantities.duration;
    if (duration.count == 0) return ColumnText::tr("No duration was measured");
    return ColumnText::tr("%1 per launch (median of %2, %3 to %4), %5")
        .arg(text(duration.median), text(double(duration.count)), text(duration.min),
             text(duration.max), shownText(durationSourceWords(duration.source, shownLanguage())));
}

QString coalescingTip(const KernelAnalysis& kernel) {
    return linesOf(coalescing(), kernel.quantities) + QLatin1Char('\n') +
           ColumnText::tr(
               "Bytes requested per byte moved; the lower value is shown. A low value is not a "
               "problem if all threads of a warp read the same address.");
}

QString intensityText(const KernelAnalysis& kernel) {
    const auto point = dramPoint(kernel);
    return point ? text(point->intensity, point->precision) : missingText();
}

double launchesOf(const KernelAnalysis& kernel) { return double(kernel.group.launches.size()); }

std::optional<Seconds> medianTime(const KernelAnalysis& kernel) {
    const DurationStats& duration = kernel.quantities.duration;
    return duration.count > 0 ? std::optional(duration.median) : std::nullopt;
}

double threadsOf(const LaunchGroup& group) {
    const auto product = [](const Dim3& extents) {
        return double(extents.x) * double(extents.y) * double(extents.z);
    };
    return product(group.grid) * product(group.block);
}

QString shapesText(const KernelGroup& group) {
    return group.kernels.size() < 2
               ? QString()
               : ColumnText::tr("%1 rows").arg(text(double(group.kernels.size())));
}

std::optional<double> registersOf(const KernelAnalysis& kernel) {
    return kernel.registersPerThread ? std::optional(double(*kernel.registersPerThread))
                                     : std::nullopt;
}

QString groupText(const KernelGroup& group) {
    return QStringLiteral("%1  (%2)").arg(groupName(group), text(double(group.kernels.size())));
}

std::array<ColumnRow, kKernelColumns> makeRows() {
    return {
        ColumnRow{
            .column = KernelColumn::Name,
            .heading = QT_TRANSLATE_NOOP("KernelColumn", "Kernel"),
            .meaning = QT_TRANSLATE_NOOP(
                "KernelColumn", "Kernels with one name, launch shape and NVTX range are one row"),
            .isText = true,
            .letters = 24,
            .text = [](const KernelAnalysis& k) { return shownText(k.wholeName); },
            .tip = nameTip,
            .group = {.text = groupText, .tip = groupName}},
        {.column = KernelColumn::TotalTime,
         .words = {"time"},
         .operand = Operand::Time,
         .example = "time > 100us",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Time"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "Sum over all launches"),
         .letters = 10,
         .text = [](const KernelAnalysis& k) { return text(totalTime(k)); },
         .number = [](const KernelAnalysis& k) { return numberOf(totalTime(k)); },
         .tip = timeTip,
         .group = {.text = [](const KernelGroup& g) { return text(g.total); },
                   .number = [](const KernelGroup& g) { return numberOf(g.total); },
                   .tip = [](const KernelGroup& g) { return howText(g.total); }}},
        {.column = KernelColumn::Change,
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Change"),
         .meaning = QT_TRANSLATE_NOOP(
             "KernelColumn", "Duration per launch compared with the baseline; grey: within noise"),
         .letters = 9,
         .filledByComparison = true},
        {.column = KernelColumn::Share,
         .words = {"share"},
         .operand = Operand::Share,
         .example = "share > 60%",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Share"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "Share of all measured GPU time"),
         .letters = 10,
         .text = [](const KernelAnalysis& k) { return text(k.timeShare); },
         .number = [](const KernelAnalysis& k) { return numberOf(k.timeShare); },
         .share = [](const KernelAnalysis& k) { return numberOf(k.timeShare); },
         .tip =
             [](const KernelAnalysis& k) {
                 return tipLine(ColumnText::tr("Share of all measured GPU time"), text(k.timeShare),
                                howText(k.timeShare));
             },
         .group = {.text = [](const KernelGroup& g) { return text(g.timeShare); },
                   .number = [](const KernelGroup& g) { return numberOf(g.timeShare); },
                   .share = [](const KernelGroup& g) { return numberOf(g.timeShare); },
                   .tip = [](const KernelGroup& g) { return howText(g.timeShare); }}},
        {.column = KernelColumn::Verdict,
         .words = {"verdict"},
         .operand = Operand::Verdict,
         .example = "verdict = memory-bound",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Verdict"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn",
                                      "What limits the kernel; the tooltip of a cell says why"),
         .isText = true,
         .letters = 24,
         .text = [](const KernelAnalysis& k) { return verdictText(k.verdict); },
         .tip =
             [](const KernelAnalysis& k) { return shownText(verdictReason(k, shownLanguage())); }},
        {.column = KernelColumn::Median,
         .words = {"median"},
         .operand = Operand::Time,
         .example = "median > 10us",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Median"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "Median duration of a launch"),
         .letters = 9,
         .text = [](const KernelAnalysis& k) { return text(medianTime(k)); },
         .number = [](const KernelAnalysis& k) { return numberOf(medianTime(k)); },
         .tip = timeTip},
        {.column = KernelColumn::Shape,
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Grid · block"),
         .meaning = QT_TRANSLATE_NOOP(
             "KernelColumn", "Blocks of the grid and threads of a block; sorted by all threads"),
         .letters = 16,
         .text = [](const KernelAnalysis& k) { return shapeText(k.group); },
         .number = [](const KernelAnalysis& k) { return std::optional(threadsOf(k.group)); },
         .tip = [](const KernelAnalysis& k) { return launchShapeText(k.group); },
         .group = {.text = shapesText,
                   .number =
                       [](const KernelGroup& g) {
                           return std::optional(double(g.kernels.size()));
                       }}},
        {.column = KernelColumn::Registers,
         .words = {"registers"},
         .operand = Operand::Number,
         .example = "registers > 128",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Registers"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "Registers per thread, as compiled"),
         .letters = 7,
         .text = [](const KernelAnalysis& k) { return text(registersOf(k)); },
         .number = registersOf,
         .tip =
             [](const KernelAnalysis&) {
                 return ColumnText::tr("Registers per thread, as compiled");
             }},
        ofCatalogue<dramBandwidth>(
            {.column = KernelColumn::DramBandwidth,
             .words = {"bw", "bandwidth", "dram"},
             .operand = Operand::Bandwidth,
             .example = "bw > 60%",
             .heading = QT_TRANSLATE_NOOP("KernelColumn", "DRAM"),
             .meaning = QT_TRANSLATE_NOOP(
                 "KernelColumn",
                 "Achieved DRAM bandwidth; the bar is its share of the theoretical roof"),
             .letters = 12}),
        ofCatalogue<bankConflicts>(
            {.column = KernelColumn::Conflict,
             .words = {"conflict", "conflicts"},
             .operand = Operand::Share,
             .example = "conflict > 10%",
             .heading = QT_TRANSLATE_NOOP("KernelColumn", "Conflict"),
             .meaning = QT_TRANSLATE_NOOP("KernelColumn",
                                          "Shared-memory wavefronts that are certainly excess"),
             .letters = 8}),
        ofCatalogue<coalescing>(
            {.column = KernelColumn::Coalescing,
             .words = {"coalescing"},
             .operand = Operand::Share,
             .example = "coalescing < 50%",
             .heading = QT_TRANSLATE_NOOP("KernelColumn", "Coalescing"),
             .meaning = QT_TRANSLATE_NOOP(
                 "KernelColumn",
                 "Bytes requested per byte moved, for global loads or stores: the lower value"),
             .letters = 8,
             .tip = coalescingTip}),
        ofCatalogue<occupancy>(
            {.column = KernelColumn::Occupancy,
             .words = {"occupancy"},
             .operand = Operand::Share,
             .example = "occupancy < 50%",
             .heading = QT_TRANSLATE_NOOP("KernelColumn", "Occupancy"),
             .meaning = QT_TRANSLATE_NOOP(
                 "KernelColumn", "Achieved occupancy: resident warps, as a share of the maximum"),
             .letters = 8}),
        {.column = KernelColumn::Intensity,
         .words = {"intensity"},
         .operand = Operand::Number,
         .example = "intensity < 2",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Intensity"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "Operations per byte moved to and from DRAM"),
         .letters = 14,
         .text = intensityText,
         .number = [](const KernelAnalysis& k) { return numberOf(dramIntensity(k)); },
         .tip =
             [](const KernelAnalysis&) {
                 return ColumnText::tr(
                     "Operations per byte moved to and from DRAM, in the precision with the most "
                     "operations");
             }},
        {.column = KernelColumn::Launches,
         .words = {"launches"},
         .operand = Operand::Number,
         .example = "launches > 10",
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Launches"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn", "How often it was launched"),
         .letters = 6,
         .text = [](const KernelAnalysis& k) { return text(launchesOf(k)); },
         .number = [](const KernelAnalysis& k) { return std::optional(launchesOf(k)); },
         .tip =
             [](const KernelAnalysis&) {
                 return ColumnText::tr(
                     "Launches with this kernel, device, launch shape and NVTX range");
             },
         .group = {.text = [](const KernelGroup& g) { return text(double(g.launches)); },
                   .number =
                       [](const KernelGroup& g) { return std::optional(double(g.launches)); }}},
        {.column = KernelColumn::Moved,
         .heading = QT_TRANSLATE_NOOP("KernelColumn", "Changed counters"),
         .meaning = QT_TRANSLATE_NOOP("KernelColumn",
                                      "Counters that changed beyond noise since the baseline"),
         .isText = true,
         .letters = 40,
         .filledByComparison = true},
    };
}

}  // namespace

const std::array<ColumnRow, kKernelColumns>& kernelColumns() {
    static const auto kRows = makeRows();
    return kRows;
}

QString groupName(const KernelGroup& group) {
    return group.label.empty() ? ColumnText::tr("(no NVTX range)")
                               : shownText(group.label.in(shownLanguage()));
}

const ColumnRow* columnByFieldName(const QString& word) {
    for (const ColumnRow& row : kernelColumns())
        for (const std::string_view known : row.words)
            if (!known.empty() && word.compare(QLatin1String(known.data(), qsizetype(known.size())),
                                               Qt::CaseInsensitive) == 0)
                return &row;
    return nullptr;
}

}  // namespace roofscope::gui
