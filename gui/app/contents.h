// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include "gui/models/files/profile_document.h"

namespace roofscope::gui {

class Documents;
class Messages;
class StatusArea;
class Workspace;

/// Shows the open documents in all parts of the window, and applies what the user selects there.
class Contents : public QObject {
    Q_OBJECT
public:
    /// `kernelsFirst`: show the first profiles with their kernels instead of the overview.
    Contents(Documents& documents, Messages& messages, bool kernelsFirst);

    /// From now on, shows the documents in these views. show() fills them.
    void follow(Workspace& views, StatusArea& status);
    /// Shows the current document, or the page for a window without documents.
    void show(bool keepViewport);

Q_SIGNALS:
    void titleChanged(const QString& title);

private:
    void connectPanes();
    void onAdded(const ProfileDocument& added);
    void addTab(const ProfileDocument& document);
    void applyFilter();
    void showRange();
    void showDevices();
    void showProgram();
    void showSelection();
    void showComparison();
    void showBaselineChoice();
    void showState();
    void reportFailed(const QString& message);
    void reportReplaced(const ProfileDocument& before, const ProfileDocument& now, bool asked);

    Documents& m_documents;
    Messages& m_messages;
    bool m_kernelsFirst;
    QStringList m_failed;  ///< errors about files that were opened together
    Workspace* m_views = nullptr;
    StatusArea* m_status = nullptr;
};

}  // namespace roofscope::gui
