// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_filter_model.h"

#include "gui/models/missing_last.h"

namespace roofscope::gui {

KernelFilterModel::KernelFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(KernelTableModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void KernelFilterModel::setFilterText(const QString& line) {
    Result<KernelFilter> parsed = KernelFilter::parse(line);
    if (parsed) {
        m_error.clear();
        m_filter = *std::move(parsed);
        invalidateFilter();
    } else {
        m_error = QString::fromStdString(parsed.error().message());
    }
    Q_EMIT filterChanged();
}

std::vector<std::size_t> KernelFilterModel::visibleKernels() const {
    std::vector<std::size_t> kernels;
    kernels.reserve(static_cast<std::size_t>(rowCount()));
    for (int row = 0; row < rowCount(); ++row)
        kernels.push_back(
            index(row, 0).data(KernelTableModel::KernelIndexRole).value<std::size_t>());
    return kernels;
}

QModelIndex KernelFilterModel::indexOfKernel(std::size_t kernel) const {
    if (!sourceModel() || kernel >= static_cast<std::size_t>(sourceModel()->rowCount())) return {};
    return mapFromSource(sourceModel()->index(static_cast<int>(kernel), 0));
}

bool KernelFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
    const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
    return !table || m_filter.matches(table->kernel(row));
}

bool KernelFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (const auto decided =
            missingLast(left.data(sortRole()), right.data(sortRole()), sortOrder()))
        return *decided;
    return QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace roofscope::gui
