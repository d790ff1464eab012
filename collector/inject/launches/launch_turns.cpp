// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_turns.h"

#include <algorithm>

namespace roofscope::inject {

LaunchTurns::Clock::duration LaunchTurns::patience() const {
    return std::clamp(Clock::duration(3 * m_longest), m_options.least, m_options.most);
}

void LaunchTurns::begun() {
    m_since = Clock::now();
    m_wentAhead = 0;
}

LaunchTurns::Turn LaunchTurns::take() {
    const bool overlap = m_overlap;
    Turn turn{.patience = overlap ? m_options.soon : patience()};
    if (m_mutex.try_lock_for(turn.patience)) {
        begun();
        turn.ours = true;
        if (overlap && ++m_inTime >= m_options.calm && !m_calmTaken) {
            m_calmTaken = true;
            m_overlap = false;
        }
        return turn;
    }
    Clock::rep nobody = 0;
    m_wentAhead.compare_exchange_strong(nobody, Clock::now().time_since_epoch().count());
    m_inTime = 0;
    if (!overlap) m_longestVainWait = std::max(m_longestVainWait.load(), turn.patience.count());
    turn.firstToGiveUp = !m_overlap.exchange(true);
    return turn;
}

bool LaunchTurns::try_lock() {
    if (!m_mutex.try_lock()) return false;
    begun();
    return true;
}

bool LaunchTurns::try_lock_for(Clock::duration patience) {
    if (!m_mutex.try_lock_for(patience)) return false;
    begun();
    return true;
}

void LaunchTurns::unlock() {
    const auto now = Clock::now();
    const Clock::rep ahead = m_wentAhead;
    const Clock::duration since = now.time_since_epoch() - Clock::duration(ahead);
    const bool slowByItself = ahead == 0 || since > m_options.apart;
    if (slowByItself) m_longest = std::max(m_longest.load(), (now - m_since).count());
    // Go back to full waiting only if the new time limit is longer than the longest wait that ended
    // without a turn.
    if (ahead != 0 && slowByItself && patience().count() > m_longestVainWait &&
        m_chancesTaken < m_options.chances) {
        ++m_chancesTaken;
        m_overlap = false;
    }
    m_mutex.unlock();
}

}  // namespace roofscope::inject
