// SPDX-License-Identifier: Apache-2.0
#include "gui/views/recording/record_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <utility>

#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {
namespace {

/// The limits of `roofscope record` for --source top:N and --timing-repeats.
constexpr int kMostSources = 16, kMostRuns = 1000;

}  // namespace

RecordForm::RecordForm(QWidget* parent) : QWidget(parent) {
    auto* layout = new QFormLayout(this);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_purpose = plainLabel({}, "purpose");
    m_purpose->hide();
    layout->addRow(m_purpose);
    addProgram(*layout);
    addMeasurement(*layout);
    // The spacer takes the extra height of a high window.
    layout->addItem(new QSpacerItem(0, 0, QSizePolicy::Minimum, QSizePolicy::Expanding));
}

QLineEdit* RecordForm::line(const QString& name, const QString& hint) {
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(hint);
    edit->setAccessibleName(name);
    connect(edit, &QLineEdit::textChanged, this, &RecordForm::changed);
    return edit;
}

QSpinBox* RecordForm::number(const QString& name, int most, const QString& tip) {
    auto* box = new QSpinBox;
    box->setRange(0, most);
    box->setToolTip(tip);
    box->setAccessibleName(name);
    connect(box, &QSpinBox::valueChanged, this, &RecordForm::changed);
    return box;
}

void RecordForm::addBrowsed(QFormLayout& to, const QString& name, QLineEdit* edit, bool folder) {
    auto* button = new QPushButton(tr("Browse…"));
    button->setAccessibleName(tr("Browse: %1").arg(name));
    connect(button, &QPushButton::clicked, this, [=, this] { browse(edit, name, folder); });
    to.addRow(name, inRow({{edit, 1}, button}));
    if (edit != m_output) m_local.push_back(button);
}

void RecordForm::addProgram(QFormLayout& to) {
    m_host = line(tr("Machine"), tr("empty: this machine; else HOST or USER@HOST for ssh"));
    m_host->setToolTip(
        tr("Records on that machine with the roofscope in its PATH, then fetches the profile. ssh "
           "must be able to log in without a password. Nothing is installed."));
    connect(m_host, &QLineEdit::editingFinished, this, &RecordForm::hostEdited);
    to.addRow(tr("Machine"), m_host);
    m_program = line(tr("Program"), tr("a program that uses CUDA, or python3"));
    addBrowsed(to, tr("Program"), m_program, false);
    m_arguments = line(tr("Arguments"), tr("train.py --steps 10   (quotes as in a shell)"));
    to.addRow(tr("Arguments"), m_arguments);
    m_folder = line(tr("Working folder"), QDir::currentPath());
    addBrowsed(to, tr("Working folder"), m_folder, true);
    m_environment = new QPlainTextEdit;
    m_environment->setAccessibleName(tr("Environment"));
    m_environment->setTabChangesFocus(true);
    m_environment->setPlaceholderText(tr("NAME=value, one per line"));
    m_environment->setFixedHeight(m_environment->fontMetrics().lineSpacing() * 2 + 14);
    connect(m_environment, &QPlainTextEdit::textChanged, this, &RecordForm::changed);
    to.addRow(tr("Environment"), m_environment);
}

QWidget* RecordForm::groupTable() {
    auto* table = new QWidget;
    auto* groups = new QGridLayout(table);
    groups->setContentsMargins(0, 0, 0, 0);
    groups->setVerticalSpacing(2);
    groups->setColumnStretch(1, 1);
    for (const RecordingGroup& group : recordingGroups()) {
        auto* box = new QCheckBox(group.name);
        box->setChecked(group.name == QLatin1String("default"));
        auto* words = plainLabel(
            tr("%1; passes: at most %2").arg(group.explanation).arg(group.passes), "hint");
        box->setAccessibleDescription(words->text());
        groups->addWidget(box, int(m_groups.size()), 0, Qt::AlignTop);
        groups->addWidget(words, int(m_groups.size()), 1, Qt::AlignTop);
        connect(box, &QCheckBox::toggled, this, &RecordForm::changed);
        m_groups.push_back(box);
    }
    return table;
}

