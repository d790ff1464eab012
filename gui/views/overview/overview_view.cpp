// SPDX-License-Identifier: Apache-2.0
#include "gui/views/overview/overview_view.h"
#include "gui/models/text/shown_text.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/views/overview/account_bar.h"
#include "gui/views/overview/account_legend.h"
#include "gui/views/overview/action_card.h"
#include "gui/views/overview/change_table.h"
#include "gui/views/overview/operator_grid.h"
#include "gui/views/widgets/elided_label.h"
#include "gui/views/widgets/flow_layout.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/name_button.h"
#include "gui/views/widgets/plain_label.h"
#include "gui/views/widgets/tab_order.h"

namespace roofscope::gui {
namespace {

constexpr double kHeading = 1.35, kPart = 1.1;
/// From this width on (in letters), account and actions are side by side.
constexpr int kWideLetters = 150;
constexpr std::size_t kFewKernels = 5, kMostKernels = 14;

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
    // If the file was only reloaded or compared, keep the part that the user chose.
    const bool same = m_overview && overview && m_overview->file == overview->file;
    const QString chosen = same && m_part ? m_overview->parts[*m_part].part : QString();
    m_overview = overview;
    m_part.reset();
    if (!chosen.isEmpty())
        for (std::size_t i = 0; i < overview->parts.size(); ++i)
            if (overview->parts[i].part == chosen) m_part = i;
    render();
    if (!same) verticalScrollBar()->setValue(0);
}

void OverviewView::showPart(std::optional<std::size_t> part) {
    if (part == m_part || (part && (!m_overview || *part >= m_overview->parts.size()))) return;
    m_part = part;
    // Deferred, because rendering replaces the button whose click may be the caller.
    QTimer::singleShot(0, this, [this] {
        const bool focused = isAncestorOf(QApplication::focusWidget());
        render();
        verticalScrollBar()->setValue(0);
        if (!focused) return;
        for (QPushButton* chip : findChildren<QPushButton*>(QStringLiteral("part")))
            if (chip->isChecked()) chip->setFocus();
    });
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
    showKernelRows();
    // Deferred until the widgets have been laid out.
    QTimer::singleShot(0, this, [this, wide] { foldCards(wide); });
}

/// Folds as many of the last cards as necessary to have all titles in view. In the one-column
/// layout nothing is folded, since the cards are below the account anyway.
void OverviewView::foldCards(bool wide) {
    if (m_cards.empty()) return;
    const int width = m_cards.front()->width(), top = m_cards.front()->y();
    constexpr int kBetweenCards = 8;
    int needed = top;
    std::vector<bool> open;
    for (const ActionCard* card : m_cards) {
        open.push_back(!card->isDecided() || card->isOpen());
        needed += card->heightIf(open.back(), width) + kBetweenCards;
    }
    for (std::size_t i = m_cards.size() - 1; wide && i > 0 && needed > viewport()->height(); --i) {
        if (!open[i] || m_cards[i]->isDecided()) continue;
        open[i] = false;
        needed -= m_cards[i]->heightIf(true, width) - m_cards[i]->heightIf(false, width);
    }
    for (std::size_t i = 0; i < m_cards.size(); ++i)
        if (m_cards[i]->isOpen() != open[i]) m_cards[i]->setOpen(open[i]);
}

/// Adds the names of the window's kernels, those with the most time first.
void OverviewView::addKernels(QVBoxLayout& to) {
    if (shown().functions.empty()) return;
    to.addSpacing(4);
    to.addWidget(plainHeading(tr("Kernels, with their share of the window"), "", kPart));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(5, 2);
    const std::size_t most = std::min(kMostKernels, shown().functions.size());
    QStringList all;
    for (std::size_t i = 0; i < most; ++i) all << shown().functions[i].name;
    const auto names = std::make_shared<const NamesApart>(all);
    for (std::size_t i = 0; i < most; ++i) {
        const ShownFunction& function = shown().functions[i];
        auto* name = new NameButton(function.name, names);
        name->setToolTip(plainTip(function.name + u'\n' + function.verdict));
        connect(name, &QPushButton::clicked, this,
                [this, kernels = function.kernels] { Q_EMIT kernelsRequested(kernels); });
        auto* verdict = new ElidedLabel("");
        verdict->setText(function.verdict);
        verdict->setToolTip(plainTip(function.verdict));
        std::vector<QWidget*> row{name};
        for (const QString& number :
             {function.share, function.time, function.launches, function.shapes})
            row.push_back(wordLabel(number, Qt::AlignRight | Qt::AlignVCenter));
        row.push_back(verdict);
        for (std::size_t column = 0; column < row.size(); ++column)
            grid->addWidget(row[column], int(i), int(column));
        m_kernelRows.push_back(std::move(row));
    }
    to.addLayout(grid);
    m_moreKernels = plainLabel({}, "hint");
    to.addWidget(m_moreKernels);
}

void OverviewView::addOperators(QVBoxLayout& to) {
    const OperatorList& operators = shown().operators;
    if (operators.rows.empty()) return;
    to.addSpacing(4);
    to.addWidget(plainHeading(tr("Operators"), "", kPart));
    if (!operators.flops.isEmpty()) to.addWidget(plainLabel(operators.flops));
    to.addLayout(operatorGrid(operators));
    to.addWidget(plainLabel(operators.note, "hint"));
}

/// Shows as many kernels as fit the height.
void OverviewView::showKernelRows() {
    if (m_kernelRows.empty()) return;
    constexpr int kLowHeight = 36;  // in lines
    const std::size_t most = viewport()->height() < kLowHeight * fontMetrics().lineSpacing()
                                 ? kFewKernels
                                 : kMostKernels;
    for (std::size_t i = 0; i < m_kernelRows.size(); ++i)
        for (QWidget* widget : m_kernelRows[i]) widget->setVisible(i < most);
    const std::size_t all = shown().functions.size(), visible = std::min(most, all);
    m_moreKernels->setText(tr("and %1 more").arg(text(double(all - visible))));
    m_moreKernels->setVisible(all > visible);
}

void OverviewView::render() {
    auto* all = inColumn({}, {.around = {16, 12, 16, 12}, .between = 10});
    m_columns = inRow({}, {.between = 24});
    m_cards.clear();
    m_kernelRows.clear();
    m_moreKernels = nullptr;
    if (m_overview) {
        addParts(*all);
        addHead(*all);
    }
    all->addLayout(m_columns);
    if (m_overview) {
        QVBoxLayout* account = column(*m_columns);
        addAccount(*account);
        account->addStretch(1);
        if (!shown().actions.empty()) {
            QVBoxLayout* actions = column(*m_columns);
            addActions(*actions);
            actions->addStretch(1);
        }
    }
    all->addStretch(1);
    replaceContent(this, all);
    arrange();
}

/// Adds a button for the whole window and one for each of its parts.
void OverviewView::addParts(QVBoxLayout& to) {
    if (m_overview->parts.empty()) return;
    auto* row = new FlowLayout(6);
    const auto add = [&](const QString& name, std::optional<std::size_t> part) {
        auto* chip = new QPushButton(labelText(name));
        chip->setObjectName(QStringLiteral("part"));
        chip->setCheckable(true);
        chip->setAutoExclusive(true);
        chip->setChecked(m_part == part);
        chip->setToolTip(tr("Judge this part by itself"));
        connect(chip, &QPushButton::clicked, this, [this, part] { showPart(part); });
        row->addWidget(chip);
    };
    add(tr("All"), std::nullopt);
    for (std::size_t i = 0; i < m_overview->parts.size(); ++i)
        add(partWords(m_overview->parts[i]), i);
    to.addLayout(row);
}

void OverviewView::addHead(QVBoxLayout& to) {
    to.addWidget(plainHeading(shown().window, "verdict", kHeading));
    if (!shown().since.isEmpty()) to.addWidget(plainHeading(shown().since, "since"));
    if (!shown().stop.isEmpty()) to.addWidget(plainHeading(shown().stop, "stop"));
}

void OverviewView::addAccount(QVBoxLayout& to) {
    to.addWidget(plainHeading(tr("Where the time goes"), "", kPart));
    if (shown().change) {
        to.addLayout(changeTable(*shown().change, m_theme, *this));
    } else {
        auto* bar = new AccountBar(shown().account, m_theme);
        bar->setAccessibleName(shown().summary);
        to.addWidget(bar);
        to.addLayout(accountLegend(shown().account, m_theme, *this));
    }
    if (!shown().lanes.empty()) addLanes(to);
    for (const QString& note : std::as_const(shown().notes)) to.addWidget(plainLabel(note));
    for (const QString& unknown : std::as_const(shown().unknown))
        to.addWidget(plainLabel(unknown, "hint"));
    addKernels(to);
    addOperators(to);
    if (shown().open) addOpen(to);
}

/// Adds what the recording left open, and a button to record it.
void OverviewView::addOpen(QVBoxLayout& to) {
    constexpr qsizetype kMost = 3;
    const QStringList& questions = shown().open->questions;
    to.addSpacing(8);
    to.addWidget(plainHeading(tr("Open questions"), "", kPart));
    for (const QString& question : questions.mid(0, kMost))
        to.addWidget(plainLabel(question, "hint"));
    if (questions.size() > kMost)
        to.addWidget(plainLabel(tr("and %1 more").arg(questions.size() - kMost), "hint"));
    to.addLayout(inRow({recordButton(tr("Record for These Questions…"), shown().open->recording),
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
    for (const Overview::Account& lane : shown().lanes) {
        grid->addWidget(wordLabel(lane.name), row, 0);
        grid->addWidget(new AccountBar(lane, m_theme), row, 1);
        grid->addWidget(wordLabel(lane.window), row, 2);
        ++row;
    }
    to.addLayout(grid);
}

void OverviewView::addActions(QVBoxLayout& to) {
    if (shown().actions.empty()) return;
    to.addWidget(plainHeading(tr("What to do first"), "", kPart));
    for (std::size_t i = 0; i < shown().actions.size(); ++i) {
        const Overview::Action& action = shown().actions[i];
        auto* card = new ActionCard(action, i + 1);
        connect(card, &ActionCard::kernelsRequested, this, &OverviewView::kernelsRequested);
        connect(card, &ActionCard::placeRequested, this, &OverviewView::placeRequested);
        connect(card, &ActionCard::copyRequested, this, [this, action] {
            copy(action.text() + shown().next + u'\n', tr("Copied: %1").arg(action.title));
        });
        to.addWidget(card);
        m_cards.push_back(card);
    }
    if (!shown().bounds.isEmpty()) to.addWidget(plainLabel(shown().bounds));
    if (!shown().noLines.isEmpty()) to.addWidget(plainLabel(shown().noLines, "hint"));
    addNext(to);
}

void OverviewView::addNext(QVBoxLayout& to) {
    to.addWidget(plainLabel(tr("Make one edit, then run exactly this:")));
    to.addWidget(codeLabel(shown().next));
    auto* button = new QPushButton(tr("Copy command"));
    connect(button, &QPushButton::clicked, this,
            [this] { copy(shown().next + u'\n', tr("Copied the next command")); });
    to.addLayout(inRow({button, recordButton(tr("Record…"), shown().afterEdit), stretchSpace()}));
}

void OverviewView::copy(const QString& text, const QString& message) {
    QApplication::clipboard()->setText(text);
    Q_EMIT said(message);
}

}  // namespace roofscope::gui
