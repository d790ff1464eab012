// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace roofscope::gui {

/// Shown where a recording lacks data: the reason, and a command to copy that would record it.
class RecordHint : public QWidget {
    Q_OBJECT
public:
    explicit RecordHint(QWidget* parent = nullptr);
    /// Sets plain texts. An empty command is hidden.
    void setText(const QString& reason, const QString& command = {});
    [[nodiscard]] QString command() const;
    void copy() const;

private:
    QLabel* m_reason = nullptr;
    QLabel* m_command = nullptr;
    QPushButton* m_copy = nullptr;
};

}  // namespace roofscope::gui
