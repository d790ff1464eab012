// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/pace.h"

#include <algorithm>
#include <iterator>

namespace roofscope::program {
namespace {

template <class From, class To>
double between(const std::vector<PaceMark>& marks, double value, From from, To to) {
    const auto next = std::ranges::lower_bound(marks, value, {}, from);
    if (next == marks.begin()) return to(marks.front());
    if (next == marks.end()) return to(marks.back());
    const PaceMark &a = *std::prev(next), &b = *next;
    const double length = from(b) - from(a);
    const double part = length > 0 ? (value - from(a)) / length : 0;
    return to(a) + part * (to(b) - to(a));
}

}  // namespace

double Pace::callsAt(double time) const { return between(m_marks, time, timeOf, calls); }
double Pace::timeAt(double call) const { return between(m_marks, call, calls, timeOf); }

Covered coveredBy(const Pace& traced, const FoundWindow& window) {
    Covered covered;
    for (const TimeSpan& span : window.spans) {
        const double first = traced.callsAt(static_cast<double>(span.start));
        const double last = traced.callsAt(static_cast<double>(span.end));
        covered.calls += last - first;
        covered.length += traced.timeAt(last) - traced.timeAt(first);
    }
    return covered;
}

}  // namespace roofscope::program
