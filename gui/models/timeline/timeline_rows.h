// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gui/models/timeline/timeline.h"

namespace roofscope::gui {

/// The order in which a timeline shows its rows: pinned rows come first and stay in place while the
/// others scroll. A folded row is shown as a thin line.
///
/// A row is identified by kind and name. So it stays pinned or folded when the recording is
/// reloaded, and in any other recording with such a row.
class TimelineRows {
public:
    /// Sets the rows of another timeline. Pins are kept, even those that match no row now.
    void setRows(const std::vector<Timeline::Row>& rows);
    void setPinned(std::size_t row, bool pinned);
    void unpinAll();

    /// Which rows are folded unless the user chose otherwise; by row. setRows() resets it.
    void setFoldedByDefault(std::vector<bool> rows) { m_foldedByDefault = std::move(rows); }
    void setFolded(std::size_t row, bool folded) { m_folded[m_names[row]] = folded; }
    void unfoldAll();

    [[nodiscard]] std::size_t size() const { return m_order.size(); }
    [[nodiscard]] bool isPinned(std::size_t row) const;
    /// A pinned row is folded only if the user wants it.
    [[nodiscard]] bool isFolded(std::size_t row) const;
    /// The number of rows that are folded.
    [[nodiscard]] std::size_t folded() const;
    /// The number of rows that are pinned.
    [[nodiscard]] std::size_t pinned() const { return m_pinnedRows; }
    /// The row at a place, counted from the top, and the place of a row. All are indices.
    [[nodiscard]] std::size_t rowAt(std::size_t place) const { return m_order[place]; }
    [[nodiscard]] std::size_t placeOf(std::size_t row) const { return m_places[row]; }

private:
    using Name = std::pair<Timeline::RowKind, QString>;
    void sort();

    std::vector<Name> m_names;  ///< by row
    std::set<Name> m_pinned;
    std::vector<bool> m_foldedByDefault;  ///< by row; may be shorter
    std::map<Name, bool> m_folded;        ///< what the user chose
    std::size_t m_pinnedRows = 0;
    std::vector<std::size_t> m_order, m_places;
};

}  // namespace roofscope::gui
