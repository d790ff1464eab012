// SPDX-License-Identifier: Apache-2.0
#include "collector/run/join/serial_times.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "collector/run/join/join_parts.h"
#include "collector/run/strategy/replay_strategy.h"
#include "collector/run/strategy/representative_launches.h"

namespace roofscope {
namespace {

/// kInstrumentedWarp: seconds that instrumentation adds per warp, to be divided by the number of
/// SMs. kNoticeable: the share of a duration that makes another run worthwhile. kShortKernel: below
/// this duration (s), the constant costs of both ways of timing are larger.
constexpr double kInstrumentedWarp = 1.4e-9, kNoticeable = 0.02, kShortKernel = 20e-6;
/// Timestamps of consecutive kernels overlap by less than this (s).
constexpr double kOverlap = 1e-6;

bool mayBeTimedTooLong(const Profile& timing, const Launch& launch) {
    return launch.duration->value >= kShortKernel &&
           mostInstrumentation(timing, launch).value > kNoticeable * launch.duration->value;
}

}  // namespace

Seconds mostInstrumentation(const Profile& timing, const Launch& launch) {
    const Device& device = timing.devices[launch.device];
    const double warps = static_cast<double>(launch.grid.total()) *
                         std::ceil(static_cast<double>(launch.block.total()) / device.warpSize);
    return {kInstrumentedWarp * warps / std::max(device.smCount, 1U)};
}

Seconds mostInstrumentation(const Profile& timing, const KernelShares& kernels) {
    Seconds most;
    for (const Launch& launch : timing.launches)
        if (launch.duration && kernels.contains(launchSignature(timing, launch)))
            most += mostInstrumentation(timing, launch);
    return most;
}

KernelShares timedTooLong(const Profile& timing) {
    if (hasPeerKernels(timing)) return {};
    KernelShares found;
    for (const Launch& launch : timing.launches)
        if (launch.duration && launch.start && mayBeTimedTooLong(timing, launch))
            found.emplace(launchSignature(timing, launch), 0.0);
    if (found.empty()) return {};
    double all = 0;
    std::map<std::uint32_t, std::vector<std::pair<double, double>>> spans;  // by device
    for (const Launch& launch : timing.launches) {
        if (!launch.duration || !launch.start) continue;
        const double seconds = launch.duration->value;
        spans[launch.device].emplace_back(launch.start->value, launch.start->value + seconds);
        all += seconds;
        if (const auto kernel = found.find(launchSignature(timing, launch)); kernel != found.end())
            kernel->second += seconds;
    }
    for (auto& [device, list] : spans) {
        std::ranges::sort(list);
        double end = 0;
        for (const auto& [from, to] : list) {
            if (from < end - kOverlap) return {};
            end = std::max(end, to);
        }
    }
    for (auto& [signature, share] : found) share /= all;
    return found;
}

bool needsSerialRun(const KernelShares& shares, const SerialTimes& known) {
    if (known.empty()) return !shares.empty();
    double missed = 0;
    for (const auto& [signature, share] : shares)
        if (!known.contains(signature)) missed += share;
    return missed >= kLeastJointShareWorthRun;
}

SerialTimes serialTimesOf(const Profile& run, const std::vector<bool>& among) {
    const std::vector<bool> counted = measuredAt(run, run.counters.names());
    std::map<std::uint64_t, std::vector<double>> seconds, afterwards;
    std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
    std::map<std::uint32_t, bool> afterCounted;           // by process
    std::map<std::uint64_t, std::set<std::string>> gpus;  // by signature
    for (std::size_t row = 0; row < run.launches.size(); ++row) {
        const Launch& launch = run.launches[row];
        const std::uint64_t signature = launchSignature(run, launch);
        gpus[signature].insert(run.devices[launch.device].name);
        const bool isFirst = seen.emplace(launch.process, signature).second;
        const bool isAfter = std::exchange(afterCounted[launch.process], counted[row]);
        if (launch.duration && !isFirst && (among.empty() || among[row]))
            (isAfter ? afterwards : seconds)[signature].push_back(launch.duration->value);
    }
    seconds.merge(afterwards);
    std::erase_if(seconds, [&](const auto& entry) { return gpus[entry.first].size() > 1; });
    return medians(std::move(seconds));
}

Seconds timeAddedBySerialRuns(const Profile& timing, const SerialTimes& serial) {
    // Use short kernels, because caches and clocks distort the difference in longer ones: kernels
    // of 5 to 20 µs show 2.0 to 2.5 µs, those of 1 µs show 1.8 µs.
    constexpr double kBrief = 5e-6, kMost = 2e-6;
    std::map<std::uint64_t, std::vector<double>> timed;
    std::map<std::uint64_t, double> instrumentation;
    for (const Launch& launch : timing.launches) {
        if (!launch.duration || !launch.start) continue;
        const std::uint64_t signature = launchSignature(timing, launch);
        if (!serial.contains(signature)) continue;
        timed[signature].push_back(launch.duration->value);
        instrumentation[signature] = mostInstrumentation(timing, launch).value;
    }
    std::vector<double> brief, others;
    for (const auto& [signature, seconds] : medians(std::move(timed)))
        // Instrumentation may have added anything between zero and its maximum, so assume half.
        (seconds.value <= kBrief ? brief : others)
            .push_back(serial.at(signature).value - seconds.value + instrumentation[signature] / 2);
    if (brief.empty() && others.empty()) return {};
    const double added =
        brief.empty() ? *std::ranges::min_element(others) : median(std::move(brief));
    return {std::clamp(added, 0.0, kMost)};
}

}  // namespace roofscope
