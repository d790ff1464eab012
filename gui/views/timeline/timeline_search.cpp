// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/models/kernels/kernel_filter.h"
#include "gui/models/text/number_text.h"
#include "gui/views/timeline/timeline_view.h"

namespace roofscope::gui {

TimelineSearch::TimelineSearch(TimelineView& view, QWidget* parent)
    : SearchBar({.placeholder = tr("Search for launches: name, bw > 60%"),
                 .name = tr("Search for launches"),
                 .previous = tr("Previous launch (Shift+Enter)"),
                 .next = tr("Next launch (Enter)")},
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
    m_found.clear();
    QString said;
    bool wrong = false;
    if (m_analysis && !isBlank()) {
        const Result<KernelFilter> filter = KernelFilter::parse(text());
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
    say(said, wrong);
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

}  // namespace roofscope::gui
