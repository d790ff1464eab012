// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/host_work.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace roofscope::program {

void HostWorkSums::add(const ThreadActivity& thread, const TimeSpan& time) {
    const auto next = std::ranges::lower_bound(thread.issues, time.end, {}, [&](std::uint32_t i) {
        return m_timeline.calls[i].time.start;
    });
    if (next == thread.issues.end()) return;
    const std::uint32_t issuer = *next;
    const Call& call = m_timeline.calls[issuer];
    Key key;
    double bytes = 0;
    if (const Transfer* moved = movedBy(m_timeline, issuer)) {
        key.work.copy = moved->kind;
        bytes = static_cast<double>(moved->bytes);
    } else if (call.work && kindOf(m_timeline, issuer) != CallKind::Transfer) {
        key.work.kernel = m_in.profile.launches[*call.work].kernel;
    }
    key.work.call = m_timeline.callNames[call.name].name;
    key.work.range = m_ranges.around(call.thread, time);
    if (key.work.range == m_in.window.window.name) key.work.range.clear();
    Sum& sum = m_sums[key];
    sum.idle += time.length();
    if (std::exchange(sum.last, issuer) == issuer) return;
    sum.bytes += bytes;
    ++sum.count;
}

void HostWorkSums::addAfter(std::uint32_t synced, Nanoseconds length) {
    m_afterSync += length;
    const Transfer* const moved = movedBy(m_timeline, synced);
    if (!moved || moved->kind != TransferKind::DeviceToHost ||
        static_cast<double>(moved->bytes) < kLeastCopy.value)
        return;
    m_afterCopy += length;
    if (std::exchange(m_copiedBefore, synced) != synced)
        m_copied += static_cast<double>(moved->bytes);
}

void HostWorkSums::setIn(Account& account, double occurrences) const {
    const auto seconds = [&](Nanoseconds ns) {
        return Seconds{static_cast<double>(ns) / 1e9 / occurrences};
    };
    account.hostAfterSync = seconds(m_afterSync);
    account.hostAfterCopy = seconds(m_afterCopy);
    account.copiedForHost = {m_copied / occurrences};
    for (const auto& [key, sum] : m_sums) {
        HostWork& work = account.hostWork.emplace_back(key.work);
        work.idle = seconds(sum.idle);
        work.bytes = {sum.bytes / occurrences};
        work.count = sum.count;
    }
    std::ranges::stable_sort(account.hostWork, std::greater{}, &HostWork::idle);
}

}  // namespace roofscope::program
