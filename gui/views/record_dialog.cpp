// SPDX-License-Identifier: Apache-2.0
#include "gui/views/record_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/models/shown_language.h"
#include "gui/views/elided_label.h"

namespace roofscope::gui {
namespace {

constexpr int kMostLines = 5000, kRefreshMs = 80;
/// As many kernels as record takes (--source top:16) and runs (--timing-repeats).
constexpr int kMostSources = 16, kMostRuns = 1000;

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
    : QDialog(parent), m_roofscope(roofscope), m_language(shownLanguage()) {
    setObjectName(QStringLiteral("recordDialog"));
    setWindowTitle(tr("Record a profile"));
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_form = buildForm();
    m_tabs->addTab(m_form, tr("What to record"));
    m_tabs->addTab(buildOutput(), tr("Output"));

    m_command = plainText(tr("Command that will be run"), true);
    m_command->setReadOnly(true);
    m_command->setFixedHeight(m_command->fontMetrics().lineSpacing() * 3 + 16);
    m_copy = new QPushButton(tr("&Copy"));
    m_copy->setToolTip(tr("Copies the command, to be run in a terminal"));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_command->toPlainText()); });
    m_copyElsewhere = new QPushButton(tr("Copy for another machine"));
    m_copyElsewhere->setToolTip(tr("The same without paths of this machine"));
    connect(m_copyElsewhere, &QPushButton::clicked, this, [this] {
        if (const auto command = recordingCommand(request(), m_roofscope))
            QApplication::clipboard()->setText(command->textElsewhere());
    });
    auto* copies = new QVBoxLayout;
    copies->addWidget(m_copy);
    copies->addWidget(m_copyElsewhere);
    copies->addStretch(1);
    auto* commandRow = new QHBoxLayout;
    commandRow->addWidget(m_command, 1);
    commandRow->addLayout(copies);

    m_machine = plainLabel();
    m_checks = plainText(tr("What is wrong with this machine"), true);
    m_checks->setReadOnly(true);
    m_checks->setMaximumHeight(m_checks->fontMetrics().lineSpacing() * 6 + 12);
    m_checks->hide();

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_tabs, 1);
    layout->addLayout(commandRow);
    layout->addWidget(m_machine);
    layout->addWidget(m_checks);
    layout->addWidget(buildButtons());
    resize(760, 720);

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

