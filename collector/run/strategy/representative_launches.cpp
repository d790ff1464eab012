// SPDX-License-Identifier: Apache-2.0
#include "collector/run/strategy/representative_launches.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "collector/configuration/run_configuration.h"
#include "profile/names/instrumented.h"
#include "profile/names/name_pattern.h"

namespace roofscope {
namespace {

/// For kernels with many shapes: the signatures that are not counted, because other shapes of the
/// same kernel stand for them.
std::set<std::uint64_t> stoodFor(const std::map<std::uint32_t, std::set<std::uint64_t>>& ofKernel,
                                 const std::map<std::uint64_t, double>& times, double all) {
    std::set<std::uint64_t> others;
    for (const auto& [kernel, signatures] : ofKernel) {
        if (signatures.size() <= kMostShapes) continue;
        std::vector<std::pair<double, std::uint64_t>> shapes;
        for (const std::uint64_t s : signatures) {
            const auto time = times.find(s);
            shapes.emplace_back(time == times.end() ? 0 : time->second, s);
        }
        std::ranges::stable_sort(shapes, std::greater{},
                                 [](const auto& shape) { return shape.first; });
        for (const auto& [time, s] : std::span(shapes).subspan(kMostShapes))
            if (time < kShapeCounts * all) others.insert(s);
    }
    return others;
}

/// A launch of a signature.
struct One {
    std::uint32_t ordinal;
    double duration;
    bool fromGraph = false;
};

/// Processes that launch CUDA graphs with clusters, whose nodes are not counted
/// (LaunchedKernels::hasClustersInGraph()). A profile tells neither which graph a node belongs to,
/// nor whether its cluster was set for the node or compiled in.
std::set<std::uint32_t> processesWithClustersInGraphs(const Profile& profile) {
    std::set<std::uint32_t> processes;
    for (const Launch& launch : profile.launches)
        if (launch.fromGraph && launch.cluster && launch.cluster->total() > 1)
            processes.insert(launch.process);
    return processes;
}

/// Drops the nodes of graphs if there are launches outside of them.
void preferOutsideGraphs(std::vector<One>& list) {
    if (!std::ranges::all_of(list, &One::fromGraph))
        std::erase_if(list, [](const One& one) { return one.fromGraph; });
}

/// Whether two durations are practically equal: clocks and GPUs vary more.
bool sameDuration(double a, double b) {
    constexpr double kShare = 0.01, kSeconds = 50e-9;
    return std::abs(a - b) <= std::max(kShare * b, kSeconds);
}

/// Whether launches do different work (like the levels of a search), rather than a few of them
/// being delayed. The first launch does not count, because it may have loaded code.
bool workDiffers(const std::vector<One>& list, double median) {
    constexpr double kSpread = 4;      // different work, as in byWork() of the analyzer
    constexpr double kMatters = 0.05;  // as a share of the time
    double all = 0, longer = 0;
    for (const One& one : std::span(list).subspan(1)) {
        all += one.duration;
        if (one.duration >= kSpread * median) longer += one.duration;
    }
    return all > 0 && longer >= kMatters * all;
}

/// The distance from the median within which half of the launches lie, limited to a small value.
/// Launches within it are equally typical.
double usualDistance(const std::vector<One>& list, double median) {
    constexpr double kLittle = 0.05;
    std::vector<double> distances;
    for (const One& one : list) distances.push_back(std::abs(one.duration - median));
    std::ranges::sort(distances);
    return std::min(kLittle * median, distances[distances.size() / 2]);
}

/// Reduces a list with more than `most` launches to `most`, kept in the order of launches. Of
/// launches that take equally long it keeps the first, because the program runs undisturbed after
/// the last counted one. With `oneOfLong`, one launch of a long kernel is enough.
void choose(std::vector<One>& list, std::size_t most, bool oneOfLong) {
    std::vector<double> durations;
    for (std::size_t i = 1; i < list.size(); ++i) durations.push_back(list[i].duration);
    std::ranges::sort(durations);
    const double median = durations[durations.size() / 2];  // 0 if durations are not known
    if (!workDiffers(list, median)) {
        if (oneOfLong && median > kOneLaunchIsEnough) most = std::min<std::size_t>(most, 1);
        // The first launch finds cold caches and may load code.
        list.erase(list.begin());
        const double usual = usualDistance(list, median);
        std::ranges::stable_sort(list, {}, [&](const One& one) {
            const double distance = std::abs(one.duration - median);
            return distance <= usual || sameDuration(one.duration, median) ? 0 : distance;
        });
        list.resize(std::min(list.size(), most));
        return;
    }
    // Each chosen launch represents an equal part of the time; the first launch counts as well.
    std::vector<One> byTime = list;
    std::ranges::stable_sort(byTime, std::greater{}, &One::duration);
    double all = 0, until = 0;
    for (const One& one : byTime) all += one.duration;
    std::vector<One> chosen;
    const auto isChosen = [&](const One& one) {
        return std::ranges::find(chosen, one.ordinal, &One::ordinal) != chosen.end();
    };
    for (const One& one : byTime) {
        until += one.duration;
        const double next = (static_cast<double>(chosen.size()) + 0.5) / static_cast<double>(most);
        if (chosen.size() == most || until < next * all) continue;
        chosen.push_back(*std::ranges::find_if(list, [&](const One& other) {
            return sameDuration(other.duration, one.duration) && !isChosen(other);
        }));
    }
    list = std::move(chosen);
}

}  // namespace

std::map<std::uint64_t, std::vector<std::uint32_t>> representativeLaunches(
    const Profile& timing, std::uint32_t perKernel, const std::vector<std::uint32_t>& among,
    std::optional<std::uint32_t> perSmall, const std::set<std::uint64_t>& keptUncounted,
    bool onePerShape, bool oneOfLong) {
    std::map<std::uint64_t, std::map<std::uint32_t, std::vector<One>>> bySignature;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> seen;
    std::map<std::uint64_t, double> times;
    double all = 0;
    std::map<std::uint32_t, std::set<std::uint64_t>> ofKernel;
    for (std::uint32_t row = 0; row < timing.launches.size(); ++row) {
        const Launch& launch = timing.launches[row];
        const std::uint64_t s = launchSignature(timing, launch);
        if (launch.duration) {
            times[s] += launch.duration->value;
            all += launch.duration->value;
        }
        const std::uint32_t ordinal = seen[{launch.process, s}]++;
        if (ordinal == 0) ofKernel[launch.kernel].insert(s);
        if (!among.empty() && !std::ranges::binary_search(among, row)) continue;
        bySignature[s][launch.process].push_back(
            {ordinal, launch.duration ? launch.duration->value : 0.0, launch.fromGraph});
    }
    for (const std::uint32_t process : processesWithClustersInGraphs(timing))
        for (auto& [s, processes] : bySignature)
            if (const auto launches = processes.find(process); launches != processes.end())
                preferOutsideGraphs(launches->second);
    const auto shapesOf = [&](std::uint64_t signature) {
        return std::ranges::find_if(
                   ofKernel, [&](const auto& entry) { return entry.second.contains(signature); })
            ->second.size();
    };
    const auto others = perSmall ? stoodFor(ofKernel, times, all) : std::set<std::uint64_t>();
    std::map<std::uint64_t, std::vector<std::uint32_t>> picks;
    for (auto& [s, processes] : bySignature) {
        if (others.contains(s)) {
            picks[s];
            continue;
        }
        std::vector<One>& list =
            std::ranges::max_element(processes, [](const auto& a, const auto& b) {
                return a.second.size() < b.second.size();
            })->second;
        const bool small = all > 0 && times[s] < kSmallShare * all;
        std::size_t most = small ? std::min(perSmall.value_or(perKernel), perKernel) : perKernel;
        if (keptUncounted.contains(s) && list.size() > 2) most = std::min(most, list.size() - 2);
        if (onePerShape && shapesOf(s) >= kManyShapes) most = std::min<std::size_t>(most, 1);
        if (list.size() > most && list.size() > 1) choose(list, most, oneOfLong);
        auto& ordinals = picks[s];
        for (const One& one : list) ordinals.push_back(one.ordinal);
        std::ranges::sort(ordinals);
    }
    return picks;
}

namespace {

/// A row of the timing profile, and its ordinal among the launches of its signature.
using RowAndOrdinal = std::pair<std::uint32_t, std::uint32_t>;

/// The launch to examine, from a list in the order of the run. It is not the first one if there are
/// others, because later ones find warm caches and loaded code. If durations differ, launches of
/// one shape do different work and long ones take most of the time. So it is the first launch that
/// is about as long as those that take the middle of the total time.
const RowAndOrdinal& representative(const Profile& timing, std::span<const RowAndOrdinal> rows) {
    constexpr double kAbout = 1.25;
    const auto others = rows.size() > 1 ? rows.subspan(1) : rows;
    std::vector<double> times;
    double total = 0;
    for (const auto& [row, ordinal] : others)
        if (const auto& duration = timing.launches[row].duration; duration && duration->value > 0) {
            times.push_back(duration->value);
            total += duration->value;
        }
    if (times.empty()) return others.front();
    std::ranges::sort(times);
    double middle = 0, sum = 0;
    for (const double time : times) {
        middle = time;
        sum += time;
        if (sum >= total / 2) break;
    }
    const auto isAbout = [&](const RowAndOrdinal& one) {
        const auto& duration = timing.launches[one.first].duration;
        return duration && duration->value * kAbout >= middle && duration->value <= middle * kAbout;
    };
    return *std::ranges::find_if(others, isAbout);  // there is one: `middle` is a duration
}

}  // namespace

std::optional<Seconds> lastSignatureBegins(const Profile& timing) {
    std::map<std::uint64_t, std::pair<Seconds, double>> signatures;  // first start, all durations
    double all = 0;
    for (const Launch& launch : timing.launches) {
        if (!launch.start || !launch.duration) continue;
        auto& [begins, seconds] =
            signatures.try_emplace(launchSignature(timing, launch), *launch.start, 0.0)
                .first->second;
        begins = std::min(begins, *launch.start);
        seconds += launch.duration->value;
        all += launch.duration->value;
    }
    std::optional<Seconds> last;
    for (const auto& [signature, seen] : signatures)
        if (seen.second >= kLeastJointShareWorthRun * all)
            last = std::max(last.value_or(seen.first), seen.first);
    return last;
}

std::vector<SourceTarget> sourceTargets(const Profile& timing, const SourceRequest& request) {
    struct Candidate {
        SourceTarget target;
        double total = 0;
        std::uint32_t launched = 0;       ///< launches of it by the first process that launches it
        std::vector<RowAndOrdinal> rows;  ///< of these launches
        std::uint32_t process = 0;
    };
    std::map<std::uint64_t, Candidate> candidates;
    const auto pattern = NamePattern::compile(request.pattern);
    if (!pattern) return {};
    for (std::uint32_t row = 0; row < timing.launches.size(); ++row) {
        const Launch& launch = timing.launches[row];
        const Kernel& kernel = timing.kernels[launch.kernel];
        if (!pattern->matchesKernel(kernel.name)) continue;
        const std::uint64_t s = launchSignature(timing, launch);
        const auto [it, isNew] = candidates.try_emplace(s);
        Candidate& c = it->second;
        if (isNew) c.process = launch.process;
        const bool first = launch.process == c.process;
        // Graph nodes count in ordinals, because the injected library counts them as well.
        const std::uint32_t ordinal = c.launched;
        c.launched += first ? 1 : 0;
        if (launch.fromGraph) continue;
        // Without a timing run, every launch has the same weight.
        c.total += launch.duration ? launch.duration->value : 1e-6;
        if (first &&
            (request.launches.empty() || std::ranges::binary_search(request.launches, row)))
            c.rows.emplace_back(row, ordinal);
    }
    std::vector<Candidate> sorted;
    for (auto& [s, c] : candidates) {
        if (c.rows.empty()) continue;
        const auto& [row, ordinal] = representative(timing, c.rows);
        c.target = {.signature = s, .ordinal = ordinal, .launch = row};
        sorted.push_back(std::move(c));
    }
    std::ranges::stable_sort(sorted, std::greater(), &Candidate::total);
    const bool byTime = request.pattern.empty() && request.launches.empty();
    const std::size_t most = byTime ? request.top : kMostSources;
    std::vector<SourceTarget> targets;
    for (const Candidate& c : sorted)
        if (targets.size() < std::min(most, kMostSources)) targets.push_back(c.target);
    return targets;
}

}  // namespace roofscope
