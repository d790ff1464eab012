// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "profile/model/cpu_samples.h"
#include "profile/model/timeline.h"

namespace roofscope::program {

/// A thread that answers twice within this time, in ns, answered late the first time.
inline constexpr Nanoseconds kSameRound = 2'000'000;

/// How much time the samples of a process stand for. The sampler makes its rounds rarer while it
/// samples more threads, so that its cost stays the same. A sample then stands for more time.
class SampleWeights {
public:
    explicit SampleWeights(const CpuSamples& samples);
    /// The weight of a sample at this time; 1 on average over the rounds.
    [[nodiscard]] double at(Nanoseconds time) const;
    /// The round that a sample at this time belongs to, up to the beginning of the next.
    [[nodiscard]] TimeSpan roundAt(Nanoseconds time) const;

private:
    struct Round {
        Nanoseconds time = 0;
        double weight = 1;
    };
    std::vector<Round> m_rounds;  ///< by time
};

}  // namespace roofscope::program
