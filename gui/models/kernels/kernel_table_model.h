// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/names/kernel_groups.h"
#include "gui/models/kernels/cell_model.h"
#include "gui/models/kernels/kernel_column.h"
#include "reports/report.h"

namespace roofscope::gui {

/// One row per KernelAnalysis, in the analysis' order (longest total time first). With a grouping:
/// one row per group, with its kernels as children. Read only.
class KernelTableModel : public CellModel {
    Q_OBJECT
public:
    /// The name of a kernel or group, without the number of its kernels. Invalid for all other
    /// cells.
    static constexpr int NameRole = OwnRole;

    explicit KernelTableModel(QObject* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    [[nodiscard]] const std::shared_ptr<const Analysis>& analysis() const { return m_analysis; }
    /// Fills the baseline columns; null clears them. `baseline` must be a comparison with this
    /// model's analysis.
    void setBaseline(std::shared_ptr<const ReportBaseline> baseline);
    [[nodiscard]] const std::shared_ptr<const ReportBaseline>& baseline() const {
        return m_baseline;
    }
    /// Adds a column for each of these counters after the others. It shows the median over a
    /// kernel's launches.
    void setCounters(const std::vector<std::string>& counters);
    [[nodiscard]] const std::vector<std::string>& counters() const { return m_counters; }
    void setGrouping(KernelGrouping grouping);
    [[nodiscard]] KernelGrouping grouping() const { return m_grouping; }

    [[nodiscard]] std::size_t kernelCount() const;
    /// The texts of NameRole of the first `most` groups and kernels, which take the most time.
    [[nodiscard]] QStringList names(std::size_t most = 5000) const;
    /// The kernel of a row; nullopt for a group. A group by name of only one kernel is that
    /// kernel's row.
    [[nodiscard]] std::optional<std::size_t> kernelOf(const QModelIndex& index) const;
    /// The first cell of a kernel's row.
    [[nodiscard]] QModelIndex indexOf(std::size_t kernel) const;

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] int children(int row) const override;
    [[nodiscard]] QVariant cell(const At& at, int column, int role) const override;

private:
    [[nodiscard]] std::optional<std::size_t> kernelAt(const At& at) const;
    /// Whether the group's only kernel stands in the group's row.
    [[nodiscard]] bool isOneRow(const KernelGroup& group) const;
    void regroup();
    [[nodiscard]] QVariant counterData(std::size_t kernel, std::size_t column, int role) const;
    [[nodiscard]] QVariant changeData(std::size_t kernel, KernelColumn column, int role) const;

    std::shared_ptr<const Analysis> m_analysis;
    std::shared_ptr<const ReportBaseline> m_baseline;
    std::vector<const KernelComparison*> m_changes;  ///< by kernel; null without a match
    std::vector<std::string> m_counters;
    KernelGrouping m_grouping = KernelGrouping::None;
    std::vector<KernelGroup> m_groups;
    std::vector<std::size_t> m_heaviest;        ///< by group: the kernel with the most time
    std::vector<std::pair<int, int>> m_places;  ///< by kernel: its group and its row there
};

}  // namespace roofscope::gui
