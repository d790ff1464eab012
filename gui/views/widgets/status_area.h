// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>

class QLabel;

namespace roofscope::gui {

class ElidedLabel;

/// The line below the window: what was just done at the left, with room of its own, and what is
/// open at the right. Hovering over the left side lists what was done before.
class StatusArea : public QWidget {
    Q_OBJECT
public:
    explicit StatusArea(QWidget* parent = nullptr);

    /// Says what was done, for a while.
    void say(const QString& text);
    /// Says what is being done, until something else is said.
    void sayBusy(const QString& text);
    void clear();
    [[nodiscard]] QString said() const;
    void setSummary(const QString& text);

private:
    void show(const QString& text);

    QLabel* m_mark = nullptr;
    ElidedLabel* m_said = nullptr;
    ElidedLabel* m_summary = nullptr;
    QStringList m_before;  ///< the last one first
    QTimer m_timer;
};

}  // namespace roofscope::gui
