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

/// Asks what to record, shows the command for it, runs it with live output, and says how it ended.
/// Closing it leaves a recording going; it can be shown again.
class RecordDialog : public QDialog {
    Q_OBJECT
public:
    /// `roofscope`: the program that records; empty when there is none.
    explicit RecordDialog(QWidget* parent = nullptr, const QString& roofscope = findRoofscope());

    /// The language that it was made in, and speaks.
    [[nodiscard]] Language language() const { return m_language; }
    [[nodiscard]] RecordingRequest request() const;
    void setRequest(const RecordingRequest& request);
    [[nodiscard]] RecordingProcess& recording() { return m_recording; }
    /// Why Record is disabled; empty when it is not.
    [[nodiscard]] const QString& obstacle() const { return m_obstacle; }
    [[nodiscard]] QString commandText() const;
    [[nodiscard]] QString machineText() const;
    [[nodiscard]] QString statusText() const;
    void record();

Q_SIGNALS:
    /// A profile was written by the recording that just ended; `whole` when nothing is wrong.
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
    QString m_mark;  ///< of the next recording on another machine
    RecordingProcess m_recording;
    RecordingDoctor m_doctor;
    bool m_checked = false;     ///< doctor answered, or could not
    QString m_machineObstacle;  ///< why nothing can be recorded on this machine
    QString m_obstacle;
    QTimer m_refresh;  ///< output is shown a few times a second, however fast it comes

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
