// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMargins>
#include <QString>
#include <QWidget>

class QLabel;
class QLineEdit;

namespace roofscope::gui {

/// A search line with the number of matches and buttons to step through them. Hidden until begin().
/// Enter requests the next match, Shift+Enter the previous one; Escape ends the search.
class SearchBar : public QWidget {
    Q_OBJECT
public:
    struct Words {
        QString placeholder, name;  ///< placeholder and accessible name of the line
        QString previous, next;     ///< tooltips of the buttons
    };
    explicit SearchBar(const Words& words, const QMargins& around, QWidget* parent = nullptr);

    /// Shows and focuses the line.
    void begin();
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// Whether the search line is blank.
    [[nodiscard]] bool isBlank() const { return text().trimmed().isEmpty(); }
    /// Shows the number of matches or, if `wrong`, an error in the search line.
    void say(const QString& text, bool wrong);
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    void textChanged();
    /// The user wants the next match (`forward`) or the previous one.
    void stepped(bool forward);
    /// The user ended the search.
    void ended();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit* m_line = nullptr;
    QLabel* m_said = nullptr;
};

}  // namespace roofscope::gui
