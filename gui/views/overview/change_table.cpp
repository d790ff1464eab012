// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/change_table.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>

#include "gui/views/overview/account_bar.h"
#include "gui/views/overview/account_legend.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct ChangeTableText {
    Q_DECLARE_TR_FUNCTIONS(ChangeTable)
};

QLabel* changeNumber(const QString& text, bool counts) {
    QLabel* label = wordLabel(text, Qt::AlignRight | Qt::AlignVCenter);
    if (counts) return label;
    label->setObjectName(QStringLiteral("hint"));
    QFont slanted = label->font();
    slanted.setItalic(true);
    label->setFont(slanted);
    return label;
}

Overview::Account barOf(const std::vector<AccountChange::Part>& parts,
                        const std::vector<AccountChange::Row>& rows, const QString& name,
                        QString AccountChange::Row::*time) {
    Overview::Account account{
        .name = name, .window = rows.empty() ? QString() : rows.back().*time, .shares = {}};
    for (const AccountChange::Part& part : parts)
        for (const AccountChange::Row& row : rows)
            if (row.cls == part.cls)
                account.shares.push_back({.cls = part.cls,
                                          .name = row.name,
                                          .share = part.share,
                                          .percent = part.percent,
                                          .time = row.*time});
    return account;
}

}  // namespace

QGridLayout* changeTable(const AccountChange& change, plot::Theme theme, const QWidget& font) {
    using Row = AccountChange::Row;
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    const QString before = ChangeTableText::tr("before"), after = ChangeTableText::tr("after");
    int row = 0;
    for (const bool now : {false, true}) {
        grid->addWidget(wordLabel(now ? after : before), row, 0, 1, 2);
        grid->addWidget(
            new AccountBar(now ? barOf(change.after, change.rows, after, &Row::after)
                               : barOf(change.before, change.rows, before, &Row::before),
                           theme),
            row++, 2, 1, 4);
    }
    grid->setColumnStretch(5, 1);  // keep numbers beside their names in a wide window
    int column = 2;
    for (const QString& heading : {before, after, ChangeTableText::tr("change")}) {
        QLabel* label = wordLabel(heading, Qt::AlignRight | Qt::AlignVCenter);
        label->setObjectName(QStringLiteral("hint"));
        grid->addWidget(label, row, column++);
    }
    for (const Row& of : change.rows) {
        ++row;
        if (of.cls) grid->addWidget(classSwatch(*of.cls, theme, font), row, 0);
        grid->addWidget(className(of.name, font), row, 1);
        grid->addWidget(changeNumber(of.before, change.comparable), row, 2);
        grid->addWidget(changeNumber(of.after, change.comparable), row, 3);
        grid->addWidget(changeNumber(of.change, of.moved), row, 4);
    }
    return grid;
}

}  // namespace roofscope::gui
