// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "gui/app/main_window.h"
#include "gui/models/shown_language.h"
#include "gui/views/record_dialog.h"

namespace roofscope::gui {

void MainWindow::showRecordDialog() {
    renewRecordDialog();  // it may have been busy when the language changed
    if (!m_recordDialog) makeRecordDialog();
    m_recordDialog->show();
    m_recordDialog->raise();
    m_recordDialog->activateWindow();
}

void MainWindow::makeRecordDialog() {
    auto* dialog = new RecordDialog(this);
    m_recordDialog = dialog;
    connect(dialog, &RecordDialog::recorded, this, [this, dialog](const QString& path, bool whole) {
        open({path});
        // What went wrong stays to be read.
        if (whole) dialog->hide();
    });
}

/// In the language that is shown; what was filled in stays. One that records is left alone.
void MainWindow::renewRecordDialog() {
    RecordDialog* old = m_recordDialog;
    if (!old || old->recording().busy() || old->language() == shownLanguage()) return;
    makeRecordDialog();
    m_recordDialog->setRequest(old->request());
    m_recordDialog->setGeometry(old->geometry());
    m_recordDialog->setVisible(old->isVisible());
    old->hide();
    old->disconnect(this);
    old->deleteLater();
}

}  // namespace roofscope::gui
