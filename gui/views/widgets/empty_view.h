// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace roofscope::gui {

/// The page of a window without profiles: how to open a profile and how to record one.
class EmptyView : public QWidget {
    Q_OBJECT
public:
    explicit EmptyView(QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);

Q_SIGNALS:
    void openClicked();
    void recordClicked();
    /// A recent profile or the sample was clicked.
    void fileClicked(const QString& path);

private:
    QWidget* m_recent = nullptr;
    QVBoxLayout* m_recentLayout = nullptr;
};

}  // namespace roofscope::gui
