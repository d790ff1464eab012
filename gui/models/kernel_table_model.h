// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "analyzer/analysis.h"

namespace roofscope::gui {

/// Columns of the kernel table, in the order in which they are shown.
enum class KernelColumn {
    Name,
    Launches,
    TotalTime,
    Share,
    Verdict,
    DramBandwidth,
    Intensity,
    Coalescing,
    Conflict,
    Occupancy
};
inline constexpr int kKernelColumns = static_cast<int>(KernelColumn::Occupancy) + 1;

/// One row per KernelAnalysis, in the analysis' order (longest total time first). Read only.
class KernelTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole,  ///< double or QString; invalid when the value is missing
        KernelIndexRole,          ///< index into Analysis::kernels
        ShareRole                 ///< 0–1 for a bar behind the number; invalid when there is none
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    [[nodiscard]] const std::shared_ptr<const Analysis>& analysis() const { return m_analysis; }
    /// The kernel of a row; `row` must be valid.
    [[nodiscard]] const KernelAnalysis& kernel(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::shared_ptr<const Analysis> m_analysis;
};

}  // namespace roofscope::gui
