// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/status_area.h"

#include <QAccessible>
#include <QLabel>
#include <QTime>

#include "gui/models/text/plain_tip.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {
namespace {

constexpr int kShownFor = 12'000;  // ms: long enough to notice and read
constexpr qsizetype kMostBefore = 12;

}  // namespace

StatusArea::StatusArea(QWidget* parent) : QWidget(parent) {
    m_mark = new QLabel(QStringLiteral("●"));
    m_mark->setObjectName(QStringLiteral("statusMark"));
    m_said = new ElidedLabel("statusSaid");
    m_said->setAccessibleName(tr("Last message"));
    m_summary = new ElidedLabel;
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_summary->setAccessibleName(tr("What is open"));
    // Equal stretch, so that neither text pushes the other out.
    setLayout(inRow({m_mark, {m_said, 1}, {m_summary, 1}}, {.around = {8, 1, 4, 1}, .between = 4}));
    m_timer.setSingleShot(true);
    m_timer.setInterval(kShownFor);
    connect(&m_timer, &QTimer::timeout, this, &StatusArea::clear);
    clear();
}

void StatusArea::show(const QString& text) {
    m_said->setText(text);
    m_mark->setVisible(true);
    setAccessibleDescription(text);
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void StatusArea::say(const QString& text) {
    show(text);
    m_before.prepend(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")) +
                     QStringLiteral("  ") + text);
    while (m_before.size() > kMostBefore) m_before.removeLast();
    m_said->setToolTip(plainTip(m_before.join(QLatin1Char('\n'))));
    m_timer.start();
}

void StatusArea::sayBusy(const QString& text) {
    m_timer.stop();
    show(text);
}

void StatusArea::clear() {
    m_timer.stop();
    m_said->clear();
    m_mark->setVisible(false);
}

QString StatusArea::said() const { return m_said->text(); }

void StatusArea::setSummary(const QString& text) {
    m_summary->setText(text);
    m_summary->setToolTip(plainTip(text));
}

}  // namespace roofscope::gui
