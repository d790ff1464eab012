// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"
#include "gui/views/record_dialog.h"

namespace roofscope::gui {

void MainWindow::showRecordDialog() {
    if (!m_recordDialog) {
        m_recordDialog = new RecordDialog(this);
        connect(m_recordDialog, &RecordDialog::recorded, this,
                [this](const QString& path, bool whole) {
                    open({path});
                    // What went wrong stays to be read.
                    if (whole) m_recordDialog->hide();
                });
    }
    m_recordDialog->show();
    m_recordDialog->raise();
    m_recordDialog->activateWindow();
}

}  // namespace roofscope::gui
