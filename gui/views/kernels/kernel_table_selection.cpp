// SPDX-License-Identifier: Apache-2.0
// The table's selection, and what of it is in sight.
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/widgets/data_tree_view.h"

namespace roofscope::gui {

void KernelTableView::setExpanded(bool expanded) {
    const QSignalBlocker quiet(m_fold);
    m_fold->setChecked(!expanded);
    m_fold->setText(expanded ? QStringLiteral("▾") : QStringLiteral("▸"));
    // The current row, or its group, stays where it is on screen; if it is out of sight, the row at
    // the top.
    const auto groupOf = [](const QModelIndex& row) {
        return row.parent().isValid() ? row.parent() : row;
    };
    const auto isSeen = [this](const QModelIndex& row) {
        return m_table->visualRect(row).intersects(m_table->viewport()->rect());
    };
    QModelIndex kept = m_table->currentIndex();
    if (!isSeen(kept)) kept = groupOf(kept);
    if (!isSeen(kept)) kept = m_table->indexAt({0, 0});
    const int before = m_table->visualRect(kept).top();
    expanded ? m_table->expandAll() : m_table->collapseAll();
    const QModelIndex shown = expanded ? kept : groupOf(kept);
    if (!shown.isValid()) return;
    QScrollBar& bar = *m_table->verticalScrollBar();
    bar.setValue(bar.value() + m_table->visualRect(shown).top() - before);
    // An expanded group may push its current kernel out of sight.
    const QModelIndex current = m_table->currentIndex();
    if (expanded && kept == current.parent()) m_table->scrollTo(current);
}

void KernelTableView::select(const KernelSelection& wanted) {
    if (wanted == selection()) return;
    mark(wanted);
    if (!wanted.current) return;
    // Also opens its group.
    if (const QModelIndex current = m_filter.indexOfKernel(*wanted.current); current.isValid())
        m_table->scrollTo(current);
}

/// Selects rows without scrolling to them.
void KernelTableView::mark(const KernelSelection& wanted) {
    const QScopedValueRollback quiet(m_quiet, true);
    QModelIndexList indices;
    for (const std::size_t kernel : wanted.all)
        if (const QModelIndex index = m_filter.indexOfKernel(kernel); index.isValid())
            indices << index;
    // Merge consecutive rows into ranges: thousands of ranges would be slow.
    std::sort(indices.begin(), indices.end());
    QItemSelection rows;
    for (const QModelIndex& index : std::as_const(indices)) {
        if (!rows.isEmpty() && rows.last().parent() == index.parent() &&
            rows.last().bottom() + 1 == index.row())
            rows.last() = QItemSelectionRange(rows.last().topLeft(), index);
        else
            rows.append(QItemSelectionRange(index));
    }
    const QModelIndex current =
        wanted.current ? m_filter.indexOfKernel(*wanted.current) : QModelIndex();
    QItemSelectionModel* selected = m_table->selectionModel();
    selected->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!current.isValid()) return;
    // Scrolling would open its group.
    m_table->setAutoScroll(false);
    selected->setCurrentIndex(current, QItemSelectionModel::NoUpdate);
    m_table->setAutoScroll(true);
}

void KernelTableView::showTogether(const KernelSelection& kernels) {
    if (kernels.all.empty() || !m_model.analysis()) return;
    const auto& all = m_model.analysis()->kernels;
    const std::size_t shown = kernels.current.value_or(kernels.all.front());
    const auto isShape = [&](std::size_t k) { return all[k].fullName == all[shown].fullName; };
    const auto shapes = std::ranges::count(all, all[shown].fullName, &KernelAnalysis::fullName);
    if (shapes > 1 && std::ranges::all_of(kernels.all, isShape)) {
        setGrouping(KernelGrouping::Name);
        m_table->sortByColumn(int(KernelColumn::TotalTime), Qt::DescendingOrder);
    }
    mark(kernels);
    const QModelIndex current = m_filter.indexOfKernel(shown);
    if (!current.isValid()) return;
    m_table->scrollTo(current);
    if (current.parent().isValid())
        m_table->scrollTo(current.parent(), QAbstractItemView::PositionAtTop);
}

KernelSelection KernelTableView::selection() const {
    KernelSelection chosen;
    const QItemSelectionModel* selected = m_table->selectionModel();
    const QModelIndex current = selected->currentIndex().siblingAtColumn(0);
    const QModelIndexList rows = selected->selectedRows();
    for (const QModelIndex& row : rows) {
        const auto kernels = m_filter.kernelsOf(row);
        if (!kernels.empty() && (!chosen.current || row == current))
            chosen.current = kernels.front();
        chosen.all.insert(chosen.all.end(), kernels.begin(), kernels.end());
    }
    std::ranges::sort(chosen.all);
    chosen.all.erase(std::unique(chosen.all.begin(), chosen.all.end()), chosen.all.end());
    return chosen;
}

void KernelTableView::moveSelection(int step) {
    const std::vector<std::size_t> kernels = m_filter.visibleKernels();
    if (kernels.empty()) return;
    const auto current = selection().current;
    const auto at = current ? std::ranges::find(kernels, *current) : kernels.end();
    const auto last = static_cast<std::ptrdiff_t>(kernels.size()) - 1;
    const std::ptrdiff_t row =
        at == kernels.end() ? (step > 0 ? 0 : last)
                            : std::clamp<std::ptrdiff_t>(at - kernels.begin() + step, 0, last);
    const QModelIndex index = m_filter.indexOfKernel(kernels[static_cast<std::size_t>(row)]);
    m_table->selectionModel()->setCurrentIndex(
        index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

}  // namespace roofscope::gui
