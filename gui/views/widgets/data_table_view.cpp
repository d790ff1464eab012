// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/data_table_view.h"

#include <QHeaderView>
#include <QPainter>

#include "gui/views/widgets/data_view_setup.h"

namespace roofscope::gui {

DataTableView::DataTableView(QWidget* parent) : QTableView(parent) {
    setShowGrid(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(textRowHeight(*this));
    setUpDataView(*this, *horizontalHeader());
}

void DataTableView::setColumnLetters(std::span<const int> letters) {
    for (int column = 0; column < static_cast<int>(letters.size()); ++column) {
        const QString name = model()->headerData(column, Qt::Horizontal).toString();
        setColumnWidth(column, gui::columnWidth(*this, name, letters[size_t(column)]));
    }
}

QString DataTableView::selectedText() const { return selectedRowsText(*this); }

QString DataTableView::emptyText() const {
    return model() && model()->rowCount() == 0 ? m_emptyText : QString();
}

void DataTableView::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    const QString text = emptyText();
    if (text.isEmpty()) return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, text);
}

}  // namespace roofscope::gui
