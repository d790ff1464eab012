// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "analyzer/over_time/facts.h"

namespace roofscope {

namespace {

/// Both kinds of work must reach this level at times; otherwise there are no phases of each.
constexpr double kLeastBusy = 0.25;
/// Relative to the highest level that the kernel holds: above kBusy is busy, below kIdle is not. In
/// between, an interval is what the one before it was.
constexpr double kBusy = 0.6, kIdle = 0.4;
/// Two phases of each kind. With fewer, a kernel reads and then works, or the other way round.
constexpr std::size_t kLeastChanges = 3;

enum class Busy { Memory, Compute, Both, Neither };

double memoryOf(const Activity& activity) { return activity.dram.value_or(0); }
double computeOf(const Activity& activity) {
    return std::max(activity.issue.value_or(0), activity.tensor.value_or(0));
}

struct Run {
    Busy busy = Busy::Neither;
    std::size_t first = 0, end = 0;  ///< of its intervals
};

std::vector<Busy> busyOf(std::span<const OverTimeInterval> curve, double memory, double compute) {
    std::vector<Busy> kinds;
    for (const OverTimeInterval& interval : curve) {
        const double m = memoryOf(interval.activity) / memory;
        const double c = computeOf(interval.activity) / compute;
        Busy busy = kinds.empty() ? Busy::Neither : kinds.back();
        if (m >= kBusy && c >= kBusy)
            busy = Busy::Both;
        else if (m >= kBusy && c <= kIdle)
            busy = Busy::Memory;
        else if (c >= kBusy && m <= kIdle)
            busy = Busy::Compute;
        else if (m <= kIdle && c <= kIdle)
            busy = Busy::Neither;
        kinds.push_back(busy);
    }
    return kinds;
}

/// Stretches of one kind; too short ones are left out.
std::vector<Run> runsOf(const std::vector<Busy>& kinds) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < kinds.size();) {
        std::size_t end = i;
        while (end < kinds.size() && kinds[end] == kinds[i]) ++end;
        if (end - i >= kLeastStretch) {
            if (!runs.empty() && runs.back().busy == kinds[i])
                runs.back().end = end;  // a short stretch between them was left out
            else
                runs.push_back({.busy = kinds[i], .first = i, .end = end});
        }
        i = end;
    }
    return runs;
}

}  // namespace

std::optional<Phases> findPhases(const OverTimeAnalysis& life) {
    const std::span<const OverTimeInterval> curve = life.curve;
    const double memory = sustained(curve, memoryOf), compute = sustained(curve, computeOf);
    if (memory < kLeastBusy || compute < kLeastBusy) return std::nullopt;
    std::vector<Run> runs = runsOf(busyOf(curve, memory, compute));
    std::erase_if(
        runs, [](const Run& run) { return run.busy != Busy::Memory && run.busy != Busy::Compute; });
    Phases phases;
    std::vector<OverTimeInterval> inMemory, inCompute;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool isMemory = runs[i].busy == Busy::Memory;
        ++(isMemory ? phases.memoryCount : phases.computeCount);
        if (i > 0 && runs[i].busy != runs[i - 1].busy) ++phases.changes;
        phases.list.push_back({.kind = isMemory ? Phase::Kind::Memory : Phase::Kind::Compute,
                               .from = curve[runs[i].first].from,
                               .to = curve[runs[i].end - 1].to});
        for (std::size_t at = runs[i].first; at < runs[i].end; ++at) {
            (isMemory ? phases.memory : phases.compute) += curve[at].length();
            (isMemory ? inMemory : inCompute).push_back(curve[at]);
        }
    }
    if (phases.changes < kLeastChanges) return std::nullopt;
    phases.inMemory = joined(inMemory).activity;
    phases.inCompute = joined(inCompute).activity;
    phases.tensor = phases.inCompute.tensor.value_or(0) > *phases.inCompute.issue;

    const auto all = curve.subspan(runs.front().first, runs.back().end - runs.front().first);
    phases.from = all.front().from;
    phases.to = all.back().to;
    // The work of both kinds in seconds, each at the rate that it has when it runs alone.
    double memorySeconds = 0, computeSeconds = 0;
    for (const OverTimeInterval& interval : all) {
        memorySeconds +=
            interval.length().value * memoryOf(interval.activity) / memoryOf(phases.inMemory);
        computeSeconds +=
            interval.length().value * computeOf(interval.activity) / computeOf(phases.inCompute);
    }
    phases.hidden = {
        std::max(0.0, (phases.to - phases.from).value - std::max(memorySeconds, computeSeconds))};
    return phases;
}

}  // namespace roofscope
