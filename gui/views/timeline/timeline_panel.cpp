// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/models/text/plain_tip.h"
#include "gui/views/overview/account_bar.h"
#include "gui/views/overview/account_legend.h"
#include "gui/views/overview/change_table.h"
#include "gui/views/widgets/layouts.h"
#include "gui/views/widgets/name_button.h"
#include "gui/views/widgets/plain_label.h"
#include "gui/views/widgets/tab_order.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kMostShownFunctions = 12;

QToolButton* closeButton(const QString& name) {
    auto* button = new QToolButton;
    button->setText(QStringLiteral("×"));
    button->setObjectName(QStringLiteral("flat"));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

QGridLayout* factGrid(const Facts& facts, bool brief) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(brief ? 1 : 0, 1);
    int row = 0;
    for (const auto& [label, value] : facts) {
        // Names of counters are long and wrap; labels of facts are short.
        QLabel* name = brief ? wordLabel(label) : plainLabel(label);
        name->setObjectName(QStringLiteral("hint"));
        name->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        grid->addWidget(name, row, 0);
        grid->addWidget(plainLabel(value), row, 1);
        ++row;
    }
    return grid;
}

}  // namespace

TimelinePanel::TimelinePanel(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("timelinePanel"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Selected in the timeline"));
    hide();
}

QSize TimelinePanel::sizeHint() const { return {58 * fontMetrics().averageCharWidth(), 60}; }

void TimelinePanel::setLaunch(const std::optional<LaunchFacts>& launch) {
    m_launch = launch;
    if (launch) m_bar.reset();
    m_rangeFirst = !launch && !m_bar;
    render();
}

void TimelinePanel::setBar(const std::optional<BarFacts>& bar) {
    m_bar = bar;
    if (bar) m_launch.reset();
    m_rangeFirst = !bar && !m_launch;
    render();
}

void TimelinePanel::setRange(const std::optional<ShownRange>& range) {
    m_range = range;
    m_rangeFirst = range.has_value();
    render();
}

void TimelinePanel::setTheme(plot::Theme theme) {
    m_theme = theme;
    render();
}

void TimelinePanel::render() {
    if (!m_launch && !m_bar && !m_range) return hide();
    auto* all = inColumn({}, {.around = {12, 6, 12, 8}, .between = 6});
    if (m_range && m_rangeFirst) addRange(*all);
    if (m_launch) addLaunch(*all);
    if (m_bar) addBar(*all);
    if (m_range && !m_rangeFirst) addRange(*all);
    all->addStretch(1);
    replaceContent(this, all);
    show();
}

void TimelinePanel::addBarPart(QVBoxLayout& to, const BarPart& part) {
    QLabel* name = plainHeading(part.name, "");
    auto* close = closeButton(part.close);
    connect(close, &QToolButton::clicked, this, &TimelinePanel::barClosed);
    to.addLayout(inRow({{name, 1}, {close, 0, Qt::AlignTop}}, {.between = 4}));
    to.addWidget(plainLabel(part.place, "hint"));
    const auto button = [this](const QString& text, const QString& tip, auto call) {
        auto* made = new QPushButton(text);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        connect(made, &QPushButton::clicked, this, call);
        return made;
    };
    QPushButton* call = button(tr("Call"), part.call, [this] { Q_EMIT callRequested(); });
    call->setEnabled(part.hasCall);
    to.addLayout(inRow({button(QStringLiteral("‹"), part.previous, [this] { Q_EMIT stepped(-1); }),
                        button(QStringLiteral("›"), part.next, [this] { Q_EMIT stepped(1); }), call,
                        button(tr("Copy"), part.copy,
                               [this, name = part.name, text = part.text] {
                                   copy(text, tr("Copied: %1").arg(name));
                               }),
                        stretchSpace()},
                       {.between = 6}));
}

void TimelinePanel::addLaunch(QVBoxLayout& to) {
    addBarPart(to, {.name = m_launch->name,
                    .place = m_launch->place,
                    .close = tr("Select no launch (Escape)"),
                    .previous = tr("Previous launch of this kernel (,)"),
                    .next = tr("Next launch of this kernel (.)"),
                    .call = tr("Show the call and the launch (C)"),
                    .copy = tr("Copy these facts"),
                    .hasCall = true,
                    .text = m_launch->text()});
    to.addLayout(factGrid(m_launch->facts, true));
    if (m_launch->counters.empty()) return;
    to.addWidget(plainHeading(tr("Counters of this launch"), ""));
    to.addLayout(factGrid(m_launch->counters, false));
}

void TimelinePanel::addBar(QVBoxLayout& to) {
    addBarPart(to, {.name = m_bar->name,
                    .place = m_bar->place,
                    .close = tr("Select nothing (Escape)"),
                    .previous = tr("Previous of this name in this row (,)"),
                    .next = tr("Next of this name in this row (.)"),
                    .call = tr("Show the call and the copy (C)"),
                    .copy = tr("Copy these facts"),
                    .hasCall = m_bar->hasCall,
                    .text = m_bar->text()});
    to.addLayout(factGrid(m_bar->facts, true));
    if (!m_bar->stack.isEmpty()) to.addWidget(plainLabel(m_bar->stack, "hint"));
}

void TimelinePanel::addRange(QVBoxLayout& to) {
    QLabel* title = plainHeading(tr("%1 selected").arg(m_range->length), "");
    auto* close = closeButton(tr("Select no time (Escape)"));
    connect(close, &QToolButton::clicked, this, &TimelinePanel::rangeClosed);
    to.addLayout(inRow({{title, 1}, {close, 0, Qt::AlignTop}}, {.between = 4}));
    QString place = tr("From %1 to %2").arg(m_range->from, m_range->to);
    if (!m_range->place.isEmpty()) place += QStringLiteral(" · ") + m_range->place;
    auto* where = plainLabel(place, "hint");
    where->setToolTip(plainTip(tr("Times are as recorded, tracing included.")));
    to.addWidget(where);
    auto* copied = new QPushButton(tr("Copy for Assistant"));
    copied->setToolTip(tr("Copies the account, the kernels and the copies of this time"));
    connect(copied, &QPushButton::clicked, this, [this] {
        copy(m_range->forAssistant, tr("Copied the account of %1").arg(m_range->length));
    });
    auto* zoom = new QPushButton(tr("Zoom"));
    zoom->setToolTip(tr("Zoom to the selected time (F)"));
    connect(zoom, &QPushButton::clicked, this, &TimelinePanel::zoomRequested);
    const bool comparing = m_range->change || m_range->isKept;
    auto* compare = new QPushButton(comparing ? tr("Stop Comparing") : tr("Compare"));
    compare->setToolTip(
        comparing ? tr("Shows the account of the selected time alone")
                  : tr("Keeps this account, to see that of the next selected time beside it"));
    connect(compare, &QPushButton::clicked, this, &TimelinePanel::comparisonToggled);
    to.addLayout(inRow({copied, zoom, compare, stretchSpace()}, {.between = 6}));
    if (m_range->isKept)
        to.addWidget(
            plainLabel(tr("Select another time or repeat to compare it with this one."), "hint"));
    if (m_range->change) addChange(to);
    if (m_range->account.shares.empty()) {
        to.addWidget(plainLabel(tr("Nothing was recorded in this time."), "hint"));
        return;
    }
    to.addWidget(new AccountBar(m_range->account, m_theme));
    to.addLayout(accountLegend(m_range->account, m_theme, *this));
    for (const Overview::Account& lane : m_range->lanes) {
        to.addWidget(plainLabel(lane.name, "hint"));
        to.addWidget(new AccountBar(lane, m_theme));
    }
    addFunctions(to);
    for (const QString& copies : std::as_const(m_range->copies)) to.addWidget(plainLabel(copies));
    if (m_range->cpu.isEmpty()) return;
    const QString functions = m_range->cpu.join(QStringLiteral(", "));
    to.addWidget(plainLabel(m_range->fewSamples.isEmpty()
                                ? tr("Idle for host work, the CPU was in: %1").arg(functions)
                                : tr("Idle for host work, the CPU was in, of %1: %2")
                                      .arg(m_range->fewSamples, functions)));
}

void TimelinePanel::addChange(QVBoxLayout& to) {
    const RangeChange& change = *m_range->change;
    to.addWidget(plainLabel(tr("Before: %1").arg(change.with), "hint"));
    to.addLayout(changeTable(change.classes, m_theme, *this));
    if (change.kernels.empty()) {
        to.addWidget(
            plainLabel(tr("The same kernels, with times that differ by less than 1 %."), "hint"));
        return;
    }
    to.addWidget(plainHeading(
        counted(change.kernels.size(), tr("%1 kernel differs"), tr("%1 kernels differ")), ""));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    const std::size_t shown = std::min(kMostShownFunctions, change.kernels.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const RangeChange::Kernel& kernel = change.kernels[i];
        grid->addWidget(plainLabel(kernel.name), int(i), 0);
        grid->addWidget(wordLabel(kernel.launches, Qt::AlignRight | Qt::AlignTop), int(i), 1);
        grid->addWidget(wordLabel(kernel.change, Qt::AlignRight | Qt::AlignTop), int(i), 2);
    }
    to.addLayout(grid);
    if (change.kernels.size() > shown)
        to.addWidget(
            plainLabel(tr("and %1 more").arg(text(double(change.kernels.size() - shown))), "hint"));
}

void TimelinePanel::addFunctions(QVBoxLayout& to) {
    if (m_range->functions.empty()) return;
    to.addWidget(plainHeading(
        counted(m_range->functions.size(), tr("%1 kernel"), tr("%1 kernels by time")), ""));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(0, 1);
    const std::size_t shown = std::min(kMostShownFunctions, m_range->functions.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ShownFunction& function = m_range->functions[i];
        auto* name = new NameButton(function.name);
        name->setToolTip(plainTip(function.name + u'\n' + function.verdict));
        connect(name, &QPushButton::clicked, this,
                [this, kernels = function.kernels] { Q_EMIT kernelsRequested(kernels); });
        grid->addWidget(name, int(i), 0);
        int column = 1;
        for (const QString& number : {function.share, function.time, function.launches})
            grid->addWidget(wordLabel(number, Qt::AlignRight | Qt::AlignVCenter), int(i), column++);
    }
    to.addLayout(grid);
    if (m_range->functions.size() > shown)
        to.addWidget(plainLabel(
            tr("and %1 more").arg(text(double(m_range->functions.size() - shown))), "hint"));
}

void TimelinePanel::copy(const QString& text, const QString& message) {
    QApplication::clipboard()->setText(text);
    Q_EMIT said(message);
}

}  // namespace roofscope::gui
