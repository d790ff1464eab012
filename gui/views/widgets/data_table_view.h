// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>
#include <span>

namespace roofscope::gui {

/// A read-only table with compact rows and row selection. Ctrl+C copies the selected rows as
/// tab-separated text; Tab leaves the table.
class DataTableView : public QTableView {
    Q_OBJECT
public:
    explicit DataTableView(QWidget* parent = nullptr);
    /// Makes each column wide enough for its header and for this many letters of text.
    void setColumnLetters(std::span<const int> letters);
    /// The text that Ctrl+C copies: the selected rows with a header line, tab-separated.
    [[nodiscard]] QString selectedText() const;
    /// Sets the text to show if there are no rows.
    void setEmptyText(const QString& text) { m_emptyText = text; }
    /// The text shown in place of rows; empty if there are rows.
    [[nodiscard]] QString emptyText() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_emptyText;
};

}  // namespace roofscope::gui
