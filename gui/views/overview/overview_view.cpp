// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/overview_view.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollBar>
#include <algorithm>

#include "gui/models/text/plain_tip.h"
#include "gui/views/overview/account_bar.h"
#include "gui/views/overview/account_legend.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/plain_label.h"
#include "gui/views/widgets/tab_order.h"

namespace roofscope::gui {
namespace {

constexpr double kHeading = 1.35, kPart = 1.1;
/// From this width on (in letters), account and actions are side by side.
constexpr int kWideLetters = 150;

QVBoxLayout* column(QBoxLayout& in) {
    auto* made = inColumn({}, {.between = 8});
    in.addLayout(made, 1);
    return made;
}

}  // namespace

OverviewView::OverviewView(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Where the program's time goes, and what to do first"));
    render();
}

void OverviewView::setOverview(const std::optional<Overview>& overview) {
    m_overview = overview;
    render();
    verticalScrollBar()->setValue(0);
}

void OverviewView::setTheme(plot::Theme theme) {
    m_theme = theme;
    render();
}

void OverviewView::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    arrange();
}

void OverviewView::arrange() {
    const bool wide = viewport()->width() >= kWideLetters * fontMetrics().averageCharWidth();
    m_columns->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void OverviewView::render() {
    auto* all = inColumn({}, {.around = {16, 12, 16, 12}, .between = 10});
    m_columns = inRow({}, {.between = 24});
    if (m_overview) addHead(*all);
    all->addLayout(m_columns);
    if (m_overview) {
        QVBoxLayout* account = column(*m_columns);
        addAccount(*account);
        account->addStretch(1);
        if (!m_overview->actions.empty()) {
            QVBoxLayout* actions = column(*m_columns);
            addActions(*actions);
            actions->addStretch(1);
        }
    }
    all->addStretch(1);
    replaceContent(this, all);
    arrange();
}

void OverviewView::addHead(QVBoxLayout& to) {
    to.addWidget(plainHeading(m_overview->window, "verdict", kHeading));
    if (!m_overview->since.isEmpty()) to.addWidget(plainHeading(m_overview->since, "since"));
    if (!m_overview->stop.isEmpty()) to.addWidget(plainHeading(m_overview->stop, "stop"));
}

void OverviewView::addAccount(QVBoxLayout& to) {
    to.addWidget(plainHeading(tr("Where the time goes"), "", kPart));
    auto* bar = new AccountBar(m_overview->account, m_theme);
    bar->setAccessibleName(m_overview->summary);
    to.addWidget(bar);
    to.addLayout(accountLegend(m_overview->account, m_theme, *this));
    if (!m_overview->lanes.empty()) addLanes(to);
    for (const QString& note : std::as_const(m_overview->notes)) to.addWidget(plainLabel(note));
    for (const QString& unknown : std::as_const(m_overview->unknown))
        to.addWidget(plainLabel(unknown, "hint"));
    if (m_overview->open) addOpen(to);
}

/// Adds what the recording left open, and a button to record it.
void OverviewView::addOpen(QVBoxLayout& to) {
    constexpr qsizetype kMost = 3;
    const QStringList& questions = m_overview->open->questions;
    to.addSpacing(8);
    to.addWidget(plainHeading(tr("Open questions"), "", kPart));
    for (const QString& question : questions.mid(0, kMost))
        to.addWidget(plainLabel(question, "hint"));
    if (questions.size() > kMost)
        to.addWidget(plainLabel(tr("and %1 more").arg(questions.size() - kMost), "hint"));
    to.addLayout(
        inRow({recordButton(tr("Record for These Questions…"), m_overview->open->recording),
               stretchSpace()}));
}

QPushButton* OverviewView::recordButton(const QString& text, const RecordingRequest& request) {
    auto* button = new QPushButton(text);
    button->setToolTip(tr("Opens the Record dialog, filled in with this program"));
    connect(button, &QPushButton::clicked, this,
            [this, request] { Q_EMIT recordRequested(request); });
    return button;
}

void OverviewView::addLanes(QVBoxLayout& to) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Overview::Account& lane : m_overview->lanes) {
        grid->addWidget(wordLabel(lane.name), row, 0);
        grid->addWidget(new AccountBar(lane, m_theme), row, 1);
        grid->addWidget(wordLabel(lane.window), row, 2);
        ++row;
    }
    to.addLayout(grid);
}

