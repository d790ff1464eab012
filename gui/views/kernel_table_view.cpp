// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernel_table_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStyle>
#include <QVBoxLayout>

#include "gui/views/data_table_view.h"
#include "gui/views/share_bar_delegate.h"

namespace roofscope::gui {

KernelTableView::KernelTableView(QWidget* parent) : QWidget(parent) {
    m_filter.setSourceModel(&m_model);

    m_line = new QLineEdit;
    m_line->setPlaceholderText(tr("Filter: name, bw > 60%, conflict > 0.1"));
    m_line->setClearButtonEnabled(true);
    m_line->setAccessibleName(tr("Kernel filter"));
    m_line->setToolTip(tr("Words are searched in name and NVTX range; comparisons must all hold.\n"
                          "Fields: %1\n"
                          "bw > 60%   bw > 2TB/s   conflict > 0.1   occupancy < 50%\n"
                          "time > 100us   verdict = memory-bound")
                           .arg(KernelFilter::fieldNames().join(QStringLiteral(", "))));
    m_message = new QLabel;
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->hide();

    m_table = new DataTableView;
    m_table->setAccessibleName(tr("Kernels"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(&m_filter);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setItemDelegate(new ShareBarDelegate(m_table));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(int(KernelColumn::TotalTime), Qt::DescendingOrder);
    const int letters[kKernelColumns] = {33, 6, 9, 8, 24, 11, 14, 8, 8, 8};
    m_table->setColumnLetters(letters);

    auto* top = new QVBoxLayout;
    top->setContentsMargins(8, 8, 8, 6);
    top->setSpacing(4);
    top->addWidget(m_line);
    top->addWidget(m_message);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_table, 1);

    connect(m_line, &QLineEdit::textChanged, this, [this](const QString& line) {
        // When the selected row is filtered out, Qt selects its neighbour: nobody chose that.
        const QScopedValueRollback quiet(m_quiet, true);
        m_filter.setFilterText(line);
    });
    connect(&m_filter, &KernelFilterModel::filterChanged, this, [this] {
        showFilterState();
        Q_EMIT filterChanged();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_quiet) return;
        if (const auto kernel = selectedKernel()) Q_EMIT kernelSelected(*kernel);
    });
}

void KernelTableView::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    m_model.setAnalysis(std::move(analysis));
    showFilterState();
}

void KernelTableView::selectKernel(std::optional<std::size_t> kernel) {
    if (kernel == selectedKernel()) return;
    const QScopedValueRollback quiet(m_quiet, true);
    const QModelIndex index = kernel ? m_filter.indexOfKernel(*kernel) : QModelIndex();
    if (index.isValid()) {
        m_table->selectionModel()->setCurrentIndex(
            index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_table->scrollTo(index);
    } else {
        m_table->selectionModel()->clearSelection();
    }
}

std::optional<std::size_t> KernelTableView::selectedKernel() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty()) return std::nullopt;
    return rows.front().data(KernelTableModel::KernelIndexRole).value<std::size_t>();
}

void KernelTableView::moveSelection(int step) {
    const int rows = m_filter.rowCount();
    if (rows == 0) return;
    const QModelIndexList selected = m_table->selectionModel()->selectedRows();
    const int row = selected.isEmpty() ? (step > 0 ? 0 : rows - 1)
                                       : std::clamp(selected.front().row() + step, 0, rows - 1);
    m_table->selectionModel()->setCurrentIndex(
        m_filter.index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void KernelTableView::setFilterText(const QString& line) { m_line->setText(line); }

void KernelTableView::focusFilter() {
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

QByteArray KernelTableView::saveState() const { return m_table->horizontalHeader()->saveState(); }

void KernelTableView::restoreState(const QByteArray& state) {
    m_table->horizontalHeader()->restoreState(state);
}

void KernelTableView::showFilterState() {
    const bool wrong = !m_filter.errorText().isEmpty();
    m_line->setProperty("wrong", wrong);
    m_message->setObjectName(wrong ? QStringLiteral("errorText") : QStringLiteral("hint"));
    for (QWidget* widget : {static_cast<QWidget*>(m_line), static_cast<QWidget*>(m_message)}) {
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
    if (wrong) {
        m_message->setText(m_filter.errorText());
    } else if (m_filter.filtering()) {
        m_message->setText(tr("%1 of %2 kernels").arg(m_filter.rowCount()).arg(m_model.rowCount()));
    }
    m_message->setVisible(wrong || m_filter.filtering());
}

}  // namespace roofscope::gui
