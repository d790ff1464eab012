// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include "gui/app/export.h"

class QWidget;

namespace roofscope::gui {

class Documents;
class Look;
class Messages;
class Session;
class Workspace;

/// Opens profiles and exports what is shown, with the necessary file dialogs.
class FileActions : public QObject {
    Q_OBJECT
public:
    /// The dialogs belong to `window`.
    FileActions(QWidget& window, Documents& documents, Session& session, const Look& look,
                Messages& messages);

    /// From now on, exports what these views show and handles their request to open files.
    void follow(Workspace& views);

    /// Asks for profiles and opens them.
    void askAndOpen();
    /// Asks for a file name, then exports in this format ("svg", "csv", …).
    void askAndExport(const QString& suffix);
    /// Asks for a file name, then writes a picture of the selected kernel.
    void askAndExport(Picture picture);

    /// Exports what is shown. The file extension gives the format.
    [[nodiscard]] Result<void> exportTo(const QString& path) const;
    /// Writes a picture of the selected kernel. The file extension gives the format.
    [[nodiscard]] Result<void> exportTo(const QString& path, Picture picture) const;

private:
    /// Asks for a file name, starting beside the profile. Empty if the user cancelled.
    [[nodiscard]] QString askForName(const QString& title, const QString& ending,
                                     const QString& filter) const;
    [[nodiscard]] QString wroteText(const QString& path) const;

    QWidget& m_window;
    Documents& m_documents;
    Session& m_session;
    const Look& m_look;
    Messages& m_messages;
    Workspace* m_views = nullptr;
};

}  // namespace roofscope::gui
