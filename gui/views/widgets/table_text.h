// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

class QAbstractItemView;
class QHeaderView;

namespace roofscope::gui {

/// The selected rows of a table or tree with a header line, tab separated; empty without any.
[[nodiscard]] QString selectedRowsText(const QAbstractItemView& view);
/// Pixels for a column with this header and so many letters of text.
[[nodiscard]] int columnWidth(const QWidget& view, const QString& header, int letters);

/// Height of a row of text.
[[nodiscard]] int textRowHeight(const QWidget& table);

/// What tables and trees have in common: whole rows that cannot be edited, columns that can be
/// moved, Tab that leaves the view, and Ctrl+C that copies the selected rows. Columns become wider
/// or narrower as the view's letters become larger or smaller; rows of a table grow with them.
void showRowsOfData(QAbstractItemView& view, QHeaderView& header);

}  // namespace roofscope::gui
