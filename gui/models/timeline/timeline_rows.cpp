// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline_rows.h"

namespace roofscope::gui {

void TimelineRows::setRows(const std::vector<Timeline::Row>& rows) {
    m_names.clear();
    for (const Timeline::Row& row : rows) m_names.emplace_back(row.kind, row.name);
    sort();
}

void TimelineRows::setPinned(std::size_t row, bool pinned) {
    if (pinned)
        m_pinned.insert(m_names[row]);
    else
        m_pinned.erase(m_names[row]);
    sort();
}

void TimelineRows::unpinAll() {
    m_pinned.clear();
    sort();
}

bool TimelineRows::isPinned(std::size_t row) const { return m_pinned.contains(m_names[row]); }

void TimelineRows::sort() {
    m_order.clear();
    m_places.assign(m_names.size(), 0);
    for (const bool pinned : {true, false}) {
        for (std::size_t row = 0; row < m_names.size(); ++row) {
            if (isPinned(row) != pinned) continue;
            m_places[row] = m_order.size();
            m_order.push_back(row);
        }
        if (pinned) m_pinnedRows = m_order.size();
    }
}

}  // namespace roofscope::gui
