// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/operator_grid.h"

#include <QGridLayout>

#include "gui/models/text/plain_tip.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {

QGridLayout* operatorGrid(const OperatorList& operators) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(0);
    for (int column = 0; column < operators.headings.size(); ++column) {
        const bool number = operators.numbers[std::size_t(column)];
        const Qt::Alignment side = (number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
        QLabel* heading = wordLabel(operators.headings[column], side);
        heading->setObjectName(QStringLiteral("hint"));
        grid->addWidget(heading, 0, column);
        if (!number) grid->setColumnStretch(column, 1);
        int row = 0;
        for (const QStringList& cells : operators.rows) {
            QWidget* cell = nullptr;
            if (number) {
                cell = wordLabel(cells[column], side);
            } else {
                auto* name = new ElidedLabel("");
                name->setText(cells[column]);
                name->setToolTip(plainTip(cells[column]));
                cell = name;
            }
            grid->addWidget(cell, ++row, column);
        }
    }
    return grid;
}

}  // namespace roofscope::gui
