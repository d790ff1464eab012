// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/sample_weights.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <unordered_set>

namespace roofscope::program {
namespace {

/// Pauses are random. So the distance between rounds is taken from this many of them, without the
/// longest.
constexpr std::size_t kAround = 9;

}  // namespace

SampleWeights::SampleWeights(const CpuSamples& samples) {
    std::vector<const CpuSample*> sorted;
    for (const CpuSample& sample : samples.samples) sorted.push_back(&sample);
    std::ranges::stable_sort(sorted, {}, &CpuSample::time);
    // Twenty threads answer one after the other, over more time than kSameRound. So a round ends
    // when one of them answers again.
    std::unordered_set<std::uint32_t> answered;
    for (const CpuSample* sample : sorted) {
        const bool again = !answered.insert(sample->thread).second;
        if (!m_rounds.empty() && !(again && sample->time > m_rounds.back().time + kSameRound))
            continue;
        m_rounds.push_back({.time = sample->time});
        answered = {sample->thread};
    }
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

TimeSpan SampleWeights::roundAt(Nanoseconds time) const {
    const auto after = std::ranges::upper_bound(m_rounds, time, {}, &Round::time);
    const Nanoseconds start = after == m_rounds.begin() ? time : std::prev(after)->time;
    return {start, after == m_rounds.end() ? std::max(time, start) + kSameRound : after->time - 1};
}

double SampleWeights::at(Nanoseconds time) const {
    const auto after = std::ranges::upper_bound(m_rounds, time, {}, &Round::time);
    return after == m_rounds.begin() ? 1 : std::prev(after)->weight;
}

}  // namespace roofscope::program
