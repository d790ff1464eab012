// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QProgressBar;
class QPushButton;

namespace roofscope::gui {

/// A bar above the content for errors and for events the user did not cause. Stays until dismissed.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void showError(const QString& message) { showText(message, true); }
    /// Shows an event that the user did not cause.
    void showInfo(const QString& message) { showText(message, false); }
    /// Shows a message with a button for the next step.
    void offer(const QString& message, const QString& action, std::function<void()> call);
    /// Hides the bar if it shows an error, which is outdated.
    void hideError();
    [[nodiscard]] QString message() const;
    [[nodiscard]] bool isError() const { return m_error && !isHidden(); }
    /// Whether offer() is shown.
    [[nodiscard]] bool offers() const;

private:
    void showText(const QString& message, bool error);

    QLabel* m_text = nullptr;
    QPushButton* m_action = nullptr;
    std::function<void()> m_call;  ///< called by the button
    bool m_error = false;
};

/// A line with a progress bar and Cancel, while a profile loads.
class ProgressLine : public QFrame {
    Q_OBJECT
public:
    explicit ProgressLine(QWidget* parent = nullptr);
    /// `percent` is the progress. A negative value means unknown: the bar shows endless movement.
    void showStep(const QString& text, int percent);

Q_SIGNALS:
    void cancelClicked();

private:
    QLabel* m_text = nullptr;
    QProgressBar* m_bar = nullptr;
};

}  // namespace roofscope::gui
