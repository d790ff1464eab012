// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_facts.h"

#include <QCoreApplication>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "reports/language/term_words.h"
#include "reports/verdict/verdict_words.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct KernelFacts {
    Q_DECLARE_TR_FUNCTIONS(KernelFacts)
};

}  // namespace

std::optional<RooflinePoint> dramPoint(const KernelAnalysis& kernel) {
    for (const RooflinePoint& point : kernel.points) {
        if (point.level == Level::Dram) return point;
    }
    return std::nullopt;
}

std::optional<FlopsPerByte> dramIntensity(const KernelAnalysis& kernel) {
    const auto point = dramPoint(kernel);
    return point ? std::optional(point->intensity) : std::nullopt;
}

std::optional<Seconds> totalTime(const KernelAnalysis& kernel) {
    const DurationStats& duration = kernel.quantities.duration;
    return duration.count > 0 ? std::optional(duration.total) : std::nullopt;
}

QString verdictText(const Verdict& verdict) {
    return QString::fromStdString(verdictWords(verdict, shownLanguage()));
}

QString arithmeticText(const Arithmetic& arithmetic) {
    return QString::fromStdString(arithmeticWords(arithmetic, shownLanguage()));
}

QString levelText(Level level) {
    return level == Level::Shared ? KernelFacts::tr("shared") : QString::fromUtf8(toString(level));
}

QString launchShapeText(const LaunchGroup& group) {
    return KernelFacts::tr("%1 blocks of %2 threads").arg(text(group.grid), text(group.block));
}

QString shapeText(const LaunchGroup& group) {
    return QStringLiteral("%1 · %2").arg(text(group.grid), text(group.block));
}

QString shapeAndRangeText(const KernelAnalysis& kernel) {
    const QString shape = shapeText(kernel.group);
    return kernel.range.empty() ? shape : shape + QStringLiteral(" · ") + shownText(kernel.range);
}

}  // namespace roofscope::gui
