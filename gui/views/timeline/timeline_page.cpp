// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_page.h"

#include <QLabel>
#include <QStackedWidget>
#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/timeline/timeline_minimap.h"
#include "gui/views/timeline/timeline_panel.h"
#include "gui/views/timeline/timeline_search.h"
#include "gui/views/widgets/layouts.h"
#include "reports/profile/sequence_words.h"

namespace roofscope::gui {

TimelinePage::TimelinePage(QWidget* parent) : QWidget(parent) {
    const auto label = [](const char* name) {
        auto* made = new QLabel;
        made->setObjectName(QLatin1String(name));
        made->setTextFormat(Qt::PlainText);
        made->setWordWrap(true);
        made->setTextInteractionFlags(Qt::TextSelectableByMouse);
        made->setContentsMargins(10, 4, 10, 0);
        return made;
    };
    m_empty = label("hint");
    m_empty->setAlignment(Qt::AlignCenter);
    m_finding = label("errorText");
    m_note = label("hint");
    m_view = new TimelineView;
    m_panel = new TimelinePanel;
    m_search = new TimelineSearch(*m_view);
    m_minimap = new TimelineMinimap(*m_view);
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(widgetWith(inColumn(
        {m_finding,
         m_note,
         m_search,
         {inRow({{inColumn({m_minimap, {m_view, 1}}, kNoSpaces), 1}, m_panel}, kNoSpaces), 1}},
        kNoSpaces)));
    setLayout(inColumn({m_stack}, kNoSpaces));
    constexpr int kLookEvery = 30, kFollowEvery = 120;  // ms
    m_waiting.setInterval(kLookEvery);
    connect(&m_waiting, &QTimer::timeout, this, &TimelinePage::awaitAccounts);
    m_dragged.setSingleShot(true);
    m_dragged.setInterval(kFollowEvery);
    connect(&m_dragged, &QTimer::timeout, this, [this] { showRange(m_view->range()); });
    connectPanel();
}

void TimelinePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // The panel gets a quarter of the width or what it needs, but at most half.
    const int least = m_panel->sizeHint().width();
    m_panel->setFixedWidth(std::min(std::max(least, width() / 4), std::max(60, width() / 2)));
}

void TimelinePage::connectPanel() {
    connect(m_view, &TimelineView::launchChosen, this, &TimelinePage::showLaunch);
    connect(m_view, &TimelineView::barChosen, this, &TimelinePage::showBar);
    connect(m_view, &TimelineView::rangeChosen, this,
            [this](const std::optional<TimeSpan>& range, bool dragging) {
                if (dragging) {
                    // A panel that appears now would move the timeline under the mouse. A visible
                    // one follows the range, but is not rebuilt for each pixel.
                    if (m_panel->isVisible() && !m_dragged.isActive()) m_dragged.start();
                    return;
                }
                showRange(range);
                Q_EMIT rangeChanged();
            });
    connect(m_panel, &TimelinePanel::stepped, m_view, &TimelineView::goToNext);
    connect(m_panel, &TimelinePanel::callRequested, m_view, &TimelineView::showCall);
    connect(m_panel, &TimelinePanel::zoomRequested, m_view, &TimelineView::zoomToSelection);
    connect(m_panel, &TimelinePanel::kernelsRequested, this, &TimelinePage::kernelsRequested);
    connect(m_panel, &TimelinePanel::said, this, &TimelinePage::said);
    connect(m_panel, &TimelinePanel::barClosed, this, [this] {
        m_view->setLaunch(std::nullopt);
        m_view->setBar(std::nullopt);
        showLaunch(std::nullopt);
        showBar(std::nullopt);
    });
    connect(m_panel, &TimelinePanel::comparisonToggled, this, &TimelinePage::toggleComparison);
    connect(m_panel, &TimelinePanel::rangeClosed, this, [this] {
        setRange(std::nullopt);
        Q_EMIT rangeChanged();
    });
}