void OverviewView::addActions(QVBoxLayout& to) {
    if (m_overview->actions.empty()) return;
    to.addWidget(plainHeading(tr("What to do first"), "", kPart));
    for (std::size_t i = 0; i < m_overview->actions.size(); ++i)
        to.addWidget(card(m_overview->actions[i], i + 1));
    if (!m_overview->bounds.isEmpty()) to.addWidget(plainLabel(m_overview->bounds));
    addNext(to);
}

QWidget* OverviewView::card(const Overview::Action& action, std::size_t number) {
    const auto [card, layout] = numberedCard(
        number, action.title, action.gain,
        tr("Upper bound of the gain per window; gains of several actions do not add up"),
        GainPlace::BesideTitle);
    card->setAccessibleName(tr("Action %1: %2, %3").arg(number).arg(action.title, action.gain));
    if (!action.wrong.isEmpty()) layout->addWidget(plainLabel(action.wrong));
    if (!action.edit.isEmpty()) layout->addWidget(plainLabel(action.edit));
    // Places in known files get buttons below.
    if (!action.atUnknownFiles.isEmpty())
        layout->addWidget(plainLabel(action.atUnknownFiles, "hint"));

    QHBoxLayout* buttons = nullptr;
    const auto nextRow = [&, in = layout] {
        if (buttons) buttons->addStretch(1);
        buttons = inRow({}, {.between = 6});
        in->addLayout(buttons);
    };
    nextRow();
    const auto add = [&](const QString& text, const QString& name) {
        auto* button = new QPushButton(QString(text).replace(u'&', QStringLiteral("&&")));
        button->setAccessibleName(name);
        buttons->addWidget(button);
        return button;
    };
    // Elide button texts: a row of buttons sets the minimum width of the card.
    const auto brief = [this](const QString& text, int most) {
        return fontMetrics().elidedText(text, Qt::ElideRight,
                                        most * fontMetrics().averageCharWidth());
    };
    if (!action.kernels.empty()) {
        const std::size_t more = action.kernels.size() - 1;
        const QString first = brief(action.kernels.front().name, 28);
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
    // One row per place: their texts may differ only at the end, so they need the width.
    for (const Overview::Place& place : action.places) {
        if (place.file.isEmpty()) continue;
        if (buttons->count() > 0) nextRow();
        auto* show = add(brief(place.text, 60), tr("Show %1 in its file").arg(place.text));
        show->setToolTip(plainTip(place.text + u'\n' + place.file));
        connect(show, &QPushButton::clicked, this,
                [this, place] { Q_EMIT placeRequested(place.file, place.line); });
    }
    auto* copied = add(tr("Copy"), tr("Copy action %1 with the next command").arg(number));
    copied->setToolTip(tr("Copy this text and the next command, for an assistant"));
    connect(copied, &QPushButton::clicked, this, [this, action] {
        copy(action.text() + m_overview->next + u'\n', tr("Copied: %1").arg(action.title));
    });
    buttons->addStretch(1);
    return card;
}

void OverviewView::addNext(QVBoxLayout& to) {
    to.addWidget(plainLabel(tr("Make one edit, then run exactly this:")));
    to.addWidget(codeLabel(m_overview->next));
    auto* button = new QPushButton(tr("Copy command"));
    connect(button, &QPushButton::clicked, this,
            [this] { copy(m_overview->next + u'\n', tr("Copied the next command")); });
    to.addLayout(
        inRow({button, recordButton(tr("Record…"), m_overview->afterEdit), stretchSpace()}));
}

void OverviewView::copy(const QString& text, const QString& message) {
    QApplication::clipboard()->setText(text);
    Q_EMIT said(message);
}

}  // namespace roofscope::gui
