// SPDX-License-Identifier: Apache-2.0
#include "gui/app/place_history.h"

#include <utility>

namespace roofscope::gui {
namespace {

constexpr std::size_t kLongest = 200;

}  // namespace

void PlaceHistory::add(Place place) {
    if (!m_places.empty()) {
        if (m_places[m_at] == place) return;
        m_places.resize(m_at + 1);
    }
    if (m_places.size() == kLongest) m_places.erase(m_places.begin());
    m_places.push_back(std::move(place));
    m_at = m_places.size() - 1;
}

bool PlaceHistory::canGo(int step) const {
    return target(step) >= 0 && target(step) < std::ssize(m_places);
}

const PlaceHistory::Place* PlaceHistory::go(int step) {
    if (!canGo(step)) return nullptr;
    m_at = std::size_t(target(step));
    return &m_places[m_at];
}

void PlaceHistory::clear() {
    m_places.clear();
    m_at = 0;
}

}  // namespace roofscope::gui
