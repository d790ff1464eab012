// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline_zoom.h"

#include <algorithm>
#include <cmath>

namespace roofscope::gui {
namespace {

constexpr double kMarginOfWhole = 0.02, kMarginOfSpan = 0.03;

}  // namespace

void TimelineZoom::setWhole(double begin, double end) {
    m_begin = begin;
    m_end = end;
    showAll();
}

double TimelineZoom::whole() const { return std::max(m_end - m_begin, kLeast); }

void TimelineZoom::show(double from, double to) {
    const double margin = kMarginOfWhole * whole();
    const double shown = std::clamp(to - from, kLeast, whole() + 2 * margin);
    m_from = std::clamp(from, m_begin - margin, m_begin + whole() + margin - shown);
    m_to = m_from + shown;
}

void TimelineZoom::show(const TimeSpan& span) {
    const double from = double(span.start) / 1e9, to = double(span.end) / 1e9,
                 margin = std::max(kMarginOfSpan * (to - from), kLeast);
    show(from - margin, to + margin);
}

void TimelineZoom::pan(double share) {
    const double by = share * length();
    show(m_from + by, m_to + by);
}

void TimelineZoom::zoomAt(double share, double factor) {
    if (!(factor > 0)) return;
    const double at = std::clamp(share, 0.0, 1.0), time = timeAt(at);
    const double shown = std::clamp(length() / factor, kLeast, whole() * (1 + 2 * kMarginOfWhole));
    show(time - at * shown, time + (1 - at) * shown);
}

TimeSpan TimelineZoom::span() const {
    return {std::llround(m_from * 1e9), std::llround(m_to * 1e9)};
}

}  // namespace roofscope::gui
