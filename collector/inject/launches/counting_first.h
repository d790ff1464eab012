// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/inject/launches/counting_cost.h"

namespace roofscope::inject {

/// For runs that first count and then time (CountFirstMode): decides which launches are counted and
/// when to stop counting. Independent of CUDA. Callers serialise calls.
///
/// Of each signature the first `perKernel` launches are counted, except the second one. With
/// `countOneIfCostly`, only one is counted if counting a launch takes long. The longest distance
/// between two launches of one signature is taken for the program's outer loop (launches of a layer
/// are closer together). Counting stops when nearly all launches of the last two iterations have
/// signatures that were counted. A short loop may be that of a layer. It is accepted only with a
/// sign that it is the program's own: an NVTX range encloses each iteration, each iteration waits
/// for the GPU, the loop goes on for a while, or it has more iterations than a model has layers.
/// What is missing after that is counted in another run.
class CountingFirst {
public:
    using Clock = std::chrono::steady_clock;
    using Duration = Clock::duration;

    /// `budget`: counting ends when it has taken this long in all.
    CountingFirst(std::uint32_t perKernel, bool countOneIfCostly, Duration budget)
        : m_perKernel(perKernel), m_countOneIfCostly(countOneIfCostly), m_budget(budget) {}

    /// Whether to count this launch; call it once for each launch that is recorded. `afterWait`:
    /// the CPU has waited for the GPU since the previous launch.
    [[nodiscard]] bool wants(std::uint64_t signature, Clock::time_point now,
                             bool afterWait = false);
    /// The program began an outermost NVTX range.
    void rangeBegan(const std::string& name);
    /// How much longer a counted launch took than one that is not counted.
    void counted(Duration took);
    /// How long it took to open a session of counters.
    void opened(Duration took) { m_spent += took; }
    /// The program uses CUDA graphs. A graph created while counters are read may not be timed, so
    /// this run only counts.
    void onlyCount() { m_onlyCount = true; }
    /// Counting would take too long, so stop.
    void giveUp() { m_budget = Duration::zero(); }
    /// `fillsTensors`: the program may begin with hundreds of launches that give tensors their
    /// values, as models of frameworks do.
    [[nodiscard]] bool enough(bool fillsTensors = true);
    /// The time that counting took.
    [[nodiscard]] Duration spent() const { return m_spent; }
    /// Launches in one iteration of the outer loop; 0: no loop was found.
    [[nodiscard]] std::uint64_t loop() const;

private:
    struct Seen {
        std::size_t number = 0;  ///< index into m_counts
        std::uint64_t last = 0;  ///< number of its last launch
    };
    /// How many launches of a signature are counted.
    [[nodiscard]] std::uint32_t most() const;
    /// Whether the n-th launch of a signature (from 0) is counted. The second is not, so that
    /// kernels that are launched only twice have a time without counters.
    [[nodiscard]] bool counts(std::uint32_t nth) const { return nth != 1 && nth < lastOf(); }
    /// How many launches of a signature are considered.
    [[nodiscard]] std::uint32_t lastOf() const { return most() > 1 ? most() + 1 : most(); }
    /// Whether the program may still be in its set-up.
    [[nodiscard]] bool setsUp() const;
    /// Whether a loop of any length is the program's own and has brought nothing new for a while.
    [[nodiscard]] bool nothingNew(bool fillsTensors) const;
    /// Iterations of the longest loop since this launch.
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
    std::vector<std::uint32_t> m_order;   ///< signatures in the order of launches, by number
    std::uint64_t m_longest = 0;          ///< distance between two launches of one signature
    std::uint64_t m_nextLook = 0;         ///< number of launches at which enough() checks again
    std::uint64_t m_lastWanted = 0;       ///< launches up to the last wanted one
    /// Launches up to the last one that had to be counted. With m_countOneIfCostly, only the first
    /// one of each signature has to be.
    std::uint64_t m_lastNeeded = 0;
    std::uint64_t m_waits = 0;     ///< waits since m_lastNeeded, at most one per iteration
    std::uint64_t m_lastWait = 0;  ///< launches up to the last of these waits
    /// An outermost NVTX range, which may enclose an iteration.
    struct Range {
        std::uint64_t began = 0;  ///< launches up to when it last began
        /// How often in a row it began again without a needed launch in between.
        std::uint64_t quiet = 0;
    };
    std::unordered_map<std::size_t, Range> m_ranges;  ///< by the hash of its name
    /// Launches in a range that encloses an iteration; 0: there is none.
    std::uint64_t m_rangeRound = 0;
    Clock::time_point m_lastAt{};  ///< time of the last launch
    Duration m_lastTook{};         ///< what counting that launch took
    /// Time since the first launch, without counting and without pauses.
    Duration m_running{};
    /// Time between launches since the last wanted one, without pauses.
    Duration m_quiet{};
    bool m_wentQuiet = false;
};

/// How long this process has existed; zero if that is unknown.
[[nodiscard]] std::chrono::duration<double> processAge();

}  // namespace roofscope::inject
