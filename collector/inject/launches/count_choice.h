// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "collector/inject/launches/counting_cost.h"

namespace roofscope::inject {

/// Decides which of the recorded launches are counted, by CountersMode. Independent of CUDA.
/// Callers serialise calls.
class CountChoice {
public:
    explicit CountChoice(CountersMode mode);

    /// Whether counts() or taking turns with groups of counters needs signatures. If not, none is
    /// computed, because that costs time in every launch.
    [[nodiscard]] bool bySignature() const { return inTurns() || m_mode.perKernel > 0; }
    /// Whether the next launch is counted. `signature` is its launchSignature(), or any number
    /// if bySignature() is false.
    [[nodiscard]] bool counts(std::uint64_t signature);
    /// Whether all picked launches have come. Never if none were picked.
    [[nodiscard]] bool done() const { return m_open == 0 && !m_mode.picks.empty(); }
    /// A launch of `signature` was counted, and took `took` longer than one that is not counted.
    void counted(std::uint64_t signature, CountingCost::Duration took) {
        m_counted.insert(signature);
        m_cost.counted(took);
    }

private:
    [[nodiscard]] bool inTurns() const { return m_mode.replay == CountersMode::Replay::Multiplex; }

    CountersMode m_mode;
    std::unordered_map<std::uint64_t, std::uint32_t> m_seen;  ///< launches per signature
    std::unordered_set<std::uint64_t> m_counted;              ///< signatures that were counted
    std::size_t m_open = 0;  ///< signatures whose picked launches have not all come
    CountingCost m_cost;
};

/// Recognises picked launches. Callers serialise calls.
class PickedLaunches {
public:
    explicit PickedLaunches(LaunchPicks picks);

    /// Whether the next launch of this signature is picked.
    [[nodiscard]] bool takesNext(std::uint64_t signature);
    /// Whether all picked launches have come.
    [[nodiscard]] bool done() const { return m_open == 0; }

private:
    LaunchPicks m_picks;
    std::unordered_map<std::uint64_t, std::uint32_t> m_seen;  ///< launches per signature
    std::size_t m_open = 0;                                   ///< picked launches still to come
};

}  // namespace roofscope::inject
