// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/account_legend.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {

QLabel* classSwatch(TimeClass cls, plot::Theme theme, const QWidget& font) {
    auto* swatch = new QLabel;
    const int size = font.fontMetrics().height() * 2 / 3;
    QPixmap colour(size, size);
    colour.fill(roleColour(roleOf(cls), theme));
    swatch->setPixmap(colour);
    return swatch;
}

QLabel* className(const QString& name, const QWidget& font) {
    const int most = 46 * font.fontMetrics().averageCharWidth();
    QLabel* label = plainLabel(name);
    label->setMinimumWidth(std::min(most, label->fontMetrics().horizontalAdvance(name) + 2));
    return label;
}

QGridLayout* accountLegend(const Overview::Account& account, plot::Theme theme,
                           const QWidget& font) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(4, 1);  // keep numbers beside their names in a wide window
    int row = 0;
    for (const Overview::Share& share : account.shares) {
        grid->addWidget(classSwatch(share.cls, theme, font), row, 0);
        grid->addWidget(className(share.name, font), row, 1);
        int at = 2;
        for (const QString& number : {share.percent, share.time})
            grid->addWidget(wordLabel(number, Qt::AlignRight | Qt::AlignVCenter), row, at++);
        ++row;
    }
    return grid;
}

}  // namespace roofscope::gui
