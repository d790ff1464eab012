// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/time_by_class.h"

#include <algorithm>
#include <iterator>

namespace roofscope::program {

void TimeByClass::add(TimeClass cls, const TimeSpan& time) {
    m_time[cls] += time.length();
    if (m_stretches && time.length() > 0) m_stretches->push_back({time, cls});
}

void TimeByClass::sortStretches(const Account& account) {
    if (!m_stretches) return;
    std::ranges::sort(*m_stretches, {}, [](const ClassStretch& s) { return s.time.start; });
    // In place: there may be millions.
    auto joined = m_stretches->begin();
    for (ClassStretch s : *m_stretches) {
        if (!account.knows(s.cls)) s.cls = TimeClass::IdleUnknown;
        const bool first = joined == m_stretches->begin();
        const bool same = !first && std::prev(joined)->cls == s.cls &&
                          std::prev(joined)->time.end == s.time.start && !boundary(s.time.start);
        if (same)
            std::prev(joined)->time.end = s.time.end;
        else
            *joined++ = s;
    }
    m_stretches->erase(joined, m_stretches->end());
}

bool TimeByClass::boundary(Nanoseconds at) const {
    return std::ranges::binary_search(m_occurrences, at, {}, &TimeSpan::start);
}

}  // namespace roofscope::program
