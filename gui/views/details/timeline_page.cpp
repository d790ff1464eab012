// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/timeline_page.h"

#include <QLabel>
#include <QStackedWidget>
#include <utility>

#include "gui/models/text/shown_language.h"
#include "gui/models/text/shown_text.h"
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
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(widgetWith(inColumn({m_finding, m_note, {m_view, 1}}, kNoSpaces)));
    setLayout(inColumn({m_stack}, kNoSpaces));
}

void TimelinePage::setAnalysis(const std::shared_ptr<const Analysis>& analysis) {
    Timeline timeline = analysis ? buildTimeline(*analysis) : Timeline();
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
    m_view->setTimeline(analysis, std::move(timeline));
}

QString TimelinePage::emptyText() const {
    return m_stack->currentIndex() == 0 ? m_empty->text() : QString();
}

QString TimelinePage::findingText() const { return m_finding->text(); }

}  // namespace roofscope::gui
