// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/inject/launches/counting_cost.h"

namespace roofscope::inject {

/// In a run that first counts and then times (CountFirstMode): which launches are
/// counted, and when there are enough. Independent of CUDA. Callers serialise calls.
///
/// Of each signature the first `perKernel` launches but the second are counted; with
/// `countOneIfCostly` only one where a counted launch takes long. A program's outer loop shows in
/// the longest distance between two launches of one signature (a layer's launches lie closer): when
/// nearly all launches of its last two rounds are of signatures that were counted, counting is
/// over. A short loop may be a layer's: it has to show that it is the program's, by an NVTX range
/// around each round, by waiting for the GPU in each, by going on for a while, or by more rounds
/// than a model has layers. Whatever is missing then is counted in a further run.
class CountingFirst {
public:
    using Clock = std::chrono::steady_clock;
    using Duration = Clock::duration;

    /// `budget`: counting ends when it has taken so long altogether.
    CountingFirst(std::uint32_t perKernel, bool countOneIfCostly, Duration budget)
        : m_perKernel(perKernel), m_countOneIfCostly(countOneIfCostly), m_budget(budget) {}

    /// Whether this launch is to be counted; call once for each that is recorded. `afterWait`: the
    /// CPU waited for the GPU since the launch before.
    [[nodiscard]] bool wants(std::uint64_t signature, Clock::time_point now,
                             bool afterWait = false);
    /// The program began an NVTX range that no other encloses.
    void rangeBegan(const std::string& name);
    /// How long a counted launch took longer than one that is not.
    void counted(Duration took);
    /// What a session of counters took to open.
    void opened(Duration took) { m_spent += took; }
    /// There are CUDA graphs. One that was made while counters were read may not be timed, so this
    /// run only counts.
    void onlyCount() { m_onlyCount = true; }
    /// Counting would take too long: it is over.
    void giveUp() { m_budget = Duration::zero(); }
    [[nodiscard]] bool enough();
    /// The time that counting took.
    [[nodiscard]] Duration spent() const { return m_spent; }
    /// Launches of one round of the outer loop; 0 where none was found.
    [[nodiscard]] std::uint64_t loop() const;

private:
    struct Seen {
        std::size_t number = 0;  ///< in m_counts
        std::uint64_t last = 0;  ///< launch
    };
    /// How many launches of a signature are counted.
    [[nodiscard]] std::uint32_t most() const;
    /// Whether the n-th launch of a signature (from 0) is counted. The second is not: what it takes
    /// without counters stands for kernels that are launched twice.
    [[nodiscard]] bool counts(std::uint32_t nth) const { return nth != 1 && nth < lastOf(); }
    /// So many launches of a signature are all that are looked at.
    [[nodiscard]] std::uint32_t lastOf() const { return most() > 1 ? most() + 1 : most(); }
    /// Whether a loop, however short, is the program's and has brought nothing new for a while.
    [[nodiscard]] bool nothingNew() const;
    /// Rounds of the longest loop since this launch.
    [[nodiscard]] std::uint64_t roundsSince(std::uint64_t launch) const {
        return m_longest > 0 ? (m_order.size() - launch) / m_longest : 0;
    }

    std::uint32_t m_perKernel;
    bool m_countOneIfCostly;
    Duration m_budget, m_spent{};
    CountingCost m_cost;
    bool m_onlyCount = false;
    std::unordered_map<std::uint64_t, Seen> m_seen;
    std::vector<std::uint32_t> m_counts;  ///< launches of each signature
    std::vector<std::uint32_t> m_order;   ///< of signatures, by their number
    std::uint64_t m_longest = 0;          ///< distance between two launches of one signature
    std::uint64_t m_nextLook = 0;         ///< launches at which to look again
    std::uint64_t m_lastWanted = 0;       ///< launches until then
    /// Launches until the last one that has to be counted: where no number was asked for, one of
    /// each signature has to.
    std::uint64_t m_lastNeeded = 0;
    std::uint64_t m_waits = 0;     ///< since then, of each round one
    std::uint64_t m_lastWait = 0;  ///< launches until it
    /// An outermost NVTX range, which may enclose a round.
    struct Range {
        std::uint64_t began = 0;  ///< launches until it did for the last time
        std::uint64_t quiet = 0;  ///< times in a row that nothing was needed until it began again
    };
    std::unordered_map<std::size_t, Range> m_ranges;  ///< by the hash of its name
    std::uint64_t m_rangeRound = 0;  ///< launches of one that encloses the program's; 0: none does
    Clock::time_point m_lastAt{};    ///< of the last launch
    Duration m_quiet{};              ///< from the last wanted one to it, without pauses
    bool m_wentQuiet = false;
};

/// How long this process has existed; zero where that is unknown.
[[nodiscard]] std::chrono::duration<double> processAge();

}  // namespace roofscope::inject
