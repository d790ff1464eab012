// SPDX-License-Identifier: Apache-2.0
#include "gui/views/recording/record_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTabWidget>
#include <QUuid>
#include <algorithm>

#include "gui/models/text/shown_language.h"
#include "gui/views/recording/record_form.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

constexpr int kMostLines = 5000, kRefreshMs = 80;

/// A random suffix for a file name that does not exist yet on the other machine.
QString newMark() { return QUuid::createUuid().toString(QUuid::Id128).left(8); }

QPlainTextEdit* plainText(const QString& name, bool fixedFont) {
    auto* edit = new QPlainTextEdit;
    edit->setAccessibleName(name);
    edit->setTabChangesFocus(true);
    if (fixedFont) edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    return edit;
}

QLabel* plainLabel() {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

RecordDialog::RecordDialog(QWidget* parent, const QString& roofscope)
    : QDialog(parent), m_roofscope(roofscope), m_language(shownLanguage()), m_mark(newMark()) {
    setObjectName(QStringLiteral("recordDialog"));
    setWindowTitle(tr("Record a profile"));
    m_tabs = new QTabWidget;
    m_tabs->setAccessibleName(tr("What to record, and the output"));
    m_tabs->setDocumentMode(true);
    m_form = new RecordForm;
    connect(m_form, &RecordForm::changed, this, &RecordDialog::updateCommand);
    connect(m_form, &RecordForm::hostChosen, this, [this] {
        if (isVisible() && !m_recording.busy()) checkMachine();
    });
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_form);
    m_tabs->addTab(scroll, tr("What to record"));
    m_tabs->addTab(buildOutput(), tr("Output"));

    m_command = plainText(tr("Command that will be run"), true);
    m_command->setReadOnly(true);
    m_command->setObjectName(QStringLiteral("command"));
    m_command->setFixedHeight(m_command->fontMetrics().lineSpacing() * 4 + 16);
    m_copy = new QPushButton(tr("&Copy"));
    m_copy->setToolTip(tr("Copies the command, to be run in a terminal"));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_command->toPlainText()); });
    m_copyElsewhere = new QPushButton(tr("Copy for another machine"));
    m_copyElsewhere->setToolTip(tr("Copies the command without paths of this machine"));
    connect(m_copyElsewhere, &QPushButton::clicked, this, [this] {
        if (const auto command = recordingCommand(request(), m_roofscope))
            QApplication::clipboard()->setText(command->textForOtherMachine());
    });
    auto* copies = inColumn({m_copy, m_copyElsewhere, stretchSpace()});

    m_machine = plainLabel();
    m_checks = plainText(tr("What is wrong with this machine"), true);
    m_checks->setReadOnly(true);
    m_checks->setMinimumHeight(m_checks->fontMetrics().lineSpacing() * 2 + 12);
    m_checks->setMaximumHeight(m_checks->fontMetrics().lineSpacing() * 6 + 12);
    m_checks->hide();

    setLayout(inColumn(
        {{m_tabs, 1}, inRow({{m_command, 1}, copies}), m_machine, m_checks, buildButtons()}));
    m_record->setDefault(
        true);  // only now that it is in the dialog; else Qt chooses another button
    // Leave room for the title bar and the borders, which the window manager adds.
    constexpr QSize kAround(20, 60);
    resize(QSize(800, 860).boundedTo(screen()->availableSize() - kAround));

    m_refresh.setSingleShot(true);
    m_refresh.setInterval(kRefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &RecordDialog::showOutput);
    connect(&m_recording, &RecordingProcess::outputAdded, this, [this] {
        if (!m_refresh.isActive()) m_refresh.start();
    });
    connect(&m_recording, &RecordingProcess::stateChanged, this, &RecordDialog::updateButtons);
    connect(&m_recording, &RecordingProcess::finished, this, &RecordDialog::onFinished);
    connect(&m_doctor, &RecordingDoctor::checked, this, &RecordDialog::showMachine);
    updateCommand();
}

QWidget* RecordDialog::buildOutput() {
    m_log = plainText(tr("Output of the recording"), true);
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(kMostLines);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setPlaceholderText(tr("The output of roofscope and the program appears here."));
    m_current = new ElidedLabel("hint");
    return widgetWith(inColumn({{m_log, 1}, m_current}, {.around = {0, 6, 0, 0}}));
}

