// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/action_card.h"
#include "gui/models/text/shown_text.h"

#include <QMouseEvent>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "gui/models/text/plain_tip.h"
#include "gui/views/widgets/flow_layout.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"

namespace roofscope::gui {
namespace {

constexpr QMargins kCardMargins(6, 6, 10, 6);
constexpr int kCardSpacing = 5;
constexpr int kOperatorLetters = 30;  // of the operator behind a place

}  // namespace

ActionCard::ActionCard(const Overview::Action& action, std::size_t number, QWidget* parent)
    : QFrame(parent) {
    setObjectName(QStringLiteral("card"));
    setAccessibleName(tr("Action %1: %2, %3").arg(number).arg(action.title, action.gain));
    m_fold = new QToolButton;
    m_fold->setObjectName(QStringLiteral("fold"));
    m_fold->setAccessibleName(tr("Show or hide action %1").arg(number));
    m_fold->setToolTip(m_fold->accessibleName());
    connect(m_fold, &QToolButton::clicked, this, &ActionCard::toggle);
    QLabel* title = plainHeading(QStringLiteral("%1. %2").arg(number).arg(action.title), "");
    QLabel* gain = wordLabel(action.gain);
    gain->setObjectName(QStringLiteral("gain"));
    gain->setFont(title->font());
    gain->setToolTip(tr("Gain per window; gains of several actions do not add up"));
    m_head = inRow({m_fold, {title, 1}, gain}, {.around = kNoMargins, .between = 4});
    auto* body = inColumn({}, {.around = {m_fold->sizeHint().width() + 4, 0, 0, 2}, .between = 5});
    if (!action.wrong.isEmpty()) body->addWidget(plainLabel(action.wrong));
    if (!action.edit.isEmpty()) body->addWidget(plainLabel(action.edit));
    // Places in known files get buttons below.
    if (!action.atUnknownFiles.isEmpty())
        body->addWidget(plainLabel(action.atUnknownFiles, "hint"));
    addButtons(action, number, *body);
    m_body = widgetWith(body);
    setLayout(inColumn({m_head, m_body}, {.around = kCardMargins, .between = kCardSpacing}));
    setOpen(true);
}

void ActionCard::addButtons(const Overview::Action& action, std::size_t number, QVBoxLayout& to) {
    auto* buttons = new FlowLayout(5);
    const auto add = [&](const QString& text, const QString& name) {
        auto* button = new QPushButton(labelText(text));
        button->setObjectName(QStringLiteral("chip"));
        button->setAccessibleName(name);
        buttons->addWidget(button);
        return button;
    };
    const auto brief = [this](const QString& text, int most) {
        return fontMetrics().elidedText(text, Qt::ElideRight,
                                        most * fontMetrics().averageCharWidth());
    };
    if (!action.kernels.empty()) {
        const std::size_t more = action.kernels.size() - 1;
        const QString first = brief(action.kernels.front().name, 40);
        QStringList names;
        KernelSelection chosen{.current = action.kernels.front().index, .all = {}};
        for (const Overview::Kernel& kernel : action.kernels) {
            names << kernel.name;
            chosen.all.push_back(kernel.index);
        }
        std::ranges::sort(chosen.all);
        auto* show = add(more == 0 ? first : tr("%1 and %2 more").arg(first).arg(more),
                         tr("Show the kernels of action %1").arg(number));
        show->setToolTip(plainTip(names.mid(0, 20).join(u'\n')));
        connect(show, &QPushButton::clicked, this,
                [this, chosen] { Q_EMIT kernelsRequested(chosen); });
    }
    for (const Overview::Place& place : action.places) {
        if (place.file.isEmpty()) continue;
        // File and line are never cut; what follows them, an operator, at its end.
        const QString line = QStringLiteral(":%1").arg(place.line);
        const qsizetype found = place.text.indexOf(line);
        const qsizetype whole = found < 0 ? 0 : found + line.size();
        QString text = place.text.left(whole) + brief(place.text.mid(whole), kOperatorLetters);
        if (!place.time.isEmpty()) text += QStringLiteral(" · ") + place.time;
        auto* show = add(text, tr("Show %1 in its file").arg(place.text));
        show->setToolTip(plainTip(place.text + u'\n' + place.file));
        connect(show, &QPushButton::clicked, this,
                [this, place] { Q_EMIT placeRequested(place.file, place.line); });
    }
    auto* copied = add(tr("Copy"), tr("Copy action %1 with the next command").arg(number));
    copied->setToolTip(tr("Copy this text and the next command, for an assistant"));
    connect(copied, &QPushButton::clicked, this, &ActionCard::copyRequested);
    to.addLayout(buttons);
}

void ActionCard::setOpen(bool open) {
    m_body->setVisible(open);
    m_fold->setText(open ? QStringLiteral("▾") : QStringLiteral("▸"));
    setCursor(open ? Qt::ArrowCursor : Qt::PointingHandCursor);
}

bool ActionCard::isOpen() const { return !m_body->isHidden(); }

void ActionCard::toggle() {
    m_decided = true;
    setOpen(!isOpen());
}

void ActionCard::mouseReleaseEvent(QMouseEvent* event) {
    // A click anywhere opens a folded card. In an open card, clicks are for selecting text.
    if (event->button() == Qt::LeftButton && !isOpen()) toggle();
    QFrame::mouseReleaseEvent(event);
}

int ActionCard::heightIf(bool open, int width) const {
    const int room = width - kCardMargins.left() - kCardMargins.right() - 2 * frameWidth();
    const int head = kCardMargins.top() + kCardMargins.bottom() + 2 * frameWidth() +
                     std::max(m_head->totalHeightForWidth(room), m_fold->sizeHint().height());
    return open ? head + kCardSpacing + m_body->layout()->totalHeightForWidth(room) : head;
}

}  // namespace roofscope::gui
