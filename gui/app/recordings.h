// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "gui/app/messages.h"
#include "gui/models/recording/recording_request.h"

class QWidget;

namespace roofscope::gui {

class Documents;
class RecordDialog;
class Workspace;
struct ProfileDocument;

/// Runs recordings with the record dialog. Views request one that answers a question about the
/// profile or shows the effect of an edit; the dialog appears with the form filled in. The recorded
/// file is opened. If it is from the same program as the profile shown before, a comparison is
/// offered.
class Recordings : public QObject {
    Q_OBJECT
public:
    /// The dialog belongs to `window`.
    Recordings(QWidget& window, Documents& documents, Messages& messages);

    /// From now on, handles the requests of these views. A language change rebuilds the dialog,
    /// unless it is recording.
    void follow(Workspace& views);
    /// Shows the dialog, filled in for the program of the shown profile unless the user has typed
    /// another one.
    void showDialog();
    /// Shows the dialog with the form filled in, unless it is recording.
    void showDialog(const RecordingRequest& request);
    /// Hides the dialog: while visible, it would keep the program running after its window was
    /// closed.
    void hideDialog();

private:
    /// A file that the dialog wrote, and the profile that was shown before.
    struct Recorded {
        QString path, before;
    };
    void makeDialog();
    void fillIn();
    void renewDialog();
    void open(const QString& path, bool whole);
    void offerComparison(const ProfileDocument& added);
    [[nodiscard]] std::optional<Messages::Offer> wordOffer(const Recorded& recorded) const;

    QWidget& m_window;
    Documents& m_documents;
    Messages& m_messages;
    RecordDialog* m_dialog = nullptr;  ///< created on first use
    RecordingRequest m_filledIn;       ///< how fillIn() filled in the form
    Recorded m_opening;                ///< the recorded file that is being opened
};

}  // namespace roofscope::gui
