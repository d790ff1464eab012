// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_search.h"

#include <utility>
#include <vector>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/text/number_text.h"
#include "gui/views/timeline/timeline_view.h"

namespace roofscope::gui {

TimelineSearch::TimelineSearch(TimelineView& view, QWidget* parent)
    : SearchBar({.placeholder = tr("Search: kernel, copy, call, range, or bw > 60%"),
                 .name = tr("Search in the timeline"),
                 .previous = tr("Previous match (Shift+Enter)"),
                 .next = tr("Next match (Enter)")},
                {8, 4, 8, 4}, parent),
      m_view(view) {
    connect(this, &SearchBar::textChanged, this, &TimelineSearch::refresh);
    connect(this, &SearchBar::stepped, this, [this](bool forward) { go(forward ? 1 : -1); });
    connect(this, &SearchBar::ended, this, &TimelineSearch::end);
    connect(&m_view, &TimelineView::searchRequested, this, &SearchBar::begin);
}

void TimelineSearch::setAnalysis(std::shared_ptr<const Analysis> analysis) {
    m_analysis = std::move(analysis);
    refresh();
}

void TimelineSearch::end() {
    hide();
    m_view.setFocus(Qt::OtherFocusReason);
}

void TimelineSearch::refresh() {
    m_found = {};
    QString said;
    bool wrong = false;
    if (m_analysis && !isBlank()) {
        const Result<KernelFilter> filter = KernelFilter::parse(text());
        wrong = !filter.ok();
        if (wrong) {
            said = QString::fromStdString(filter.error().message());
        } else {
            std::vector<bool> kernels;
            std::size_t count = 0, launches = 0;
            for (const KernelAnalysis& kernel : m_analysis->kernels) {
                kernels.push_back(filter->matches(kernel));
                if (!kernels.back()) continue;
                ++count;
                launches += kernel.group.launches.size();
            }
            m_found = TimelineMatches(*m_analysis, m_view.timeline(), kernels, text().trimmed());
            said = tr("%1 of %2")
                       .arg(counted(launches, tr("%1 launch"), tr("%1 launches")),
                            counted(count, tr("%1 kernel"), tr("%1 kernels")));
            const QString others = m_found.othersText();
            if (!others.isEmpty()) said = launches > 0 ? tr("%1, %2").arg(said, others) : others;
        }
    }
    say(said, wrong);
}

void TimelineSearch::go(int step) {
    if (!m_analysis) return;
    const auto selected = m_view.selectedPlace();
    const auto next =
        selected ? m_found.beside(m_view.timeline(), *selected, step)
                 : m_found.beside(m_view.timeline(), step > 0 ? m_view.from() : m_view.to(), step);
    if (!next) return;
    const Timeline::Row& row = m_view.timeline().rows[next->row];
    if (row.kind != Timeline::RowKind::Kernels) return m_view.chooseBar(next);
    const Timeline::Bar& bar = row.bars[next->bar];
    m_view.setLaunch(bar.item);
    Q_EMIT m_view.launchChosen(bar.item);
    Q_EMIT kernelChosen(bar.kernel);
}

}  // namespace roofscope::gui
