// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMargins>
#include <QString>
#include <QWidget>

class QLabel;
class QLineEdit;

namespace roofscope::gui {

/// A search line with the number of matches, and buttons to walk through them. Hidden until
/// begin(). Enter asks for the next match, Shift+Enter for the previous one, Escape ends.
class SearchBar : public QWidget {
    Q_OBJECT
public:
    struct Words {
        QString placeholder, name;  ///< of the line
        QString previous, next;     ///< tooltips of the buttons
    };
    explicit SearchBar(const Words& words, const QMargins& around, QWidget* parent = nullptr);

    /// Shows and focuses the line.
    void begin();
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    /// Whether nothing is searched for.
    [[nodiscard]] bool isBlank() const { return text().trimmed().isEmpty(); }
    /// Shows the number of matches or, if `wrong`, what is wrong with the line.
    void say(const QString& text, bool wrong);
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    void textChanged();
    /// The next match is wanted, or the previous one.
    void stepped(bool forward);
    /// The user ends the search.
    void ended();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit* m_line = nullptr;
    QLabel* m_said = nullptr;
};

}  // namespace roofscope::gui