QWidget* RecordDialog::buildForm() {
    auto* form = new QWidget;
    auto* layout = new QFormLayout(form);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto line = [&](const QString& name, const QString& hint) {
        auto* edit = new QLineEdit;
        edit->setPlaceholderText(hint);
        edit->setAccessibleName(name);
        connect(edit, &QLineEdit::textChanged, this, &RecordDialog::updateCommand);
        return edit;
    };
    const auto withBrowse = [&](const QString& name, QLineEdit* edit, bool folder) {
        auto* button = new QPushButton(tr("Browse…"));
        button->setAccessibleName(tr("Browse: %1").arg(name));
        connect(button, &QPushButton::clicked, this, [=, this] { browse(edit, name, folder); });
        auto* row = new QHBoxLayout;
        row->addWidget(edit, 1);
        row->addWidget(button);
        layout->addRow(name, row);
    };
    m_program = line(tr("Program"), tr("a program that uses CUDA, or python3"));
    withBrowse(tr("Program"), m_program, false);
    m_arguments = line(tr("Arguments"), tr("train.py --steps 10   (quotes as in a shell)"));
    layout->addRow(tr("Arguments"), m_arguments);
    m_folder = line(tr("Working folder"), QDir::currentPath());
    withBrowse(tr("Working folder"), m_folder, true);
    m_environment = plainText(tr("Environment"), false);
    m_environment->setPlaceholderText(tr("NAME=value, one per line"));
    m_environment->setFixedHeight(m_environment->fontMetrics().lineSpacing() * 2 + 14);
    connect(m_environment, &QPlainTextEdit::textChanged, this, &RecordDialog::updateCommand);
    layout->addRow(tr("Environment"), m_environment);

    auto* groups = new QGridLayout;
    groups->setVerticalSpacing(2);
    groups->setColumnStretch(1, 1);
    for (const RecordingGroup& group : recordingGroups()) {
        auto* box = new QCheckBox(group.name);
        box->setChecked(group.name == QLatin1String("default"));
        auto* words =
            new QLabel(tr("%1; passes: at most %2").arg(group.explanation).arg(group.passes));
        words->setObjectName(QStringLiteral("hint"));
        words->setTextFormat(Qt::PlainText);
        words->setWordWrap(true);
        box->setAccessibleDescription(words->text());
        groups->addWidget(box, int(m_groups.size()), 0, Qt::AlignTop);
        groups->addWidget(words, int(m_groups.size()), 1, Qt::AlignTop);
        connect(box, &QCheckBox::toggled, this, &RecordDialog::updateCommand);
        m_groups.push_back(box);
    }
    layout->addRow(tr("Counter groups"), groups);

    m_kernel = line(tr("Kernel filter"), tr("only kernels whose name matches: gemm|softmax"));
    layout->addRow(tr("Kernel filter"), m_kernel);
    m_source = new QSpinBox;
    m_source->setRange(0, kMostSources);
    m_source->setSpecialValueText(tr("none"));
    m_source->setToolTip(
        tr("Counters per source line of so many kernels, those with the most "
           "time. One more run of the program for each"));
    m_timing = new QSpinBox;
    m_timing->setRange(0, kMostRuns);
    m_timing->setValue(1);
    m_timing->setToolTip(
        tr("Runs without counters that durations and start times come from. With "
           "0 the program runs once, with counters, and there is no timeline"));
    for (QSpinBox* box : {m_source, m_timing})
        connect(box, &QSpinBox::valueChanged, this, &RecordDialog::updateCommand);
    auto* numbers = new QHBoxLayout;
    numbers->addWidget(m_source);
    numbers->addSpacing(24);
    auto* timingLabel = new QLabel(tr("Timing runs"));
    timingLabel->setBuddy(m_timing);
    numbers->addWidget(timingLabel);
    numbers->addWidget(m_timing);
    numbers->addStretch(1);
    layout->addRow(tr("Kernels by source line"), numbers);
    m_source->setAccessibleName(tr("Kernels by source line"));
    m_timing->setAccessibleName(tr("Timing runs"));

    m_output = line(tr("Profile"), {});
    withBrowse(tr("Profile"), m_output, false);
    return form;
}

QWidget* RecordDialog::buildOutput() {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 6, 0, 0);
    m_log = plainText(tr("Output of the recording"), true);
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(kMostLines);
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setPlaceholderText(tr("What roofscope and the program write comes here."));
    m_current = new ElidedLabel;
    m_current->setObjectName(QStringLiteral("hint"));
    layout->addWidget(m_log, 1);
    layout->addWidget(m_current);
    return page;
}

QWidget* RecordDialog::buildButtons() {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
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
    m_record->setDefault(true);
    m_cancel = new QPushButton;
    auto* close = new QPushButton(tr("Close"));
    close->setToolTip(tr("A recording goes on when this window is closed"));
    for (QPushButton* button : {m_cancel, close}) button->setAutoDefault(false);
    layout->addWidget(m_status, 1);
    layout->addWidget(m_bar);
    layout->addWidget(m_record);
    layout->addWidget(m_cancel);
    layout->addWidget(close);
    connect(m_record, &QPushButton::clicked, this, &RecordDialog::record);
    connect(m_cancel, &QPushButton::clicked, &m_recording, &RecordingProcess::cancel);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    return row;
}

void RecordDialog::browse(QLineEdit* line, const QString& title, bool folder) {
    QString path;
    if (folder) {
        path = QFileDialog::getExistingDirectory(this, title, line->text());
    } else if (line == m_output) {
        const QString proposal = line->text().isEmpty() ? line->placeholderText() : line->text();
        path = QFileDialog::getSaveFileName(this, title, proposal,
                                            tr("Profiles (*.roofscope.json *.roofscope.json.gz)"));
    } else {
        path = QFileDialog::getOpenFileName(this, title, m_folder->text());
    }
    if (!path.isEmpty()) line->setText(path);
}

RecordingRequest RecordDialog::request() const {
    RecordingRequest request{.program = m_program->text(),
                             .arguments = m_arguments->text(),
                             .folder = m_folder->text(),
                             .environment = m_environment->toPlainText(),
                             .groups = {},
                             .kernel = m_kernel->text(),
                             .sourceTop = m_source->value(),
                             .timingRepeats = m_timing->value(),
                             .output = m_output->text()};
    for (const QCheckBox* box : m_groups)
        if (box->isChecked()) request.groups << box->text();
    return request;
}

