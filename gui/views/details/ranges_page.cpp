// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/ranges_page.h"

#include <QHeaderView>
#include <iterator>

#include "gui/models/recording/record_command.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/data_table_view.h"

namespace roofscope::gui {

RangesPage::RangesPage(QWidget* parent) : QStackedWidget(parent) {
    m_sorted.setSourceModel(&m_ranges);
    m_hint = new RecordHint;
    m_table = new DataTableView;
    m_table->setAccessibleName(tr("Measured ranges"));
    m_table->setModel(&m_sorted);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(int(RangeColumn::Total), Qt::DescendingOrder);
    // In the order of RangeColumn.
    constexpr int kLetters[]{26, 5, 8, 8, 10, 10, 8, 10, 11, 8, 11, 8, 16, 16, 8};
    static_assert(std::size(kLetters) == kRangeColumns);
    m_table->setColumnLetters(kLetters);
    addWidget(m_hint);
    addWidget(m_table);
}

void RangesPage::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    m_ranges.setAnalysis(analysis);
    const bool any = m_ranges.rowCount() > 0;
    // As in the reports, a single GPU needs no number.
    m_table->setColumnHidden(int(RangeColumn::Device),
                             !analysis || analysis->profile->devices.size() < 2);
    setCurrentWidget(any ? static_cast<QWidget*>(m_table) : m_hint);
    if (any || !analysis) return;
    const QString command = recordRangeCommand(*analysis);
    m_hint->setText(
        command.isEmpty()
            ? tr("No launch of this recording is in an NVTX range. If the program pushes ranges "
                 "around its steps, roofscope record --range measures each of them as a whole, "
                 "with everything that runs at the same time.")
            : tr("No NVTX range was measured as a whole. To measure the traffic and arithmetic of "
                 "one, with everything that runs at the same time, record:"),
        command);
}

}  // namespace roofscope::gui
