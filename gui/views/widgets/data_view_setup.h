// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

class QAbstractItemView;
class QHeaderView;

namespace roofscope::gui {

/// The selected rows of a table or tree with a header line, tab-separated; empty if there are none.
[[nodiscard]] QString selectedRowsText(const QAbstractItemView& view);
/// Width in pixels of a column with this header and this many letters of text.
[[nodiscard]] int columnWidth(const QWidget& view, const QString& header, int letters);

/// Height of a row of text.
[[nodiscard]] int textRowHeight(const QWidget& table);

/// Common setup of tables and trees: read-only, row selection, movable columns, Tab leaves the
/// view, Ctrl+C copies the selected rows. When the font size changes, column widths and the row
/// height of tables follow.
void setUpDataView(QAbstractItemView& view, QHeaderView& header);

}  // namespace roofscope::gui
