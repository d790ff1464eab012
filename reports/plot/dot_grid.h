// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/model/analysis.h"
#include "reports/plot/draw_list.h"

namespace roofscope::plot {

/// Dots sorted into a grid of squares, so that drawing a part of the plane visits few others, and
/// visits neighbours one after the other.
class DotGrid {
public:
    struct Entry {
        Point place;
        std::uint32_t dot;  ///< index into the places
        Level level;
    };

    DotGrid() = default;
    /// `places[i]` and `levels[i]` belong to dot i.
    DotGrid(const std::vector<Point>& places, const std::vector<Level>& levels);

    /// Calls visit(entry) for all dots from `low` to `high` and for some just outside, in no
    /// particular order.
    template <class Visit>
    void visit(Point low, Point high, const Visit& visit) const {
        if (m_entries.empty()) return;
        const std::size_t left = column(low.x), right = column(high.x);
        for (std::size_t y = row(low.y); y <= row(high.y); ++y)
            for (std::size_t i = m_begins[y * kSquares + left];
                 i < m_begins[y * kSquares + right + 1]; ++i)
                visit(m_entries[i]);
    }

    /// The number of dots that visit() would visit.
    [[nodiscard]] std::size_t count(Point low, Point high) const {
        if (m_entries.empty()) return 0;
        std::size_t sum = 0;
        for (std::size_t y = row(low.y); y <= row(high.y); ++y)
            sum += m_begins[y * kSquares + column(high.x) + 1] -
                   m_begins[y * kSquares + column(low.x)];
        return sum;
    }

private:
    static constexpr std::size_t kSquares = 128;  ///< per axis

    [[nodiscard]] static std::size_t square(double position, double scale) {
        return static_cast<std::size_t>(std::clamp(position * scale, 0.0, double(kSquares - 1)));
    }
    [[nodiscard]] std::size_t column(double x) const { return square(x - m_low.x, m_scale.x); }
    [[nodiscard]] std::size_t row(double y) const { return square(y - m_low.y, m_scale.y); }

    Point m_low, m_scale;
    std::vector<Entry> m_entries;         ///< sorted by square, row by row
    std::vector<std::uint32_t> m_begins;  ///< first entry of each square, then the end
};

}  // namespace roofscope::plot
