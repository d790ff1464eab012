// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

class QAbstractItemView;

namespace roofscope::gui {

/// The selected rows of a table or tree with a header line, tab separated; empty without any.
[[nodiscard]] QString selectedRowsText(const QAbstractItemView& view);
/// Pixels for a column with this header and so many letters of text.
[[nodiscard]] int columnWidth(const QWidget& view, const QString& header, int letters);

}  // namespace roofscope::gui
