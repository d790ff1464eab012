// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/range_summary.h"
#include "gui/models/kernels/cell_model.h"

namespace roofscope::gui {

enum class SummaryColumn {
    Name,
    Count,
    Total,
    Mean,
    Median,
    Shortest,
    Longest,
    Gpu,
    Idle,
    IdleShare
};
inline constexpr int kSummaryColumns = 10;

/// The NVTX ranges of the recording, the one with the most time first. A row sums up all
/// occurrences of a range.
class RangeSummaryModel : public CellModel {
    Q_OBJECT
public:
    explicit RangeSummaryModel(QObject* parent = nullptr);

    /// The number of ranges in an analysis, without building the table.
    [[nodiscard]] static std::size_t countOf(const Analysis& analysis);
    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    /// The range of a row.
    [[nodiscard]] const RangeSummary& summary(int row) const { return m_ranges[std::size_t(row)]; }

protected:
    [[nodiscard]] int rows() const override { return static_cast<int>(m_ranges.size()); }
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;

private:
    std::shared_ptr<const Analysis> m_analysis;
    std::vector<RangeSummary> m_ranges;
};

}  // namespace roofscope::gui
