// SPDX-License-Identifier: Apache-2.0
#include "gui/views/table_text.h"

#include <QAbstractItemView>
#include <algorithm>

namespace roofscope::gui {

QString selectedRowsText(const QAbstractItemView& view) {
    const QAbstractItemModel* model = view.model();
    if (!model || !view.selectionModel()) return {};
    QModelIndexList rows = view.selectionModel()->selectedRows();
    if (rows.isEmpty()) return {};
    std::sort(rows.begin(), rows.end());
    const int columns = model->columnCount();
    QStringList lines, cells;
    for (int column = 0; column < columns; ++column)
        cells << model->headerData(column, Qt::Horizontal).toString();
    lines << cells.join(QLatin1Char('\t'));
    for (const QModelIndex& row : std::as_const(rows)) {
        cells.clear();
        for (int column = 0; column < columns; ++column)
            cells << row.siblingAtColumn(column).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

int columnWidth(const QWidget& view, const QString& header, int letters) {
    QFont bold = view.font();
    bold.setWeight(QFont::DemiBold);
    constexpr int kMargins = 16, kArrow = 10;
    return std::max(QFontMetrics(bold).horizontalAdvance(header) + kMargins + kArrow,
                    view.fontMetrics().averageCharWidth() * letters + kMargins);
}

}  // namespace roofscope::gui
