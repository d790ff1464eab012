// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>

class QLabel;

namespace roofscope::gui {

/// A line above the content that tells of a failure or of progress without getting in the way.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void showError(const QString& message);
    [[nodiscard]] QString message() const;

private:
    QLabel* m_text = nullptr;
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
