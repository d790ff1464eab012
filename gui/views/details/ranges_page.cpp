// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/ranges_page.h"

#include <QHeaderView>
#include <QLabel>
#include <algorithm>
#include <iterator>
#include <utility>

#include "gui/models/recording/record_again_command.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {

RangesPage::RangesPage(QWidget* parent) : QStackedWidget(parent) {
    const auto table = [](const QString& name, CellModel& model, CellSortModel& sorted, int by) {
        sorted.setSourceModel(&model);
        auto* made = new DataTableView;
        made->setAccessibleName(name);
        made->setModel(&sorted);
        made->setTextElideMode(Qt::ElideMiddle);
        made->setSortingEnabled(true);
        made->sortByColumn(by, Qt::DescendingOrder);
        return made;
    };
    m_hint = new RecordHint;
    m_summaryTable =
        table(tr("Recorded ranges"), m_summary, m_sortedSummary, int(SummaryColumn::Total));
    // In the order of SummaryColumn.
    constexpr int kSummaryLetters[]{34, 8, 10, 10, 10, 10, 10, 10, 10, 8};
    static_assert(std::size(kSummaryLetters) == kSummaryColumns);
    m_summaryTable->setColumnLetters(kSummaryLetters);
    connect(m_summaryTable, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
        Q_EMIT timeRequested(m_summary.summary(m_sortedSummary.mapToSource(at).row()).longestAt);
    });
    m_table = table(tr("Measured ranges"), m_ranges, m_sorted, int(RangeColumn::Total));
    // In the order of RangeColumn.
    constexpr int kLetters[]{26, 5, 8, 8, 10, 10, 8, 10, 11, 8, 11, 8, 16, 16, 8};
    static_assert(std::size(kLetters) == kRangeColumns);
    m_table->setColumnLetters(kLetters);
    m_measuredTitle = plainHeading(tr("Measured as a whole"), "");
    m_more = plainLabel({}, "hint");
    for (QLabel* label : {m_measuredTitle, m_more}) label->setContentsMargins(10, 2, 10, 2);
    m_tables = widgetWith(
        inColumn({{m_summaryTable, 1}, m_measuredTitle, {m_table, 1}, m_more}, kNoSpaces));
    addWidget(m_hint);
    addWidget(m_tables);
}

std::size_t RangesPage::count() const {
    if (!m_analysis) return 0;
    return std::max(RangeSummaryModel::countOf(*m_analysis), m_analysis->ranges.size());
}

void RangesPage::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    m_analysis = analysis;
    m_summarized = false;
    m_ranges.setAnalysis(analysis);
    const bool measured = m_ranges.rowCount() > 0;
    const bool recorded = analysis && !analysis->profile->timeline.ranges.empty();
    m_summary.setAnalysis(nullptr);
    if (isVisible()) summarize();
    // As in the reports, a single GPU needs no number.
    m_table->setColumnHidden(int(RangeColumn::Device),
                             !analysis || analysis->profile->devices.size() < 2);
    m_summaryTable->setVisible(recorded);
    m_measuredTitle->setVisible(recorded && measured);
    m_table->setVisible(measured);
    m_more->setVisible(recorded && !measured);
    setCurrentWidget(measured || recorded ? m_tables : m_hint);
    if (measured || !analysis) return;
    const QString command = recordRangeCommand(*analysis);
    const QString how =
        command.isEmpty()
            ? tr("No launch of this recording is in an NVTX range. If the program pushes ranges "
                 "around its steps, roofscope record --range measures each of them as a whole, "
                 "with everything that runs at the same time.")
            : tr("No NVTX range was measured as a whole. To measure the traffic and arithmetic of "
                 "one, with everything that runs at the same time, record:");
    m_hint->setText(how, command);
    m_more->setText(command.isEmpty() ? how : how + u' ' + command);
}

/// Deferred until the page is visible: for a million launches it takes a tenth of a second.
void RangesPage::summarize() {
    if (std::exchange(m_summarized, true)) return;
    m_summary.setAnalysis(m_analysis);
}

void RangesPage::showEvent(QShowEvent* event) {
    QStackedWidget::showEvent(event);
    summarize();
}

}  // namespace roofscope::gui
