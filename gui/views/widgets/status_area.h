// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>

class QLabel;

namespace roofscope::gui {

class ElidedLabel;

/// The status line: on the left the last message, on the right a summary of what is open. The
/// tooltip of the left side lists earlier messages.
class StatusArea : public QWidget {
    Q_OBJECT
public:
    explicit StatusArea(QWidget* parent = nullptr);

    /// Shows a message for some seconds.
    void say(const QString& text);
    /// Shows what is being done, until the next message or clear().
    void sayBusy(const QString& text);
    void clear();
    [[nodiscard]] QString said() const;
    void setSummary(const QString& text);

private:
    void show(const QString& text);

    QLabel* m_mark = nullptr;
    ElidedLabel* m_said = nullptr;
    ElidedLabel* m_summary = nullptr;
    QStringList m_before;  ///< earlier messages, newest first
    QTimer m_timer;
};

}  // namespace roofscope::gui
