// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/occupancy_line.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>

#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

OccupancyLine::OccupancyLine(QWidget* parent) : QWidget(parent) {
    auto* inputs = inRow({}, {.around = kNoMargins, .between = 6});
    m_inputs = widgetWith(inputs);
    const auto add = [&](const QString& name, int step, const QString& unit) {
        auto* box = new QSpinBox;
        box->setSingleStep(step);
        box->setSuffix(unit);
        box->setGroupSeparatorShown(true);
        box->setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        box->setKeyboardTracking(true);
        auto* label = new ElidedLabel;
        label->setText(name);
        label->setToolTip(name);
        label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        label->setMinimumWidth(1);  // a large font must not widen the window
        label->setBuddy(box);
        box->setAccessibleName(name);
        inputs->addWidget(label);
        inputs->addWidget(box);
        connect(box, &QSpinBox::valueChanged, this, &OccupancyLine::showAnswer);
        return box;
    };
    auto* title = new QLabel(tr("What if:"));
    title->setToolTip(
        tr("The occupancy with another block. Registers and static shared memory are fixed when "
           "the kernel is compiled, so change them there."));
    inputs->addWidget(title);
    m_threads = add(tr("threads per block"), 32, {});
    m_registers = add(tr("registers per thread"), 8, {});
    m_shared = add(tr("shared memory per block"), 1024, QStringLiteral(" B"));
    m_reset = new QPushButton(tr("As launched"));
    inputs->addWidget(m_reset);
    inputs->addStretch(1);
    m_answer = new ElidedLabel;
    m_layout = inRow({m_inputs, {m_answer, 1}}, {.around = {8, 6, 8, 0}, .between = 10});
    setLayout(m_layout);
    connect(m_reset, &QPushButton::clicked, this, &OccupancyLine::reset);
}

void OccupancyLine::setKernel(const std::shared_ptr<const Analysis>& analysis,
                              std::optional<std::size_t> kernel) {
    const OccupancyStart start = analysis ? occupancyStart(*analysis, kernel) : OccupancyStart{};
    m_question = start.question;
    m_inputs->setVisible(m_question.has_value());
    setVisible(m_question || !start.reason.isEmpty());
    if (!m_question) {
        m_answer->setText(start.reason);
        return;
    }
    const auto limit = [](QSpinBox* box, std::uint64_t least, std::uint64_t most) {
        const QSignalBlocker quiet(box);
        box->setRange(int(least), int(std::min<std::uint64_t>(most, 1U << 30U)));
    };
    limit(m_threads, 1, m_question->mostThreads);
    limit(m_registers, 1, m_question->mostRegisters);
    limit(m_shared, 0, m_question->mostSharedBytes);
    arrange();
    reset();
}

void OccupancyLine::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void OccupancyLine::arrange() {
    // If little of the answer would fit beside the fields, it goes below them.
    const int beside = m_inputs->sizeHint().width() + 45 * fontMetrics().averageCharWidth();
    const bool below = !m_inputs->isHidden() && width() < beside;
    m_layout->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QString OccupancyLine::answer() const { return m_answer->text(); }

void OccupancyLine::reset() {
    if (!m_question) return;
    const BlockResources& block = m_question->launched;
    const std::pair<QSpinBox*, std::uint64_t> values[] = {{m_threads, block.threads},
                                                          {m_registers, block.registersPerThread},
                                                          {m_shared, block.sharedBytes}};
    for (const auto& [box, value] : values) {
        const QSignalBlocker quiet(box);
        box->setValue(int(value));
    }
    showAnswer();
}

void OccupancyLine::showAnswer() {
    if (!m_question) return;
    const BlockResources block{.threads = std::uint64_t(m_threads->value()),
                               .registersPerThread = std::uint32_t(m_registers->value()),
                               .sharedBytes = std::uint64_t(m_shared->value())};
    m_answer->setText(occupancyAnswer(*m_question, block));
    m_answer->setToolTip(m_answer->text());  // the label may be elided
    const BlockResources& launched = m_question->launched;
    m_reset->setEnabled(block.threads != launched.threads ||
                        block.registersPerThread != launched.registersPerThread ||
                        block.sharedBytes != launched.sharedBytes);
}

}  // namespace roofscope::gui
