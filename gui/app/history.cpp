// SPDX-License-Identifier: Apache-2.0
#include "gui/app/history.h"

#include <QScopedValueRollback>
#include <utility>

#include "gui/app/documents.h"
#include "gui/views/kernels/kernel_table_view.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kLongest = 200;

}  // namespace

History::History(Documents& documents) : m_documents(documents) {
    connect(&documents, &Documents::shownChanged, this, &History::begin);
    connect(&documents, &Documents::selectionChanged, this, &History::record);
}

void History::follow(KernelTableView& table) {
    m_table = &table;
    connect(&table, &KernelTableView::filterCommitted, this, &History::record);
}

void History::begin() {
    m_places.clear();
    m_at = 0;
    record();
    Q_EMIT changed();
}

void History::record() {
    if (m_going || m_documents.current() < 0) return;
    Place place{.selection = m_documents.selection(), .filter = m_table->filterText()};
    if (!m_places.empty()) {
        if (m_places[m_at] == place) return;
        m_places.resize(m_at + 1);
    }
    if (m_places.size() == kLongest) m_places.erase(m_places.begin());
    m_places.push_back(std::move(place));
    m_at = m_places.size() - 1;
    Q_EMIT changed();
}

bool History::canGo(int step) const {
    return target(step) >= 0 && target(step) < std::ssize(m_places);
}

void History::go(int step) {
    if (!canGo(step)) return;
    m_at = std::size_t(target(step));
    const Place place = m_places[m_at];
    {
        const QScopedValueRollback going(m_going, true);
        m_table->setFilterText(place.filter);
        m_documents.select(place.selection);
    }
    Q_EMIT changed();
}

}  // namespace roofscope::gui
