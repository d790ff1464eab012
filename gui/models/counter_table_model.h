// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analyzer/analysis.h"
#include "gui/models/cell_model.h"
#include "profile/chip.h"

namespace roofscope::gui {

enum class CounterTableColumn { Name, Median, Min, Max, Unit, Peak, Measured };
inline constexpr int kCounterColumns = static_cast<int>(CounterTableColumn::Measured) + 1;

/// The counters of one kernel as they were read: median, smallest and largest value over its
/// launches, and the share of its peak where that is known. A median is a reading whatever the
/// counter is, a sum or a share of peak.
class CounterTableModel : public CellModel {
    Q_OBJECT
public:
    using CellModel::CellModel;

    /// Shows the counters of Analysis::kernels[kernel]; nothing for nullopt.
    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel);

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] int columns() const override;
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;
    [[nodiscard]] QVariant header(int column, int role) const override;
    [[nodiscard]] bool isText(int column) const override;

private:
    struct Row {
        QString name, unit;
        std::optional<double> median, min, max;
        Derived<Ratio> peak;
        std::size_t measured = 0, launches = 0;
    };
    std::vector<Row> m_rows;
    std::string m_chipName;  ///< of m_chip
    std::optional<ChipTable> m_chip;
};

/// Searches a CounterTableModel by name or unit and sorts it, missing values last.
class CounterFilterModel : public CellSortModel {
    Q_OBJECT
public:
    using CellSortModel::CellSortModel;

    /// Every blank-separated word must occur in the counter's name or unit.
    void setSearch(const QString& words);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

}  // namespace roofscope::gui
