// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/counting_first.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "collector/rank/process_stat.h"

namespace roofscope::inject {
namespace {

/// A shorter distance may be that of an inner loop (layers of a model).
constexpr std::uint64_t kLeastLoop = 128;
/// What suffices without a loop of kLeastLoop: this many launches of signatures that were all
/// counted.
constexpr std::uint64_t kWithoutLoop = 1024;
/// Or this many iterations that take kQuiet in total, or that each wait for the GPU.
constexpr std::uint64_t kQuietRounds = 4;
constexpr auto kQuiet = std::chrono::milliseconds(500);
/// Or this many iterations that an NVTX range encloses; one is enough if it has kLeastLoop
/// launches.
constexpr std::uint64_t kQuietRanges = 2;
/// Or this many iterations, more than a model has layers.
constexpr std::uint64_t kManyRounds = 128;
/// And this many in a program that fills no tensors, however quickly it issues them.
constexpr std::uint64_t kManyWithoutTensors = 512;
/// The program's set-up lasts at least this long or this many launches. Only ranges can show a loop
/// earlier: initialising the parameters of a model also repeats a few launches some hundred times.
constexpr auto kSetUp = std::chrono::milliseconds(50);
constexpr std::uint64_t kSetUpLaunches = 4096;
/// Limits the memory for a program that numbers its ranges.
constexpr std::size_t kMostRoundRanges = 1024;
/// A longer pause between two launches counts only this much towards kQuiet: a program that waits
/// for its data is not repeating its loop.
constexpr auto kPause = std::chrono::milliseconds(100);
/// The same limit for kSetUp.
constexpr auto kShortPause = std::chrono::milliseconds(10);
/// What the last two iterations may contain: one in kNew launches with a new signature (sizes may
/// change from iteration to iteration), and one in kUncounted with a signature that came again but
/// is not fully counted yet.
constexpr std::ptrdiff_t kNew = 64, kUncounted = 256;
/// If a program launches more than this before it repeats itself, counting does not wait for its
/// loop.
constexpr std::uint64_t kMostLaunches = 1'000'000;

}  // namespace

std::uint32_t CountingFirst::most() const {
    return m_countOneIfCostly && m_cost.isCostly() ? std::min(1U, m_perKernel) : m_perKernel;
}

bool CountingFirst::wants(std::uint64_t signature, Clock::time_point now, bool afterWait) {
    const auto [it, isNew] = m_seen.try_emplace(signature, Seen{m_counts.size(), m_order.size()});
    Seen& seen = it->second;
    if (isNew) m_counts.push_back(0);
    m_longest = std::max<std::uint64_t>(m_longest, m_order.size() - seen.last);
    seen.last = m_order.size();
    if (m_order.size() < kMostLaunches) m_order.push_back(static_cast<std::uint32_t>(seen.number));
    const std::uint32_t before = m_counts[seen.number]++;
    const bool wanted = counts(before) && m_spent < m_budget;
    m_quiet += std::min<Duration>(now - m_lastAt, kPause);
    if (m_lastAt != Clock::time_point{})
        m_running +=
            std::clamp<Duration>(now - m_lastAt - m_lastTook, Duration::zero(), kShortPause);
    m_lastTook = {};
    m_lastAt = now;
    if (afterWait && m_order.size() >= m_lastWait + m_longest) {
        m_lastWait = m_order.size();
        ++m_waits;
    }
    if (wanted) {
        m_lastWanted = m_order.size();
        m_quiet = {};
    }
    if (wanted && (before == 0 || !m_countOneIfCostly)) {
        m_lastNeeded = m_order.size();
        m_waits = m_rangeRound = 0;
    }
    return wanted;
}

void CountingFirst::rangeBegan(const std::string& name) {
    const std::size_t key = std::hash<std::string>()(name);
    if (m_ranges.size() >= kMostRoundRanges && !m_ranges.contains(key)) return;
    const auto [it, isNew] = m_ranges.try_emplace(key);
    Range& range = it->second;
    const std::uint64_t now = m_order.size(), launches = now - range.began;
    range.quiet = !isNew && range.began >= m_lastNeeded ? range.quiet + 1 : 0;
    range.began = now;
    // The first iteration may be longer, for example if an optimizer creates its state. The range
    // of a single operator is much shorter than the loop.
    const bool isRound = launches > 0 && 2 * launches >= m_longest;
    if (isRound && range.quiet >= (launches >= kLeastLoop ? 1 : kQuietRanges))
        m_rangeRound = launches;
}

bool CountingFirst::setsUp() const { return m_running < kSetUp && m_order.size() < kSetUpLaunches; }

bool CountingFirst::nothingNew(bool fillsTensors) const {
    if (m_rangeRound > 0) return true;
    const std::uint64_t rounds = roundsSince(m_lastNeeded);
    // A program that does not wait issues thousands of launches within milliseconds.
    if (rounds >= kManyWithoutTensors && !fillsTensors) return true;
    if (setsUp()) return false;
    if (m_quiet >= kQuiet && roundsSince(m_lastWanted) >= kQuietRounds) return true;
    return rounds >= kManyRounds || (rounds >= kQuietRounds && m_waits >= kQuietRounds);
}

void CountingFirst::counted(Duration took) {
    m_spent += took;
    m_lastTook = took;
    m_cost.counted(took);
}

std::uint64_t CountingFirst::loop() const {
    if (m_rangeRound > 0) return m_rangeRound;
    return m_longest >= kLeastLoop || m_wentQuiet ? m_longest : 0;
}

bool CountingFirst::enough(bool fillsTensors) {
    if (m_onlyCount) return false;
    const std::uint64_t launches = m_order.size();
    if (m_spent >= m_budget || launches >= kMostLaunches) return true;
    m_wentQuiet = nothingNew(fillsTensors);
    if (m_wentQuiet) return true;
    if (setsUp()) return false;
    const std::uint64_t stretch = loop() > 0 ? 2 * loop() : kWithoutLoop;
    if (launches < std::max(stretch, m_nextLook)) return false;
    constexpr std::uint64_t kLooks = 16;  // checks per stretch
    m_nextLook = launches + stretch / kLooks;
    std::ptrdiff_t isNew = 0, uncounted = 0;
    for (auto it = m_order.end() - static_cast<std::ptrdiff_t>(stretch); it != m_order.end(); ++it)
        if (m_counts[*it] == 1)
            ++isNew;
        else if (m_counts[*it] < lastOf())
            ++uncounted;
    const auto tolerated = [&](std::ptrdiff_t share) {
        return loop() > 0 ? static_cast<std::ptrdiff_t>(stretch) / share : 0;
    };
    return isNew <= tolerated(kNew) && uncounted <= tolerated(kUncounted);
}

std::chrono::duration<double> processAge() {
    const auto stat = statOf(getpid());
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    timespec now{};
    if (!stat || ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return {};
    const double age = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 -
                       static_cast<double>(stat->started) / ticks;
    return std::chrono::duration<double>(std::max(0.0, age));
}

}  // namespace roofscope::inject
