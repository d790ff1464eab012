// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QTimer>

#include "analyzer/language/words.h"
#include "gui/models/recording/recording_doctor.h"
#include "gui/models/recording/recording_process.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;

namespace roofscope::gui {

class RecordForm;

/// Asks what to record, shows the command, runs it with live output, and tells how it ended. When
/// the dialog is closed, a recording continues; the dialog can be shown again.
class RecordDialog : public QDialog {
    Q_OBJECT
public:
    /// `roofscope`: path of the program that records; empty if not found.
    explicit RecordDialog(QWidget* parent = nullptr, const QString& roofscope = findRoofscope());

    /// The language that the dialog was created in.
    [[nodiscard]] Language language() const { return m_language; }
    [[nodiscard]] RecordingRequest request() const;
    void setRequest(const RecordingRequest& request);
    [[nodiscard]] RecordingProcess& recording() { return m_recording; }
    /// Why recording is not possible; empty if it is.
    [[nodiscard]] const QString& obstacle() const { return m_obstacle; }
    [[nodiscard]] QString commandText() const;
    [[nodiscard]] QString machineText() const;
    [[nodiscard]] QString statusText() const;
    void record();

Q_SIGNALS:
    /// A recording has ended and written a profile. `whole`: nothing went wrong.
    void recorded(const QString& path, bool whole);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildOutput();
    QWidget* buildButtons();
    void checkMachine();
    void updateCommand();
    void updateButtons();
    void fitCommand();
    void showMachine(const std::optional<DoctorReport>& report);
    void showOutput();
    void onFinished(const RecordingOutcome& outcome);

    QString m_roofscope;
    Language m_language;
    QString m_mark;  ///< RecordingRequest::mark of the next recording
    RecordingProcess m_recording;
    RecordingDoctor m_doctor;
    bool m_checked = false;     ///< doctor has answered or failed
    QString m_machineObstacle;  ///< why nothing can be recorded on the chosen machine
    QString m_obstacle;
    QTimer m_refresh;  ///< limits how often the output is updated

    QTabWidget* m_tabs = nullptr;
    RecordForm* m_form = nullptr;
    QPlainTextEdit* m_command = nullptr;
    QLabel* m_machine = nullptr;
    QPlainTextEdit* m_checks = nullptr;
    QPlainTextEdit* m_log = nullptr;
    QLabel *m_current = nullptr, *m_status = nullptr;
    QProgressBar* m_bar = nullptr;
    QPushButton *m_record = nullptr, *m_cancel = nullptr, *m_copy = nullptr,
                *m_copyElsewhere = nullptr;
};

}  // namespace roofscope::gui
