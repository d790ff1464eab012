// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

#include "analyzer/analysis.h"

namespace roofscope::gui {

enum class RangeColumn {
    Name,
    Device,
    Occurrences,
    Launches,
    Duration,
    Total,
    Busy,
    DramBytes,
    DramRate,
    DramShare,
    L2Rate,
    L2Share,
    Fp32Rate,
    Fp64Rate,
    Tensor
};
inline constexpr int kRangeColumns = 15;

/// NVTX ranges that were measured as a whole (roofscope record --range), the one with the most time
/// first: what the reports say of them, a row each. "–" is not measured or not applicable; the
/// tooltip says which.
class RangeTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { SortRole = Qt::UserRole };  ///< number or text; invalid when missing

    using QAbstractTableModel::QAbstractTableModel;

    void setAnalysis(std::shared_ptr<const Analysis> analysis);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::shared_ptr<const Analysis> m_analysis;
};

/// Sorts the ranges; what is missing comes last in both directions.
class RangeSortModel : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RangeSortModel(QObject* parent = nullptr);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace roofscope::gui
