// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_filter_model.h"

#include <algorithm>
#include <utility>

namespace roofscope::gui {

KernelFilterModel::KernelFilterModel(QObject* parent) : CellSortModel(parent) {
    setRecursiveFilteringEnabled(true);
}

void KernelFilterModel::setFilterText(const QString& line) {
    Result<KernelFilter> parsed = KernelFilter::parse(line);
    if (const QString word = parsed ? unfinished(line, *parsed) : QString(); !word.isEmpty()) {
        m_error = tr("\"%1\": complete the comparison, for example bw > 60%").arg(word);
    } else if (parsed) {
        m_error.clear();
        m_filter = *std::move(parsed);
        invalidateFilter();
    } else {
        m_error = QString::fromStdString(parsed.error().message());
    }
    Q_EMIT filterChanged();
}

void KernelFilterModel::setOnly(const std::optional<std::vector<std::size_t>>& kernels) {
    std::optional<std::vector<bool>> only;
    if (kernels) {
        only.emplace();
        for (const std::size_t kernel : *kernels) {
            if (kernel >= only->size()) only->resize(kernel + 1);
            (*only)[kernel] = true;
        }
    }
    if (std::exchange(m_only, only) == only) return;
    invalidateFilter();
    Q_EMIT filterChanged();
}

QString KernelFilterModel::unfinished(const QString& line, const KernelFilter& filter) const {
    const QString typed = line.trimmed();
    const QString word = typed.mid(typed.lastIndexOf(QLatin1Char(' ')) + 1);
    const QStringList fields = KernelFilter::fieldNames();
    const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
    const bool begins = !word.isEmpty() && std::ranges::any_of(fields, [&](const QString& field) {
        return field.startsWith(word, Qt::CaseInsensitive);
    });
    if (!begins || !table || !table->analysis()) return {};
    const bool found =
        std::ranges::any_of(table->analysis()->kernels,
                            [&](const KernelAnalysis& kernel) { return filter.matches(kernel); });
    return found ? QString() : word;
}

std::optional<std::size_t> KernelFilterModel::kernelOf(const QModelIndex& index) {
    const QVariant kernel = index.data(KernelTableModel::KernelIndexRole);
    return kernel.isValid() ? std::optional(kernel.value<std::size_t>()) : std::nullopt;
}

std::vector<std::size_t> KernelFilterModel::kernelsOf(const QModelIndex& index) const {
    if (const auto kernel = kernelOf(index)) return {*kernel};
    std::vector<std::size_t> kernels;
    const QModelIndex group = index.siblingAtColumn(0);
    for (int row = 0; row < rowCount(group); ++row)
        if (const auto kernel = kernelOf(this->index(row, 0, group))) kernels.push_back(*kernel);
    return kernels;
}

std::vector<std::size_t> KernelFilterModel::visibleKernels() const {
    std::vector<std::size_t> kernels;
    for (int row = 0; row < rowCount(); ++row) {
        const auto more = kernelsOf(index(row, 0));
        kernels.insert(kernels.end(), more.begin(), more.end());
    }
    return kernels;
}

QModelIndex KernelFilterModel::indexOfKernel(std::size_t kernel) const {
    const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
    return table ? mapFromSource(table->indexOf(kernel)) : QModelIndex();
}

bool KernelFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
    if (!table) return true;
    // Groups are accepted through their kernels (recursive filtering).
    const auto kernel = table->kernelOf(table->index(row, 0, parent));
    if (!kernel || (m_only && (*kernel >= m_only->size() || !(*m_only)[*kernel]))) return false;
    return m_filter.matches(table->analysis()->kernels[*kernel]);
}

}  // namespace roofscope::gui
