// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline_rows.h"

namespace roofscope::gui {

void TimelineRows::setRows(const std::vector<Timeline::Row>& rows) {
    m_names.clear();
    m_foldedByDefault.clear();
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

void TimelineRows::unfoldAll() {
    for (const Name& name : m_names) m_folded[name] = false;
}

bool TimelineRows::isFolded(std::size_t row) const {
    if (const auto chosen = m_folded.find(m_names[row]); chosen != m_folded.end())
        return chosen->second;
    return row < m_foldedByDefault.size() && m_foldedByDefault[row] && !isPinned(row);
}

std::size_t TimelineRows::folded() const {
    std::size_t count = 0;
    for (std::size_t row = 0; row < m_names.size(); ++row) count += isFolded(row);
    return count;
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
