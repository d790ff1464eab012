// SPDX-License-Identifier: Apache-2.0
#include "gui/views/data_table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <algorithm>

namespace roofscope::gui {

DataTableView::DataTableView(QWidget* parent) : QTableView(parent) {
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
}

void DataTableView::setColumnLetters(std::span<const int> letters) {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics header(bold);
    const int letter = fontMetrics().averageCharWidth(), margins = 16, arrow = 14;
    for (int column = 0; column < static_cast<int>(letters.size()); ++column) {
        const QString name = model()->headerData(column, Qt::Horizontal).toString();
        setColumnWidth(column, std::max(header.horizontalAdvance(name) + margins + arrow,
                                        letter * letters[size_t(column)] + margins));
    }
}

QString DataTableView::selectedText() const {
    if (!model() || !selectionModel()) return {};
    QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty()) return {};
    std::sort(rows.begin(), rows.end());
    const int columns = model()->columnCount();
    QStringList lines, cells;
    for (int column = 0; column < columns; ++column)
        cells << model()->headerData(column, Qt::Horizontal).toString();
    lines << cells.join(QLatin1Char('\t'));
    for (const QModelIndex& row : std::as_const(rows)) {
        cells.clear();
        for (int column = 0; column < columns; ++column)
            cells << row.siblingAtColumn(column).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void DataTableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        if (const QString text = selectedText(); !text.isEmpty())
            QApplication::clipboard()->setText(text);
        event->accept();
        return;
    }
    QTableView::keyPressEvent(event);
}

}  // namespace roofscope::gui
