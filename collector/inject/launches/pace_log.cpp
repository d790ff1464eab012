// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/pace_log.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace roofscope::inject {
namespace {

/// A rest lasts at least this long. It repeats a short round, because single rounds vary by more
/// than what tracing adds, and because the round may be only a part of the program's.
constexpr auto kLeastRest = std::chrono::milliseconds(300);
/// A rest lasts at most this long, even if the round is longer: a program that repeats a long round
/// only a few times must also be timed.
constexpr auto kMostRest = std::chrono::milliseconds(2500);
/// Programs get faster while they warm up. A program is steady if a call takes as long in one slice
/// of time as in the previous slice, within this share.
constexpr auto kSlice = std::chrono::milliseconds(150);
constexpr double kSteady = 0.1;
/// A rest ends after this time if the program neither waits for the GPU nor fills its queue.
constexpr auto kPatience = std::chrono::milliseconds(500);
/// Launches that the driver queues before a launch call waits.
constexpr std::uint64_t kQueue = 1024;
/// If a launch takes longer than this on average, the time that tracing adds does not matter.
constexpr auto kSlowLaunch = std::chrono::milliseconds(1);

}  // namespace

void PaceLog::trace() { begin(Stretch::Traced); }

void PaceLog::rest(std::uint64_t round, bool alone) {
    {
        // Another thread may be asking whether the rest before is over.
        const std::lock_guard lock(m_mutex);
        m_round = round;
        m_from = m_calls.load();
        m_began = m_fromAt = m_now();
        m_awaitsStart = true;
    }
    begin(alone ? Stretch::Alone : Stretch::None);
    m_resting.store(true, std::memory_order_release);
}

void PaceLog::endRest() {
    m_awaitsStart = false;
    m_resting.store(false, std::memory_order_release);
}

void PaceLog::startInRest() {
    const std::lock_guard lock(m_mutex);
    if (!m_awaitsStart) return;
    m_from = m_calls.load();
    m_fromAt = m_now();
    m_rows.clear();
    if (m_stretch == Stretch::Alone) m_skipped = 0;
    m_steady = false;
    m_each = 0;
    beginSlice(m_fromAt, m_from);
    m_awaitsStart.store(false, std::memory_order_release);
}

void PaceLog::beginSlice(Clock::time_point now, std::uint64_t calls) {
    m_sliceAt = now;
    m_sliceFrom = calls;
    m_sliceEnd = (now + kSlice).time_since_epoch().count();
}

bool PaceLog::isSteady(Clock::time_point now, std::uint64_t calls) {
    if (now.time_since_epoch().count() < m_sliceEnd) return m_steady;
    const std::lock_guard lock(m_mutex);
    if (now - m_sliceAt < kSlice) return m_steady;  // another thread was here
    const double each = static_cast<double>((now - m_sliceAt).count()) /
                        static_cast<double>(std::max<std::uint64_t>(1, calls - m_sliceFrom));
    m_steady = m_each > 0 && std::abs(each - m_each) <= kSteady * m_each;
    m_each = each;
    beginSlice(now, calls);
    return m_steady;
}

bool PaceLog::restIsOver() {
    if (m_round.load(std::memory_order_relaxed) == 0) return false;
    const auto now = m_now();
    std::unique_lock lock(m_mutex);
    const std::uint64_t all = m_calls.load(std::memory_order_relaxed), round = m_round;
    if (m_awaitsStart.load(std::memory_order_relaxed)) return now - m_began >= kPatience;
    const std::uint64_t calls = all - m_from;
    const auto since = now - m_fromAt;
    lock.unlock();
    const bool steady = isSteady(now, all);
    if (since < kLeastRest) return false;
    if (since >= kMostRest || since >= kSlowLaunch * calls) return true;
    // Slices shorter than the round may differ from each other even in a steady program.
    const bool longRound = since * round >= kSlice * calls;
    // More than `round` calls, so that the first call of the next round is noted as well.
    return calls > round && (steady || longRound);
}

bool PaceLog::restedFor(std::chrono::duration<double> time) {
    const auto now = m_now();
    const std::lock_guard lock(m_mutex);
    return m_resting && m_stretch == Stretch::Alone && !m_awaitsStart && now - m_fromAt >= time;
}

void PaceLog::begin(Stretch stretch) {
    const std::lock_guard lock(m_mutex);
    m_stretch = stretch;
    m_rows.clear();
    m_skipped = stretch == Stretch::None ? ~std::uint64_t{0} : 0;
}

void PaceLog::note(std::uint64_t call) {
    if (m_awaitsStart.load(std::memory_order_relaxed)) {
        if (call >= m_from + kQueue) startInRest();
        return;
    }
    const std::lock_guard lock(m_mutex);
    if (m_stretch == Stretch::None) return;
    const std::uint64_t now = m_gpuNow();
    // Threads that launch at the same time may arrive here out of order.
    if (!m_rows.empty() && (call <= m_rows.back().calls || now < m_rows.back().atNs)) return;
    m_rows.push_back({.alone = m_stretch == Stretch::Alone, .calls = call, .atNs = now});
    if (m_rows.size() < kMostMarks) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_rows.size(); i += 2) m_rows[kept++] = m_rows[i];
    m_rows.resize(kept);
    m_skipped = 2 * m_skipped + 1;
}

std::vector<spool::PaceRow> PaceLog::take() {
    const std::lock_guard lock(m_mutex);
    m_stretch = Stretch::None;
    m_skipped = ~std::uint64_t{0};
    m_awaitsStart = false;
    return std::exchange(m_rows, {});
}

}  // namespace roofscope::inject