void RecordForm::addMeasurement(QFormLayout& to) {
    to.addRow(tr("Counter groups"), groupTable());
    m_effort = new ChoiceBox;
    m_effort->addItem(tr("default of roofscope"), QString());
    m_effort->addItem(tr("none"), QStringLiteral("quick"));
    m_effort->addItem(tr("what could change the verdict"), QStringLiteral("auto"));
    m_effort->addItem(tr("until no question is open"), QStringLiteral("deep"));
    m_effort->setToolTip(
        tr("Further runs of the program, to answer what the first ones left open"));
    m_effort->setAccessibleName(tr("Follow-up questions"));
    connect(m_effort, &QComboBox::currentIndexChanged, this, &RecordForm::changed);
    to.addRow(tr("Follow-up questions"), m_effort);
    m_kernel = line(tr("Kernel filter"), tr("only kernels whose name matches: gemm|softmax"));
    to.addRow(tr("Kernel filter"), m_kernel);
    m_source = number(tr("Kernels by source line"), kMostSources,
                      tr("Counters per source line for this many kernels, those with the most "
                         "time. Each takes one more run of the program"));
    m_source->setSpecialValueText(tr("none"));
    m_timing = number(tr("Timing runs"), kMostRuns,
                      tr("Runs without counters, for durations and start times. With 0 the program "
                         "runs only once, with counters, and there is no timeline"));
    m_timing->setValue(1);
    auto* timingLabel = new QLabel(tr("Timing runs"));
    timingLabel->setBuddy(m_timing);
    to.addRow(tr("Kernels by source line"),
              inRow({m_source, gap(24), timingLabel, m_timing, stretchSpace()}));
    m_options = line(tr("More options"), tr("of roofscope record: --nvtx decode --device 1"));
    to.addRow(tr("More options"), m_options);
    m_output = line(tr("Profile"), {});
    addBrowsed(to, tr("Profile"), m_output, false);
}

void RecordForm::browse(QLineEdit* line, const QString& title, bool folder) {
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

void RecordForm::hostEdited() {
    const QString host = m_host->text().trimmed();
    const bool here = host.isEmpty();
    for (QPushButton* button : m_local) button->setEnabled(here);
    m_folder->setPlaceholderText(here ? QDir::currentPath() : tr("your home folder there"));
    if (std::exchange(m_chosenHost, host) != host) Q_EMIT hostChosen();
}

RecordingRequest RecordForm::request() const {
    RecordingRequest request{.program = m_program->text(),
                             .arguments = m_arguments->text(),
                             .folder = m_folder->text(),
                             .environment = m_environment->toPlainText(),
                             .groups = {},
                             .kernel = m_kernel->text(),
                             .sourceTop = m_source->value(),
                             .timingRepeats = m_timing->value(),
                             .output = m_output->text(),
                             .effort = m_effort->currentData().toString(),
                             .options = m_options->text(),
                             .host = m_host->text().trimmed(),
                             .purpose = m_purpose->text()};
    for (const QCheckBox* box : m_groups)
        if (box->isChecked()) request.groups << box->text();
    return request;
}

void RecordForm::setRequest(const RecordingRequest& request) {
    m_host->setText(request.host);
    m_program->setText(request.program);
    m_arguments->setText(request.arguments);
    m_folder->setText(request.folder);
    m_environment->setPlainText(request.environment);
    for (QCheckBox* box : m_groups) box->setChecked(request.groups.contains(box->text()));
    m_effort->setCurrentIndex(std::max(0, m_effort->findData(request.effort)));
    m_kernel->setText(request.kernel);
    m_source->setValue(request.sourceTop);
    m_timing->setValue(request.timingRepeats);
    m_options->setText(request.options);
    m_output->setText(request.output);
    m_purpose->setText(request.purpose);
    m_purpose->setVisible(!request.purpose.isEmpty());
    hostEdited();
}

void RecordForm::proposeOutput(const QString& path) { m_output->setPlaceholderText(path); }

void RecordForm::focusFirst() { m_program->setFocus(); }

}  // namespace roofscope::gui
