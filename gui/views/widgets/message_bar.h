// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace roofscope::gui {

/// A line above the content that tells of a failure, or of what happened by itself, until it is
/// closed.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void showError(const QString& message) { showText(message, true); }
    /// Something that happened by itself and stays to be read.
    void showInfo(const QString& message) { showText(message, false); }
    /// What can be done next, with a button that does it.
    void offer(const QString& message, const QString& action, std::function<void()> call);
    /// An error that is no more; what showInfo() said stays.
    void hideError();
    [[nodiscard]] QString message() const;
    [[nodiscard]] bool isError() const { return m_error && !isHidden(); }
    /// Whether a button stands beside the message.
    [[nodiscard]] bool offers() const;

private:
    void showText(const QString& message, bool error);

    QLabel* m_text = nullptr;
    QPushButton* m_action = nullptr;
    std::function<void()> m_call;  ///< of the button
    bool m_error = false;
};

/// A line with an endless progress bar and Cancel, while a profile loads.
class ProgressLine : public QFrame {
    Q_OBJECT
public:
    explicit ProgressLine(QWidget* parent = nullptr);
    void showStep(const QString& text);

Q_SIGNALS:
    void cancelClicked();

private:
    QLabel* m_text = nullptr;
};

}  // namespace roofscope::gui