void TimelinePage::setAnalysis(const std::shared_ptr<const Analysis>& analysis,
                               const Program* program) {
    Timeline timeline = analysis ? buildTimeline(*analysis, program) : Timeline();
    m_analysis = analysis;
    m_accounts.reset();
    m_kept.reset();
    m_waiting.stop();
    if (m_coming.valid()) m_outdated.push_back(std::move(m_coming));
    if (!timeline.empty()) prepareAccounts();
    if (!m_outdated.empty()) m_waiting.start();
    m_stack->setCurrentIndex(timeline.empty() ? 0 : 1);
    m_empty->setText(analysis && timeline.empty() ? noTimelineText(*analysis) : QString());
    QStringList findings, more;
    if (analysis)
        for (const Finding& finding : analysis->sequenceFindings) {
            findings << shownText(sequenceSentence(finding, shownLanguage()));
            more << shownText(sequenceWords(finding, shownLanguage()));
        }
    m_finding->setText(findings.join(QLatin1Char('\n')));
    // Rich text, so that it wraps. Escaped, because it contains kernel names.
    m_finding->setToolTip(
        QStringLiteral("<p>%1</p>").arg(more.join(QLatin1Char('\n')).toHtmlEscaped()));
    m_finding->setVisible(!findings.isEmpty());
    const QString note = timelineNote(timeline);
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    m_view->setTimeline(analysis, std::move(timeline), [this] { return accounts(); });
    m_minimap->renew();
    m_search->setAnalysis(analysis);
    showLaunch(std::nullopt);
    showBar(std::nullopt);
    showRange(std::nullopt);
}

void TimelinePage::prepareAccounts() {
    try {
        m_coming = std::async(std::launch::async,
                              [analysis = m_analysis]() -> std::shared_ptr<const RangeAccounts> {
                                  return std::make_shared<const RangeAccounts>(analysis);
                              });
        m_waiting.start();
    } catch (const std::system_error&) {
        // Without the thread there are no accounts.
    }
}

void TimelinePage::awaitAccounts() {
    const auto ready = [](const AccountsFuture& future) {
        return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    std::erase_if(m_outdated, ready);
    if (m_coming.valid() && ready(m_coming)) {
        try {
            m_accounts = m_coming.get();
        } catch (const std::bad_alloc&) {
            // There is not enough memory for the accounts.
        }
        if (m_view->range()) {
            showRange(m_view->range());
            Q_EMIT accountKnown();
        }
    }
    if (!m_coming.valid() && m_outdated.empty()) m_waiting.stop();
}

void TimelinePage::setRange(const std::optional<TimeSpan>& range) {
    m_view->setRange(range);
    showRange(range);
}

void TimelinePage::chooseRange(const TimeSpan& range) {
    setRange(range);
    m_view->zoomToSelection();
    Q_EMIT rangeChanged();
}

void TimelinePage::showRange(const std::optional<TimeSpan>& range) {
    m_dragged.stop();
    const RangeAccounts* known = range ? accounts() : nullptr;
    std::optional<ShownRange> shown;
    if (known) {
        const RangeAccount account = known->of(*range);
        shown = shownRange(*m_analysis, account, repeatText(m_view->timeline(), *range));
        shown->isKept = m_kept == range;
        if (m_kept && !shown->isKept)
            shown->change = rangeChange(*m_analysis, known->of(*m_kept), account,
                                        repeatText(m_view->timeline(), *m_kept));
    }
    m_inRange = shown ? shown->kernels : std::vector<std::size_t>{};
    if (shown || m_panel->range()) m_panel->setRange(shown);
}

void TimelinePage::toggleComparison() {
    m_kept = m_kept ? std::nullopt : m_view->range();
    showRange(m_view->range());
}

void TimelinePage::showLaunch(std::optional<std::uint32_t> launch) {
    std::optional<LaunchFacts> facts;
    if (launch)
        if (const auto place = placeOfLaunch(*m_analysis->profile, m_view->timeline(), *launch)) {
            const auto& bar = m_view->timeline().rows[place->row].bars[place->bar];
            facts = launchFacts(*m_analysis, m_view->timeline(), *launch, bar.kernel);
        }
    if (facts || m_panel->launch()) m_panel->setLaunch(facts);
}

void TimelinePage::showBar(const std::optional<TimelinePlace>& bar) {
    std::optional<BarFacts> facts;
    if (bar) facts = barFacts(*m_analysis, m_view->timeline(), *bar);
    if (facts || m_panel->bar()) m_panel->setBar(facts);
}

std::vector<std::size_t> TimelinePage::kernelsInRange() const { return m_inRange; }

void TimelinePage::setTheme(plot::Theme theme) {
    m_view->setTheme(theme);
    m_minimap->setTheme(theme);
    m_panel->setTheme(theme);
}

QString TimelinePage::emptyText() const {
    return m_stack->currentIndex() == 0 ? m_empty->text() : QString();
}

QString TimelinePage::findingText() const { return m_finding->text(); }

}  // namespace roofscope::gui
