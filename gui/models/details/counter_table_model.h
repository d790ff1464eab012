// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analyzer/model/analysis.h"
#include "gui/models/kernels/cell_model.h"
#include "gui/models/kernels/counter_values.h"
#include "profile/chips/chip.h"

namespace roofscope::gui {

/// In the order of the model's headings.
enum class CounterTableColumn { Name, Median, Baseline, Change, Min, Max, Unit, Peak, Measured };
inline constexpr int kCounterColumns = static_cast<int>(CounterTableColumn::Measured) + 1;

/// A kernel of another profile. There is none if `analysis` is null.
struct CounterpartKernel {
    std::shared_ptr<const Analysis> analysis = nullptr;
    std::size_t kernel = 0;
    bool sameGpu = true;  ///< if false, the values show no change in the kernel and are grey
};

/// The raw counters of one kernel: median, minimum and maximum over its launches, the median of the
/// baseline kernel, and the share of peak where that is known. The median is meaningful for every
/// counter, whether it is a sum or a share of peak.
class CounterTableModel : public CellModel {
    Q_OBJECT
public:
    explicit CounterTableModel(QObject* parent = nullptr);

    enum Role { CounterRole = OwnRole };  ///< the counter's name in the profile

    /// Shows the counters of Analysis::kernels[kernel]; nothing for nullopt. `before`: the matching
    /// kernel in the baseline, if there is one.
    void setKernel(std::shared_ptr<const Analysis> analysis, std::optional<std::size_t> kernel,
                   const CounterpartKernel& before = {});

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;

private:
    struct Row {
        std::string counter;
        QString name, unit;
        CounterValues values, before;
        Derived<Ratio> peak;
        std::size_t launches = 0;
        bool sameGpu = true;

        /// now / before − 1; absent when one is missing, or the value before is 0.
        [[nodiscard]] std::optional<double> change() const;
        /// Whether the value ranges of both kernels' launches overlap.
        [[nodiscard]] bool valueRangesOverlap() const;
    };
    [[nodiscard]] QVariant changeCell(const Row& row, int role) const;
    std::vector<Row> m_rows;
    std::string m_chipName;  ///< the chip that m_chip belongs to
    std::optional<ChipTable> m_chip;
};

/// Filters a CounterTableModel by name or unit and sorts it; missing values come last.
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