QWidget* RecordDialog::buildButtons() {
    m_status = plainLabel();
    m_status->setAccessibleName(tr("State of the recording"));
    m_bar = new QProgressBar;
    m_bar->setRange(0, 0);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(90);
    m_bar->setAccessibleName(tr("Recording"));
    m_bar->hide();
    m_record = new QPushButton(tr("&Record"));
    m_record->setObjectName(QStringLiteral("primary"));
    m_cancel = new QPushButton;
    auto* close = new QPushButton(tr("Close"));
    close->setToolTip(tr("Closing this window does not stop the recording"));
    connect(m_record, &QPushButton::clicked, this, &RecordDialog::record);
    connect(m_cancel, &QPushButton::clicked, &m_recording, &RecordingProcess::cancel);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    return widgetWith(
        inRow({{m_status, 1}, m_bar, m_record, m_cancel, close}, {.around = kNoMargins}));
}

RecordingRequest RecordDialog::request() const {
    RecordingRequest request = m_form->request();
    request.mark = m_mark;
    return request;
}

void RecordDialog::setRequest(const RecordingRequest& request) {
    m_form->setRequest(request);
    m_tabs->setCurrentIndex(0);
    m_status->clear();
}

QString RecordDialog::commandText() const { return m_command->toPlainText(); }
QString RecordDialog::machineText() const {
    return m_machine->text() + QLatin1Char('\n') + m_checks->toPlainText();
}
QString RecordDialog::statusText() const { return m_status->text(); }

void RecordDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (event->spontaneous()) return;
    if (!m_recording.busy()) {
        // Start with the form; the output of the last recording is on the other tab.
        m_tabs->setCurrentIndex(0);
        m_status->clear();
        // Check each time: permissions and drivers change, perhaps because the user fixed them.
        checkMachine();
    }
    m_form->focusFirst();
}

/// Runs doctor on the machine that will record.
void RecordDialog::checkMachine() {
    const QString host = request().host;
    m_checked = true;
    m_machineObstacle.clear();
    m_checks->clear();
    m_checks->hide();
    const QString ssh = findSsh();
    if (!host.isEmpty() && !checkHost(host)) {
        m_machine->clear();  // the tooltip of Record names the wrong field
    } else if (!host.isEmpty() && ssh.isEmpty()) {
        m_machineObstacle = tr("the program ssh was not found in PATH");
        m_machine->setText(tr("The program ssh was not found in PATH: install OpenSSH's client."));
    } else if (host.isEmpty() && m_roofscope.isEmpty()) {
        m_machineObstacle =
            tr("the program roofscope was found neither beside this program nor in PATH");
        m_machine->setText(tr(
            "The program roofscope was found neither beside this program nor in PATH, so nothing "
            "can be recorded here. Copy the command and run it where roofscope is installed."));
    } else {
        m_checked = false;
        if (host.isEmpty()) {
            m_machine->setText(tr("Checking whether counters can be read here…"));
            m_doctor.start(m_roofscope);
        } else {
            m_machine->setText(tr("Checking whether counters can be read on %1…").arg(host));
            m_doctor.start(ssh,
                           sshArguments(host, QStringLiteral("roofscope doctor --json"), false));
        }
    }
    updateCommand();
}

void RecordDialog::showMachine(const std::optional<DoctorReport>& report) {
    const QString host = request().host;
    const QString machine = host.isEmpty() ? tr("this machine") : host;
    m_checked = true;
    m_machineObstacle.clear();
    m_checks->clear();
    if (!report) {
        const auto complaint =
            host.isEmpty() ? std::nullopt
                           : explainSshExit(host, m_doctor.exitCode(), m_doctor.complaint());
        m_machineObstacle = complaint.value_or(QString());
        m_machine->setText(complaint ? *complaint
                                     : tr("roofscope doctor gave no answer, so it is unknown "
                                          "whether counters can be read on %1.")
                                           .arg(machine));
    } else {
        m_checks->setPlainText(report->text());
        m_machineObstacle = report->obstacle();
        if (report->countersReadable)
            m_machine->setText(tr("Counters can be read on %1.").arg(machine));
        else if (m_machineObstacle.isEmpty())
            m_machine->setText(
                tr("Counters cannot be read on %1, only durations and launch shapes. What to do:")
                    .arg(machine));
        else
            m_machine->setText(
                tr("Nothing can be recorded on %1. Enter a machine with a GPU in \"Machine\", or "
                   "copy the command and run it there. What is missing:")
                    .arg(machine));
    }
    m_checks->setVisible(!m_checks->toPlainText().isEmpty());
    updateCommand();
}

