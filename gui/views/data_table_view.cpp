// SPDX-License-Identifier: Apache-2.0
#include "gui/views/data_table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "gui/views/table_text.h"

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
    verticalHeader()->setDefaultSectionSize(textRowHeight(*this));
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
    followFont(*this, *horizontalHeader());
}

void DataTableView::setColumnLetters(std::span<const int> letters) {
    for (int column = 0; column < static_cast<int>(letters.size()); ++column) {
        const QString name = model()->headerData(column, Qt::Horizontal).toString();
        setColumnWidth(column, gui::columnWidth(*this, name, letters[size_t(column)]));
    }
}

QString DataTableView::selectedText() const { return selectedRowsText(*this); }

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
