// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/kernels/kernel_table_model.h"

namespace roofscope::gui {

/// Sorts and filters a KernelTableModel; a group is shown as long as one of its kernels is. Missing
/// values come last in both directions.
class KernelFilterModel : public CellSortModel {
    Q_OBJECT
public:
    explicit KernelFilterModel(QObject* parent = nullptr);

    /// Applies a filter line (see KernelFilter). When the line is wrong, or ends in the beginning
    /// of a comparison, the last right one stays in force and errorText() says what is wrong.
    void setFilterText(const QString& line);
    /// Empty when the filter line is right.
    [[nodiscard]] const QString& errorText() const { return m_error; }
    /// Indices into Analysis::kernels of the rows that are shown, in their order.
    [[nodiscard]] std::vector<std::size_t> visibleKernels() const;
    [[nodiscard]] bool filtering() const { return !m_filter.empty(); }
    /// The row that shows a kernel; invalid when it is filtered out.
    [[nodiscard]] QModelIndex indexOfKernel(std::size_t kernel) const;
    /// The kernel of a row; nullopt for a group.
    [[nodiscard]] static std::optional<std::size_t> kernelOf(const QModelIndex& index);
    /// The kernels of a row: its own, or those shown of its group, in their order.
    [[nodiscard]] std::vector<std::size_t> kernelsOf(const QModelIndex& index) const;

Q_SIGNALS:
    void filterChanged();

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    /// What is half typed: the name of a field that no kernel's name contains.
    [[nodiscard]] QString unfinished(const QString& line, const KernelFilter& filter) const;

    KernelFilter m_filter;
    QString m_error;
};

}  // namespace roofscope::gui
