// SPDX-License-Identifier: Apache-2.0
#include "gui/app/recordings.h"

#include <utility>

#include "gui/app/documents.h"
#include "gui/app/workspace.h"
#include "gui/models/text/file_name.h"
#include "gui/models/text/shown_language.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/empty_view.h"
#include "profile/names/launchers.h"

namespace roofscope::gui {

Recordings::Recordings(QWidget& window, Documents& documents, Messages& messages)
    : m_window(window), m_documents(documents), m_messages(messages) {
    connect(&documents, &Documents::added, this,
            [this](int index) { offerComparison(m_documents.all()[std::size_t(index)].document); });
}

void Recordings::follow(Workspace& views) {
    const auto record = qOverload<const RecordingRequest&>(&Recordings::showDialog);
    connect(&views.overview(), &OverviewView::recordRequested, this, record);
    connect(&views.rooflinePage(), &RooflinePage::recordRequested, this, record);
    connect(&views.hints(), &HintsView::recordRequested, this, record);
    connect(&views.empty(), &EmptyView::recordClicked, this, qOverload<>(&Recordings::showDialog));
    renewDialog();
}

void Recordings::showDialog() {
    renewDialog();  // rebuild it if the language changed while it was recording
    if (!m_dialog) makeDialog();
    if (!m_dialog->isVisible()) fillIn();
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void Recordings::showDialog(const RecordingRequest& request) {
    showDialog();
    if (m_dialog->recording().busy()) return;
    m_dialog->setRequest(request);
    m_filledIn = m_dialog->request();
}

/// Fills in the program of the shown profile, unless the user has typed another one.
void Recordings::fillIn() {
    const ProfileDocument* shown = m_documents.document();
    if (!shown || m_dialog->recording().busy()) return;
    const RecordingRequest typed = m_dialog->request();
    if (!typed.program.isEmpty() &&
        (typed.program != m_filledIn.program || typed.arguments != m_filledIn.arguments))
        return;
    const RecordingRequest request =
        requestToRepeat(*shown->analysis->profile, shown->path, QStringList());
    if (request.program.isEmpty() ||
        (request.program == typed.program && request.arguments == typed.arguments))
        return;
    m_dialog->setRequest(request);
    m_filledIn = m_dialog->request();
}

void Recordings::hideDialog() {
    if (m_dialog) m_dialog->hide();
}

void Recordings::makeDialog() {
    m_dialog = new RecordDialog(&m_window);
    connect(m_dialog, &RecordDialog::recorded, this, &Recordings::open);
}

/// Rebuilds the dialog if the language changed; keeps the filled-in form.
void Recordings::renewDialog() {
    RecordDialog* old = m_dialog;
    if (!old || old->recording().busy() || old->language() == shownLanguage()) return;
    makeDialog();
    m_dialog->setRequest(old->request());
    m_dialog->setGeometry(old->geometry());
    m_dialog->setVisible(old->isVisible());
    old->hide();
    old->disconnect(this);
    old->deleteLater();
}

void Recordings::open(const QString& path, bool whole) {
    const ProfileDocument* before = m_documents.document();
    m_opening = {.path = absolutePath(path), .before = before ? before->path : QString()};
    m_documents.open({path});
    // Keep the dialog open so that the user can read what went wrong.
    if (!whole) return;
    m_messages.say(m_dialog->statusText().replace(QLatin1Char('\n'), QLatin1Char(' ')));
    m_dialog->hide();
}

/// After a second recording of the same program: the user has probably changed the code and wants
/// to see the effect.
void Recordings::offerComparison(const ProfileDocument& added) {
    if (added.path != m_opening.path) return;
    const Recorded recorded = std::exchange(m_opening, {});
    const int index = m_documents.indexOf(recorded.before);
    if (index < 0 || !m_documents.baseline().isEmpty()) return;
    const auto programOf = [](const ProfileDocument& document) {
        return nameOfCommand(document.analysis->profile->capture.command);
    };
    const std::string program = programOf(added);
    if (program.empty() || program != programOf(m_documents.all()[std::size_t(index)].document))
        return;
    m_messages.offer([this, recorded] { return wordOffer(recorded); });
}

std::optional<Messages::Offer> Recordings::wordOffer(const Recorded& recorded) const {
    const int added = m_documents.indexOf(recorded.path);
    const int before = m_documents.indexOf(recorded.before);
    if (added < 0 || before < 0) return std::nullopt;
    const auto title = [this](int index) {
        return m_documents.all()[std::size_t(index)].document.title();
    };
    return Messages::Offer{
        .text = tr("%1 was recorded with the same program as %2.").arg(title(added), title(before)),
        .action = tr("Compare Them"),
        .call = [this, path = recorded.before] { m_documents.setBaseline(path); }};
}

}  // namespace roofscope::gui
