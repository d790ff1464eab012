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

/// Offers recordings. Views ask for one that answers what is open, or shows the effect of an edit:
/// the record dialog is shown, filled in for it. What it recorded is opened. If that is the program
/// that was shown before, a comparison of the two is offered.
class Recordings : public QObject {
    Q_OBJECT
public:
    /// The dialog belongs to `window`.
    Recordings(QWidget& window, Documents& documents, Messages& messages);

    /// Takes the requests of these views from now on. After a change of language the dialog is
    /// rebuilt, unless it is recording.
    void follow(Workspace& views);
    /// Shows the dialog as the user left it, or else filled in for the program of the shown
    /// profile.
    void showDialog();
    /// Shows the dialog with the form filled in, unless it is recording.
    void showDialog(const RecordingRequest& request);
    /// A visible dialog would keep the program running after its window was closed.
    void hideDialog();

private:
    /// A file that the dialog wrote, and the profile that was shown before it.
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
    RecordingRequest m_filledIn;       ///< what was filled in, before the user changed it
    Recorded m_opening;                ///< while the file is being opened
};

}  // namespace roofscope::gui
