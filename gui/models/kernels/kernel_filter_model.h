// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/kernels/kernel_table_model.h"

namespace roofscope::gui {

/// Sorts and filters a KernelTableModel. A group is shown if one of its kernels is. Missing values
/// come last in both directions.
class KernelFilterModel : public CellSortModel {
    Q_OBJECT
public:
    explicit KernelFilterModel(QObject* parent = nullptr);

    /// Applies a filter line (see KernelFilter). If the line is invalid or ends in an unfinished
    /// comparison, the last valid filter stays in force and errorText() tells what is wrong.
    void setFilterText(const QString& line);
    /// Of the kernels that match the filter line, shows only these; nullopt shows all.
    void setOnly(const std::optional<std::vector<std::size_t>>& kernels);
    /// Empty if the filter line is valid.
    [[nodiscard]] const QString& errorText() const { return m_error; }
    /// Indices into Analysis::kernels of the visible rows, in display order.
    [[nodiscard]] std::vector<std::size_t> visibleKernels() const;
    [[nodiscard]] bool filtering() const { return !m_filter.empty() || m_only; }
    /// The row of a kernel; invalid if it is filtered out.
    [[nodiscard]] QModelIndex indexOfKernel(std::size_t kernel) const;
    /// The kernel of a row; nullopt for a group.
    [[nodiscard]] static std::optional<std::size_t> kernelOf(const QModelIndex& index);
    /// The kernel of a row or, for a group, its visible kernels in display order.
    [[nodiscard]] std::vector<std::size_t> kernelsOf(const QModelIndex& index) const;

Q_SIGNALS:
    void filterChanged();

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    /// The last word if it begins a field name but `filter` matches no kernel: probably an
    /// unfinished comparison. Else empty.
    [[nodiscard]] QString unfinished(const QString& line, const KernelFilter& filter) const;

    KernelFilter m_filter;
    std::optional<std::vector<bool>> m_only;  ///< by kernel
    QString m_error;
};

}  // namespace roofscope::gui
