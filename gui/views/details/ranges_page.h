// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStackedWidget>
#include <memory>

#include "gui/models/details/range_summary_model.h"
#include "gui/models/details/range_table_model.h"

class QLabel;

namespace roofscope::gui {

class DataTableView;
class RecordHint;

/// The NVTX ranges: a summary of the recorded ones and below it those that were measured as a
/// whole. If none was measured, the command that does it.
class RangesPage : public QStackedWidget {
    Q_OBJECT
public:
    explicit RangesPage(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    /// The number of ranges.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] DataTableView& table() { return *m_table; }
    [[nodiscard]] DataTableView& summary() { return *m_summaryTable; }
    [[nodiscard]] RecordHint& hint() { return *m_hint; }

Q_SIGNALS:
    /// The user wants to see an occurrence of a range in the timeline.
    void timeRequested(const roofscope::TimeSpan& time);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void summarize();

    std::shared_ptr<const Analysis> m_analysis;
    bool m_summarized = false;
    RangeSummaryModel m_summary;
    RangeTableModel m_ranges;
    CellSortModel m_sortedSummary, m_sorted;
    QWidget* m_tables = nullptr;
    RecordHint* m_hint = nullptr;
    QLabel *m_measuredTitle = nullptr, *m_more = nullptr;
    DataTableView *m_summaryTable = nullptr, *m_table = nullptr;
};

}  // namespace roofscope::gui
