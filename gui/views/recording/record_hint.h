// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace roofscope::gui {

/// What stands where a recording has nothing to show: why, and the command that would record it,
/// ready to be copied.
class RecordHint : public QWidget {
    Q_OBJECT
public:
    explicit RecordHint(QWidget* parent = nullptr);
    /// Plain texts; without a command there is nothing to copy.
    void setText(const QString& reason, const QString& command = {});
    [[nodiscard]] QString command() const;
    void copy() const;

private:
    QLabel* m_reason = nullptr;
    QLabel* m_command = nullptr;
    QPushButton* m_copy = nullptr;
};

}  // namespace roofscope::gui
