// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/sample_weights.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

namespace roofscope::program {
namespace {

/// Pauses are random, and a thread that answers late splits one round into two. So the distance
/// between rounds is taken from this many of them, without the longest.
constexpr std::size_t kAround = 9;

}  // namespace

SampleWeights::SampleWeights(const CpuSamples& samples) {
    std::vector<Nanoseconds> times;
    for (const CpuSample& sample : samples.samples) times.push_back(sample.time);
    std::ranges::sort(times);
    for (const Nanoseconds time : times)
        if (m_rounds.empty() || time > m_rounds.back().time + kSameRound)
            m_rounds.push_back({.time = time});
    if (m_rounds.size() <= 2 * kAround) return;
    std::vector<double> pauses;
    for (std::size_t i = 0; i + 1 < m_rounds.size(); ++i)
        pauses.push_back(static_cast<double>(m_rounds[i + 1].time - m_rounds[i].time));
    double sum = 0;
    for (std::size_t i = 0; i < m_rounds.size(); ++i) {
        const std::size_t last = pauses.size() - kAround;
        const std::size_t from = std::min(i > kAround / 2 ? i - kAround / 2 : 0, last);
        const std::span<const double> around(pauses.data() + from, kAround);
        m_rounds[i].weight =
            std::accumulate(around.begin(), around.end(), 0.0) - *std::ranges::max_element(around);
        sum += m_rounds[i].weight;
    }
    for (Round& round : m_rounds) round.weight *= static_cast<double>(m_rounds.size()) / sum;
}

double SampleWeights::at(Nanoseconds time) const {
    const auto after = std::ranges::upper_bound(m_rounds, time, {}, &Round::time);
    return after == m_rounds.begin() ? 1 : std::prev(after)->weight;
}

}  // namespace roofscope::program
