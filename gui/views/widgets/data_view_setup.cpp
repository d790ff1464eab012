// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/data_view_setup.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTableView>
#include <algorithm>
#include <utility>

namespace roofscope::gui {
namespace {

class ViewHelper : public QObject {
public:
    ViewHelper(QAbstractItemView& view, QHeaderView& header)
        : QObject(&view), m_view(view), m_header(header) {
        view.installEventFilter(this);
    }

    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::FontChange) followFont();
        const bool copies = event->type() == QEvent::KeyPress &&
                            static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy);
        const QString rows = copies ? selectedRowsText(m_view) : QString();
        if (!rows.isEmpty()) QApplication::clipboard()->setText(rows);
        return copies;
    }

private:
    void followFont() {
        const int before = std::exchange(m_letter, m_view.fontMetrics().averageCharWidth());
        if (before == m_letter || before <= 0) return;
        for (int column = 0; column < m_header.count(); ++column) {
            const bool hidden = m_header.isSectionHidden(column);
            if (hidden) m_header.showSection(column);  // a hidden section does not report its width
            m_header.resizeSection(column, m_header.sectionSize(column) * m_letter / before);
            if (hidden) m_header.hideSection(column);
        }
        if (auto* table = qobject_cast<QTableView*>(&m_view)) {
            // The old minimum height, from the old font, would still apply.
            table->verticalHeader()->setMinimumSectionSize(1);
            table->verticalHeader()->setDefaultSectionSize(textRowHeight(*table));
        }
    }

    QAbstractItemView& m_view;
    QHeaderView& m_header;
    int m_letter = m_view.fontMetrics().averageCharWidth();
};

}  // namespace

int textRowHeight(const QWidget& table) { return table.fontMetrics().height() + 9; }

void setUpDataView(QAbstractItemView& view, QHeaderView& header) {
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setAlternatingRowColors(true);
    view.setTabKeyNavigation(false);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    header.setHighlightSections(false);
    header.setSectionsMovable(true);
    new ViewHelper(view, header);
}

QString selectedRowsText(const QAbstractItemView& view) {
    const QAbstractItemModel* model = view.model();
    if (!model || !view.selectionModel()) return {};
    QModelIndexList rows = view.selectionModel()->selectedRows();
    if (rows.isEmpty()) return {};
    std::sort(rows.begin(), rows.end());
    QList<QStringList> lines(rows.size() + 1);
    for (int column = 0; column < model->columnCount(); ++column) {
        QStringList cells;
        bool isEmpty = true;
        for (const QModelIndex& row : std::as_const(rows)) {
            const QModelIndex cell = row.siblingAtColumn(column);
            // The displayed text may leave out what the group's name says. Copy the full text
            // (EditRole).
            const QVariant whole = cell.data(Qt::EditRole);
            cells << (whole.isValid() ? whole : cell.data()).toString();
            isEmpty = isEmpty && cells.back().isEmpty();
        }
        if (isEmpty) continue;  // without a baseline: the change
        lines.front() << model->headerData(column, Qt::Horizontal).toString();
        for (qsizetype i = 0; i < rows.size(); ++i) lines[i + 1] << cells[i];
    }
    QString text;
    for (const QStringList& line : std::as_const(lines))
        text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
    return text;
}

int columnWidth(const QWidget& view, const QString& header, int letters) {
    QFont bold = view.font();
    bold.setWeight(QFont::DemiBold);
    constexpr int kMargins = 16, kArrow = 10;
    return std::max(QFontMetrics(bold).horizontalAdvance(header) + kMargins + kArrow,
                    view.fontMetrics().averageCharWidth() * letters + kMargins);
}

}  // namespace roofscope::gui
