// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/phases.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/program/window/period.h"
#include "analyzer/program/window/range_path.h"
#include "profile/model/autotuning.h"

namespace roofscope::program {
namespace {

/// More kinds of stretches are details, not phases.
constexpr std::size_t kMostKinds = 4;
/// A shorter part of the window is not worth an answer of its own.
constexpr double kLeastOfWindow = 0.1;
/// Phases that hold less of the window leave too much unsaid.
constexpr double kMostOfWindow = 0.8;
/// If there are more ranges than this, they do not name the parts of a window.
constexpr std::size_t kMostNames = 32;
/// Fewer repeating launches may be chance.
constexpr std::size_t kLeastLaunches = 24;

double lengthOf(const std::vector<TimeSpan>& spans) {
    double length = 0;
    for (const TimeSpan& span : spans) length += static_cast<double>(span.length());
    return length;
}

/// Whether these are phases: two or more, none of which is tiny, that hold nearly all of a window.
bool arePhases(const std::vector<FoundPhase>& phases, const FoundWindow& window) {
    double all = 0;
    for (const FoundPhase& phase : phases) all += lengthOf(phase.window.spans);
    return phases.size() >= 2 && all >= kMostOfWindow * lengthOf(window.spans);
}

FoundPhase phaseOf(WindowKind kind, std::string name, std::vector<TimeSpan> spans,
                   const FoundWindow& window) {
    FoundPhase phase;
    phase.window.window.kind = kind;
    phase.window.window.name = std::move(name);
    phase.window.window.occurrences = phase.window.window.counted = spans.size();
    phase.perWindow = static_cast<double>(spans.size()) / static_cast<double>(window.spans.size());
    phase.window.spans = std::move(spans);
    return phase;
}

// ---- by NVTX ranges

/// An occurrence of a range, until the GPU has done what was issued in it.
struct Occurrence {
    TimeSpan time;
    std::uint32_t range = 0;  ///< index into Profile::ranges
};

/// Whether this range does not name a part of the program: it is a library's, has a number
/// ("ProfilerStep#7"), or encloses autotuning.
bool isNoPart(std::string_view name) {
    return isOfLibrary(name) || name.find('#') != name.npos ||
           name.find(kAutotuningRange) != name.npos;
}

/// Ranges within the window, by path.
std::map<std::uint32_t, std::vector<TimeSpan>> rangesWithin(const Profile& profile,
                                                            const LaneActivity& lane,
                                                            const FoundWindow& window) {
    std::map<std::uint32_t, std::vector<TimeSpan>> byRange;
    for (const RangeSpan& range : profile.timeline.ranges) {
        const std::uint32_t process = profile.timeline.threads[range.thread].process;
        if (!std::ranges::binary_search(lane.processes, process) || !range.gpu) continue;
        // The window that its GPU work begins in.
        const auto after =
            std::ranges::upper_bound(window.spans, range.gpu->start, {}, &TimeSpan::start);
        if (after == window.spans.begin()) continue;
        const TimeSpan& around = *std::prev(after);
        const TimeSpan whole{std::max(range.time.start, around.start),
                             std::min(std::max(range.time.end, range.gpu->end), around.end)};
        if (whole.end > whole.start) byRange[range.range].push_back(whole);
    }
    return byRange;
}

std::vector<FoundPhase> byRanges(const Profile& profile, const LaneActivity& lane,
                                 const FoundWindow& window) {
    auto within = rangesWithin(profile, lane, window);
    const double all = lengthOf(window.spans);
    for (auto& [range, spans] : within) spans = disjoint(std::move(spans));
    std::erase_if(within, [&](const auto& entry) {
        const std::string& path = profile.ranges[entry.first];
        const double share = lengthOf(entry.second) / all;
        const std::string name = lastName(path);
        return share < kLeastOfWindow || isNoPart(name) ||
               (window.window.kind == WindowKind::Range && name == window.window.name);
    });
    if (within.size() > kMostNames) return {};
    // Takes the outermost ranges. One that is nearly all of the window is no phase, but ranges
    // within it may be.
    std::vector<std::uint32_t> outermost;
    for (const auto& entry : within) {
        // No structured binding, because not every compiler lets lambdas capture one.
        const std::uint32_t range = entry.first;
        const std::vector<TimeSpan>& spans = entry.second;
        const bool isAll = within.size() > 1 && lengthOf(spans) >= (1 - kLeastOfWindow) * all &&
                           std::ranges::any_of(within, [&](const auto& other) {
                               return isWithin(profile.ranges[other.first], profile.ranges[range]);
                           });
        if (isAll) continue;
        const bool nested = std::ranges::any_of(outermost, [&](std::uint32_t other) {
            return isWithin(profile.ranges[range], profile.ranges[other]);
        });
        if (nested) continue;
        std::erase_if(outermost, [&](std::uint32_t other) {
            return isWithin(profile.ranges[other], profile.ranges[range]);
        });
        outermost.push_back(range);
    }
    if (outermost.size() < 2 || outermost.size() > 2 * kMostKinds) return {};
    // The CPU may run ahead. The GPU's part of a range then begins when the range before is done.
    std::vector<Occurrence> order;
    for (const std::uint32_t range : outermost)
        for (const TimeSpan& span : within[range]) order.push_back({span, range});
    std::ranges::stable_sort(order, {}, [](const Occurrence& o) { return o.time.start; });
    std::map<std::uint32_t, std::vector<TimeSpan>> apart;
    Nanoseconds until = 0;
    for (Occurrence& o : order) {
        o.time.start = std::max(o.time.start, until);
        if (o.time.end <= o.time.start) continue;
        until = o.time.end;
        apart[o.range].push_back(o.time);
    }
    std::vector<FoundPhase> phases;
    for (auto& [range, spans] : apart) {
        if (lengthOf(spans) < kLeastOfWindow * all) continue;
        phases.push_back(
            phaseOf(WindowKind::Range, lastName(profile.ranges[range]), std::move(spans), window));
    }
    return phases;
}

// ---- by launches

/// The launches of a lane that begin within each occurrence of the window.
std::vector<std::vector<const Activity*>> launchesOf(const LaneActivity& lane,
                                                     const FoundWindow& window) {
    std::vector<std::vector<const Activity*>> launches(window.spans.size());
    forEachLaunch(lane, window, [&](const Activity& activity, std::size_t span) {
        launches[span].push_back(&activity);
    });
    return launches;
}

/// When the first `count` of these launches have ended.
Nanoseconds doneBefore(const std::vector<const Activity*>& launches, std::size_t count) {
    // No more launches than this run side by side, so earlier ones have ended.
    constexpr std::size_t kSideBySide = 128;
    Nanoseconds end = 0;
    for (std::size_t i = count - std::min(count, kSideBySide); i < count; ++i)
        end = std::max(end, launches[i]->time.end);
    return end;
}

/// What a stretch repeats, in any order.
std::vector<std::uint32_t> contentOf(std::span<const std::uint32_t> sequence,
                                     const Stretch& stretch) {
    const auto turn = sequence.subspan(stretch.first, stretch.length);
    std::vector<std::uint32_t> content(turn.begin(), turn.end());
    std::ranges::sort(content);
    return content;
}

std::vector<FoundPhase> byLaunches(const Profile& profile, const LaneActivity& lane,
                                   const FoundWindow& window) {
    const auto launches = launchesOf(lane, window);
    // The first occurrence stands for those with as many launches.
    std::map<std::size_t, std::size_t> counts;
    for (const auto& of : launches) ++counts[of.size()];
    const auto usual =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (usual == counts.end() || 2 * usual->second < launches.size()) return {};
    const auto first =
        std::ranges::find(launches, usual->first, [](const auto& of) { return of.size(); });
    std::vector<std::uint32_t> sequence;
    for (const Activity* a : *first) sequence.push_back(profile.launches[a->row].kernel);
    const std::vector<Stretch> stretches = stretchesOf(sequence);
    if (stretches.size() < 2) return {};

    // Stretches that repeat the same launches are one phase.
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> kinds;
    for (std::size_t s = 0; s < stretches.size(); ++s)
        kinds[contentOf(sequence, stretches[s])].push_back(s);
    std::vector<FoundPhase> phases;
    for (const auto& [content, which] : kinds) {
        std::vector<TimeSpan> spans;
        std::size_t repeats = 0;
        for (std::size_t o = 0; o < launches.size(); ++o) {
            if (launches[o].size() != usual->first) continue;
            for (const std::size_t s : which) {
                // Idle time before a phase belongs to it, because the CPU prepares the phase then.
                const auto& in = launches[o];
                const std::size_t begin = stretches[s].first, end = stretches[s].end();
                const TimeSpan span{begin == 0 ? window.spans[o].start : doneBefore(in, begin),
                                    std::min(doneBefore(in, end), window.spans[o].end)};
                if (span.end > span.start) spans.push_back(span);
                repeats = stretches[s].repeats;
            }
        }
        if (lengthOf(spans) < kLeastOfWindow * lengthOf(window.spans)) continue;
        FoundPhase phase = phaseOf(WindowKind::Period, "", std::move(spans), window);
        phase.repeats = repeats;
        phase.launches = content.size();
        phases.push_back(std::move(phase));
    }
    return phases;
}

}  // namespace

std::vector<Stretch> stretchesOf(std::span<const std::uint32_t> sequence) {
    constexpr LeastCover kLeast{.ofAll = kLeastOfWindow, .ofRest = 0};
    std::vector<Stretch> found;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, sequence.size()}};  // begin, end
    for (std::size_t kind = 0; kind < kMostKinds && !open.empty(); ++kind) {
        const auto longest =
            *std::ranges::max_element(open, {}, [](const auto& o) { return o.second - o.first; });
        const auto part = sequence.subspan(longest.first, longest.second - longest.first);
        const auto period = findPeriod(part, kLeast);
        if (!period) break;
        const auto content = contentOf(part, {period->first, period->length, period->repeats});
        std::vector<std::pair<std::size_t, std::size_t>> left;
        for (const auto& [begin, end] : open) {
            std::size_t from = begin;
            for (const Period& p :
                 periodsOf(sequence.subspan(begin, end - begin), period->length)) {
                const Stretch stretch{begin + p.first, p.length, p.repeats};
                if (contentOf(sequence, stretch) != content) continue;
                if (stretch.length * stretch.repeats < kLeastLaunches) continue;
                if (stretch.first > from) left.emplace_back(from, stretch.first);
                found.push_back(stretch);
                from = stretch.end();
            }
            if (from < end) left.emplace_back(from, end);
        }
        open = std::move(left);
    }
    std::ranges::sort(found, {}, &Stretch::first);
    return found;
}

std::vector<FoundPhase> findPhases(const Profile& profile, const LaneActivity& lane,
                                   const FoundWindow& window) {
    if (window.spans.empty()) return {};
    for (const auto& find : {byRanges, byLaunches}) {
        std::vector<FoundPhase> phases = find(profile, lane, window);
        if (!arePhases(phases, window)) continue;
        std::ranges::stable_sort(
            phases, {}, [](const FoundPhase& phase) { return phase.window.spans.front().start; });
        return phases;
    }
    return {};
}

}  // namespace roofscope::program
