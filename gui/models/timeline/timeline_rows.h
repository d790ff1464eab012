// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

/// The order in which the rows of a timeline are shown: pinned rows first, where they stay while
/// the others scroll.
///
/// A row is known by its kind and name, so that it stays pinned when the recording is read again,
/// and in another recording that has such a row.
class TimelineRows {
public:
    /// The rows of another timeline. What is pinned stays so, even if no row has it now.
    void setRows(const std::vector<Timeline::Row>& rows);
    void setPinned(std::size_t row, bool pinned);
    void unpinAll();

    [[nodiscard]] std::size_t size() const { return m_order.size(); }
    [[nodiscard]] bool isPinned(std::size_t row) const;
    /// How many of the rows are pinned.
    [[nodiscard]] std::size_t pinned() const { return m_pinnedRows; }
    /// The row at a place from the top, and the place of a row. Both are indices.
    [[nodiscard]] std::size_t rowAt(std::size_t place) const { return m_order[place]; }
    [[nodiscard]] std::size_t placeOf(std::size_t row) const { return m_places[row]; }

private:
    using Name = std::pair<Timeline::RowKind, QString>;
    void sort();

    std::vector<Name> m_names;  ///< by row
    std::set<Name> m_pinned;
    std::size_t m_pinnedRows = 0;
    std::vector<std::size_t> m_order, m_places;
};

}  // namespace roofscope::gui
