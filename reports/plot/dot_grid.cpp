// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/dot_grid.h"

namespace roofscope::plot {

DotGrid::DotGrid(const std::vector<Point>& places, const std::vector<Level>& levels) {
    if (places.empty()) return;
    const auto [left, right] = std::ranges::minmax_element(places, {}, &Point::x);
    const auto [bottom, top] = std::ranges::minmax_element(places, {}, &Point::y);
    const auto scale = [](double from, double to) {
        return to > from ? kSquares / (to - from) : 0;
    };
    m_low = {left->x, bottom->y};
    m_scale = {scale(left->x, right->x), scale(bottom->y, top->y)};
    // Counting sort.
    std::vector<std::uint32_t> squares(places.size());
    m_begins.assign(kSquares * kSquares + 1, 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
        squares[i] = static_cast<std::uint32_t>(row(places[i].y) * kSquares + column(places[i].x));
        ++m_begins[squares[i] + 1];
    }
    for (std::size_t i = 1; i < m_begins.size(); ++i) m_begins[i] += m_begins[i - 1];
    std::vector<std::uint32_t> next(m_begins.begin(), m_begins.end() - 1);
    m_entries.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        m_entries[next[squares[i]]++] = {places[i], static_cast<std::uint32_t>(i), levels[i]};
}

}  // namespace roofscope::plot