void RecordDialog::updateCommand() {
    const RecordingRequest wanted = request();
    m_form->proposeOutput(proposedOutput(wanted));
    const Result<RecordingCommand> command = recordingCommand(wanted, m_roofscope);
    QString wrong;
    if (command) {
        m_command->setPlainText(command->text());
        fitCommand();
    } else {
        const Error& error = command.error();
        wrong = tr("%1: %2").arg(QString::fromStdString(error.where),
                                 QString::fromStdString(error.what));
        m_command->clear();
        m_command->setPlaceholderText(wrong);
    }
    for (QPushButton* copy : {m_copy, m_copyElsewhere}) copy->setEnabled(wrong.isEmpty());
    m_obstacle = !m_machineObstacle.isEmpty() ? m_machineObstacle
                 : !m_checked                 ? tr("the machine is being checked")
                                              : wrong;
    updateButtons();
}

/// Makes the field as high as the command: the user should be able to read it before running it.
void RecordDialog::fitCommand() {
    // On a low screen, the form needs the room.
    constexpr int kFewest = 4, kLow = 800;
    const int most = screen()->availableSize().height() < kLow ? kFewest : 8;
    const int lines = int(m_command->document()->size().height());
    m_command->setFixedHeight(
        m_command->fontMetrics().lineSpacing() * std::clamp(lines, kFewest, most) + 16);
}

void RecordDialog::updateButtons() {
    using State = RecordingProcess::State;
    const State state = m_recording.state();
    const bool busy = m_recording.busy();
    m_record->setEnabled(!busy && m_obstacle.isEmpty());
    m_record->setToolTip(m_obstacle.isEmpty() ? QString() : tr("Not possible: %1").arg(m_obstacle));
    m_form->setEnabled(!busy);
    m_cancel->setEnabled(busy && state != State::Killing);
    m_cancel->setText(state == State::Interrupting ? tr("&Kill") : tr("Ca&ncel"));
    m_cancel->setToolTip(state == State::Interrupting
                             ? tr("Kills roofscope and the program at once; no data is kept")
                             : tr("Interrupts the program; what was measured is kept"));
    m_bar->setVisible(busy);
    if (state == State::Interrupting)
        m_status->setText(tr("Interrupted; waiting for the program to end and for the profile…"));
    if (state == State::Fetching)
        m_status->setText(tr("Fetching the profile from %1…").arg(request().host));
    if (state == State::Killing) m_status->setText(tr("Killing…"));
}

void RecordDialog::record() {
    const Result<RecordingCommand> command = recordingCommand(request(), m_roofscope);
    if (!command || !m_obstacle.isEmpty() || m_recording.busy()) return;
    m_log->clear();
    m_current->clear();
    m_status->setText(tr("Recording…"));
    m_tabs->setCurrentIndex(1);
    m_recording.start(*command);
}

void RecordDialog::showOutput() {
    m_refresh.stop();
    RecordingOutput& output = m_recording.output();
    const QStringList lines = output.takeLines();
    if (!lines.isEmpty()) m_log->appendPlainText(lines.join(QLatin1Char('\n')));
    m_current->setText(output.current());
    if (m_recording.state() == RecordingProcess::State::Running && !output.lastNote().isEmpty())
        m_status->setText(output.lastNote());
}

void RecordDialog::onFinished(const RecordingOutcome& outcome) {
    showOutput();
    m_status->setText(outcome.message);
    m_mark = newMark();
    m_tabs->setCurrentIndex(1);
    updateCommand();
    const bool whole = outcome.kind == RecordingOutcome::Kind::Done;
    if (outcome.written) Q_EMIT recorded(outcome.output, whole);
}

}  // namespace roofscope::gui
