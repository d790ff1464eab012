// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/timeline_search.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/text/number_text.h"
#include "gui/views/details/timeline_view.h"
#include "gui/views/widgets/layouts.h"

namespace roofscope::gui {

TimelineSearch::TimelineSearch(TimelineView& view, QWidget* parent)
    : QWidget(parent), m_view(view) {
    m_line = new QLineEdit;
    m_line->setPlaceholderText(tr("Search for launches: name, bw > 60%"));
    m_line->setAccessibleName(tr("Search for launches"));
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("hint"));
    m_count->setTextFormat(Qt::PlainText);
    // A long error must not widen the pane.
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto button = [this](const QString& text, const QString& name, auto call) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(name);
        made->setAccessibleName(name);
        connect(made, &QToolButton::clicked, this, call);
        return made;
    };
    setLayout(
        inRow({{m_line, 1},
               {m_count, 1},
               button(QStringLiteral("‹"), tr("Previous launch (Shift+Enter)"), [this] { go(-1); }),
               button(QStringLiteral("›"), tr("Next launch (Enter)"), [this] { go(1); }),
               button(QStringLiteral("×"), tr("End the search (Escape)"), [this] { end(); })},
              {.around = {8, 4, 8, 4}, .between = 6}));
    hide();
    connect(m_line, &QLineEdit::textChanged, this, &TimelineSearch::refresh);
    connect(&m_view, &TimelineView::searchRequested, this, &TimelineSearch::begin);
}

void TimelineSearch::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    m_analysis = std::move(analysis);
    refresh();
}

void TimelineSearch::begin() {
    show();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

void TimelineSearch::end() {
    hide();
    m_view.setFocus(Qt::OtherFocusReason);
}

void TimelineSearch::setText(const QString& text) { m_line->setText(text); }

QString TimelineSearch::countText() const { return m_count->text(); }

void TimelineSearch::refresh() {
    m_found.clear();
    QString said;
    bool wrong = false;
    if (m_analysis && !m_line->text().trimmed().isEmpty()) {
        const Result<KernelFilter> filter = KernelFilter::parse(m_line->text());
        wrong = !filter.ok();
        if (wrong) {
            said = QString::fromStdString(filter.error().message());
        } else {
            std::size_t launches = 0;
            for (std::size_t i = 0; i < m_analysis->kernels.size(); ++i) {
                if (!filter->matches(m_analysis->kernels[i])) continue;
                m_found.push_back(i);
                launches += m_analysis->kernels[i].group.launches.size();
            }
            said = tr("%1 of %2")
                       .arg(counted(launches, tr("%1 launch"), tr("%1 launches")),
                            counted(m_found.size(), tr("%1 kernel"), tr("%1 kernels")));
        }
    }
    m_count->setText(said);
    // The label may be too narrow for the text.
    m_count->setToolTip(said.toHtmlEscaped());
    m_line->setProperty("wrong", wrong);
    m_line->style()->polish(m_line);
}

void TimelineSearch::go(int step) {
    if (!m_analysis) return;
    const auto start = [this](std::uint32_t launch) {
        return m_analysis->profile->launches[launch].start.value_or(Seconds{}).value;
    };
    double from = step > 0 ? m_view.from() : m_view.to();
    if (m_view.launch()) from = start(*m_view.launch());
    std::optional<std::uint32_t> nearest;
    std::size_t kernel = 0;
    for (const std::size_t found : m_found)
        if (const auto launch = launchBeside(*m_analysis, found, from, step);
            launch &&
            (!nearest || std::abs(start(*launch) - from) < std::abs(start(*nearest) - from))) {
            nearest = launch;
            kernel = found;
        }
    if (!nearest) return;
    m_view.setLaunch(nearest);
    Q_EMIT m_view.launchChosen(nearest);
    Q_EMIT kernelChosen(kernel);
}

bool TimelineSearch::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            go(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            end();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace roofscope::gui
