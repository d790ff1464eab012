// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/idle_times.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace roofscope::program {

IdleTimes::IdleTimes(const AccountInput& input, TimeByClass& times)
    : m_in(input), m_timeline(input.profile.timeline), m_times(times) {
    for (const Activity& a : input.lane.activities) m_lastWork = std::max(m_lastWork, a.time.end);
}

void IdleTimes::spend(TimeClass cls, const TimeSpan& time, std::uint32_t call) {
    m_times.add(cls, time);
    if (m_sampled) m_in.samples->addTo(tallyOf(cls, time.start), *m_sampled, time);
    if (call == kNoCall) return;
    CallSum& sum = m_calls[m_timeline.calls[call].name];
    sum.idle += time.length();
    sum.count += sum.last != call;
    sum.last = call;
}

void IdleTimes::spendUntimed(const TimeSpan& time) {
    m_sampled.reset();
    spend(TimeClass::IdleUnknown, time);
    m_untimed += time.length();
}

void IdleTimes::spendUnrecorded(const TimeSpan& hosts, const TimeSpan& before) {
    m_times.add(TimeClass::IdleHost, hosts);
    if (!m_in.samples || m_in.threads.empty()) return;
    m_in.samples->addTo(m_samplesBefore, busiestOf(m_in.threads).thread, before);
}

void IdleTimes::noteOneCall(TimeClass cls, std::uint32_t call, Nanoseconds length) {
    OneCall& one = m_oneCall[cls];
    one.idle = std::exchange(one.call, call) == call ? one.idle + length : length;
    one.most = std::max(one.most, one.idle);
}

void IdleTimes::setIn(Account& account, double occurrences) {
    const auto seconds = [&](Nanoseconds ns) {
        return Seconds{static_cast<double>(ns) / 1e9 / occurrences};
    };
    for (const TimeClass cls : kTimeClasses) account.oneCall[cls] = seconds(m_oneCall[cls].most);
    account.untimed = seconds(m_untimed);
    for (const auto& [name, sum] : m_calls)
        account.calls.push_back({.name = m_timeline.callNames[name].name,
                                 .kind = m_timeline.callNames[name].kind,
                                 .count = sum.count,
                                 .idle = seconds(sum.idle)});
    std::ranges::stable_sort(account.calls, std::greater{}, &CallTime::idle);
    account.samples = std::move(m_samples);
    account.samplesBefore = std::move(m_samplesBefore);
    account.samplesAfter = std::move(m_samplesAfter);
}

SampleTally& IdleTimes::tallyOf(TimeClass cls, Nanoseconds from) {
    if (cls != TimeClass::IdleHost) return m_samples[cls];
    if (from < m_in.lane.activities.front().time.start) return m_samplesBefore;
    return from >= m_lastWork ? m_samplesAfter : m_samples[cls];
}

}  // namespace roofscope::program
