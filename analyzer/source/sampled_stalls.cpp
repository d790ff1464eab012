// SPDX-License-Identifier: Apache-2.0
#include "analyzer/source/sampled_stalls.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace roofscope {

namespace {

constexpr std::string_view kSampledPrefix = "smsp__pcsamp_warps_issue_stalled_";
/// Suffix of the samples from cycles in which the scheduler issued nothing. They are also counted
/// under the state itself.
constexpr std::string_view kNotIssuedSuffix = "_not_issued";

}  // namespace

std::string sampledStallCounter(std::string_view reason) {
    return std::string(kSampledPrefix) + std::string(reason);
}

bool isWaiting(std::string_view reason) { return reason != "selected" && reason != "not_selected"; }

SampledStalls readStalls(const SourcePass& pass) {
    SampledStalls stalls;
    stalls.perRow.resize(pass.instructions.size());
    for (const std::string& name : pass.counters.names()) {
        if (!name.starts_with(kSampledPrefix) || name.ends_with(kNotIssuedSuffix)) continue;
        SampledStalls::State state{.reason = name.substr(kSampledPrefix.size()), .total = 0};
        state.perRow.resize(stalls.perRow.size());
        for (std::size_t row = 0; row < stalls.perRow.size(); ++row) {
            const double samples = pass.counters.value(name, row).value_or(0);
            if (!(samples > 0)) continue;
            state.perRow[row] = samples;
            state.total += samples;
            stalls.perRow[row] += samples;
        }
        stalls.total += state.total;
        stalls.states.push_back(std::move(state));
    }
    return stalls;
}

const SampledStalls::State* SampledStalls::find(std::string_view reason) const {
    const auto found = std::ranges::find(states, reason, &State::reason);
    return found != states.end() && found->total > 0 ? &*found : nullptr;
}

std::vector<std::size_t> rowsBySamples(const SampledStalls::State& state) {
    std::vector<std::size_t> rows(state.perRow.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::stable_sort(rows, std::greater{}, [&](std::size_t r) { return state.perRow[r]; });
    return rows;
}

std::optional<DominantStall> dominantStall(const SampledStalls& stalls,
                                           std::span<const std::size_t> rows) {
    DominantStall most;
    double all = 0;
    for (const SampledStalls::State& state : stalls.states) {
        double samples = 0;
        for (const std::size_t row : rows) samples += state.perRow[row];
        all += samples;
        if (!isWaiting(state.reason) || samples <= most.samples) continue;
        most.reason = state.reason;
        most.samples = samples;
    }
    if (!(most.samples > 0)) return std::nullopt;
    most.share = most.samples / all;
    return most;
}

}  // namespace roofscope