void RecordDialog::setRequest(const RecordingRequest& request) {
    m_program->setText(request.program);
    m_arguments->setText(request.arguments);
    m_folder->setText(request.folder);
    m_environment->setPlainText(request.environment);
    for (QCheckBox* box : m_groups) box->setChecked(request.groups.contains(box->text()));
    m_kernel->setText(request.kernel);
    m_source->setValue(request.sourceTop);
    m_timing->setValue(request.timingRepeats);
    m_output->setText(request.output);
}

QString RecordDialog::commandText() const { return m_command->toPlainText(); }
QString RecordDialog::machineText() const {
    return m_machine->text() + QLatin1Char('\n') + m_checks->toPlainText();
}
QString RecordDialog::statusText() const { return m_status->text(); }

void RecordDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    // Asked again each time: rights and drivers change, and the remedy was perhaps applied.
    if (m_roofscope.isEmpty()) {
        m_machineObstacle = tr("the program roofscope was not found beside this one nor in PATH");
        m_machine->setText(
            tr("The program roofscope was not found beside this one nor in PATH: "
               "nothing can be recorded here. The command can be copied and run "
               "where roofscope is installed."));
        m_checked = true;
    } else if (!m_doctor.busy() && !m_recording.busy()) {
        m_checked = false;
        m_machine->setText(tr("Looking whether counters can be read here…"));
        m_doctor.start(m_roofscope);
    }
    updateCommand();
    m_program->setFocus();
}

void RecordDialog::showMachine(const std::optional<DoctorReport>& report) {
    m_checked = true;
    m_machineObstacle.clear();
    m_checks->clear();
    if (!report) {
        m_machine->setText(
            tr("roofscope doctor gave no answer: it is not known whether counters "
               "can be read here."));
    } else {
        m_checks->setPlainText(report->text());
        m_machineObstacle = report->obstacle();
        if (report->countersReadable)
            m_machine->setText(tr("Counters can be read here."));
        else if (m_machineObstacle.isEmpty())
            m_machine->setText(
                tr("Counters cannot be read here, only durations and launch shapes. "
                   "What to do:"));
        else
            m_machine->setText(
                tr("Nothing can be recorded on this machine. The command can be "
                   "copied and run on one with a GPU. What is missing here:"));
    }
    m_checks->setVisible(!m_checks->toPlainText().isEmpty());
    updateCommand();
}

void RecordDialog::updateCommand() {
    const RecordingRequest wanted = request();
    m_output->setPlaceholderText(proposedOutput(wanted));
    const Result<RecordingCommand> command = recordingCommand(wanted, m_roofscope);
    QString wrong;
    if (command) {
        m_command->setPlainText(command->text());
    } else {
        const Error& error = command.error();
        wrong = tr("%1: %2").arg(QString::fromStdString(error.where),
                                 QString::fromStdString(error.what));
        m_command->clear();
        m_command->setPlaceholderText(wrong);
    }
    for (QPushButton* copy : {m_copy, m_copyElsewhere}) copy->setEnabled(wrong.isEmpty());
    m_obstacle = !m_machineObstacle.isEmpty() ? m_machineObstacle
                 : !m_checked                 ? tr("this machine is being looked at")
                                              : wrong;
    updateButtons();
}

void RecordDialog::updateButtons() {
    using State = RecordingProcess::State;
    const State state = m_recording.state();
    const bool busy = m_recording.busy();
    m_record->setEnabled(!busy && m_obstacle.isEmpty());
    m_record->setToolTip(m_obstacle.isEmpty() ? QString() : tr("Not possible: %1").arg(m_obstacle));
    m_form->setEnabled(!busy);
    m_cancel->setEnabled(state == State::Running || state == State::Interrupting);
    m_cancel->setText(state == State::Interrupting ? tr("&Kill") : tr("Ca&ncel"));
    m_cancel->setToolTip(state == State::Interrupting
                             ? tr("Ends roofscope and the program at once; nothing is kept")
                             : tr("Interrupts the program; what was measured is kept"));
    m_bar->setVisible(busy);
    if (state == State::Interrupting)
        m_status->setText(tr("Interrupted; waiting for the program to end and for the profile…"));
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
    m_tabs->setCurrentIndex(1);
    updateCommand();
    const bool whole = outcome.kind == RecordingOutcome::Kind::Done;
    if (outcome.written) Q_EMIT recorded(outcome.output, whole);
}

}  // namespace roofscope::gui
