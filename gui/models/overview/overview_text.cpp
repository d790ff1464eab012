// SPDX-License-Identifier: Apache-2.0
#include "gui/models/overview/overview_text.h"

#include <QCoreApplication>
#include <algorithm>

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct OverviewTextWords {
    Q_DECLARE_TR_FUNCTIONS(Overview)
};

constexpr std::size_t kMostKernels = 14;

void addLine(QString& text, const QString& line) {
    if (!line.isEmpty()) text += line + QLatin1Char('\n');
}

void addTitle(QString& text, const QString& title) {
    text += QStringLiteral("\n## %1\n").arg(title);
}

void addItem(QString& text, const QStringList& parts) {
    QStringList said = parts;
    said.removeAll(QString());
    addLine(text, QStringLiteral("- ") + said.join(QStringLiteral(", ")));
}

void addAccount(QString& text, const Overview& overview) {
    if (overview.change) {
        for (const AccountChange::Row& row : overview.change->rows)
            addItem(text, {QStringLiteral("%1: %2 → %3").arg(row.name, row.before, row.after),
                           row.change});
        return;
    }
    for (const Overview::Share& share : overview.account.shares)
        addItem(text, {QStringLiteral("%1: %2").arg(share.name, share.percent), share.time});
}

}  // namespace

QString overviewText(const Overview& overview) {
    QString text;
    addLine(text, QStringLiteral("# ") + overview.window);
    addLine(text, overview.since);
    addLine(text, overview.stop);
    addTitle(text, OverviewTextWords::tr("Where the time goes"));
    addAccount(text, overview);
    for (const QString& note : overview.notes) addLine(text, note);
    for (const QString& unknown : overview.unknown) addLine(text, unknown);
    if (!overview.functions.empty()) addTitle(text, OverviewTextWords::tr("Kernels"));
    const std::size_t shown = std::min(kMostKernels, overview.functions.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ShownFunction& kernel = overview.functions[i];
        addItem(text, {QStringLiteral("`%1`: %2").arg(kernel.name, kernel.share), kernel.time,
                       kernel.launches, kernel.shapes, kernel.verdict});
    }
    if (!overview.actions.empty()) addTitle(text, OverviewTextWords::tr("What to do first"));
    for (std::size_t i = 0; i < overview.actions.size(); ++i)
        text += QStringLiteral("%1. %2").arg(i + 1).arg(overview.actions[i].text());
    addLine(text, overview.bounds);
    if (!overview.next.isEmpty()) text += QStringLiteral("\n```\n%1\n```\n").arg(overview.next);
    return text;
}

}  // namespace roofscope::gui
