// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/window.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/model/kernel_origin.h"
#include "analyzer/numbers/median.h"
#include "analyzer/program/window/range_path.h"
#include "analyzer/program/window/rounds.h"
#include "analyzer/program/window/turns.h"
#include "profile/model/autotuning.h"
#include "profile/names/name_pattern.h"

namespace roofscope::program {
namespace {

/// A first occurrence warms up if it takes this many times longer than the median of those after
/// it. Loading code costs milliseconds, while steps of one loop differ by a few percent.
constexpr double kSlowFirst = 1.5;
/// A range with a smaller share of the GPU's work is not what the program repeats.
constexpr double kLeastWork = 0.5;

/// The occurrences must hold at least this share of the GPU's work: what lies between them is at
/// most a tenth.
constexpr double kMostOfAll = 0.9;

/// An occurrence in which loading code takes a larger share is not like the others.
constexpr double kLoads = 0.05;

/// Warming up takes at most this many occurrences.
constexpr std::size_t kMostFirst = 10;
/// A range is nested in another one if this share of its occurrences lies within the other's.
constexpr double kMostlyInside = 0.9;
/// How many ranges are looked at: those with the longest total time.
constexpr std::size_t kMostRanges = 64;

/// Removes the occurrences in which code is loaded, because that happens once per process. If most
/// load code, it is what the program does (it compiles in every step), and all stay.
void dropLoadingOccurrences(std::vector<TimeSpan>& spans, const std::vector<TimeSpan>& loads) {
    std::vector<TimeSpan> without;
    auto next = loads.begin();
    for (const TimeSpan& span : spans) {
        while (next != loads.end() && next->end <= span.start) ++next;
        Nanoseconds loading = 0;
        for (auto load = next; load != loads.end() && load->start < span.end; ++load)
            loading += std::min(load->end, span.end) - std::max(load->start, span.start);
        if (static_cast<double>(loading) <= kLoads * static_cast<double>(span.length()))
            without.push_back(span);
    }
    if (2 * without.size() >= spans.size() && !without.empty()) spans = std::move(without);
}

/// Window::spread, where it is wide and not because the window grows.
std::optional<std::pair<Seconds, Seconds>> spreadOf(const FoundWindow& found) {
    constexpr std::size_t kLeastRepeats = 16;
    constexpr double kWide = 1.2, kQuarter = 0.25;
    if (found.spans.size() < kLeastRepeats || found.window.firstSeconds.value > 0)
        return std::nullopt;
    std::vector<double> lengths;
    lengths.reserve(found.spans.size());
    for (const TimeSpan& span : found.spans) lengths.push_back(static_cast<double>(span.length()));
    std::ranges::sort(lengths);
    const double low = quantileOf(lengths, kQuarter), high = quantileOf(lengths, 1 - kQuarter);
    if (!(low > 0) || high < kWide * low) return std::nullopt;
    return std::pair(Seconds{low / 1e9}, Seconds{high / 1e9});
}

TimeSpan wholeOf(const RangeSpan& range) {
    return {range.time.start,
            range.gpu ? std::max(range.time.end, range.gpu->end) : range.time.end};
}

class Finder {
public:
    Finder(const Profile& profile, const LaneActivity& lane, std::span<const Nanoseconds> compiled)
        : m_profile(profile), m_lane(lane), m_compiled(compiled) {
        const Timeline& t = profile.timeline;
        std::vector<TimeSpan> loads;
        for (const Call& call : t.calls)
            if (t.callNames[call.name].kind == CallKind::Load &&
                ofLane(t.threads[call.thread].process))
                loads.push_back(call.time);
        m_loads = disjoint(std::move(loads));
        if (t.ranges.empty()) return;
        for (const Activity& a : m_lane.activities)
            m_doneBy.push_back(m_doneBy.empty() ? a.time.end
                                                : std::max(m_doneBy.back(), a.time.end));
    }

    FoundWindow find() const {
        if (auto found = chosen()) return std::move(*found);
        if (auto found = recompiled()) return std::move(*found);
        auto found = range();
        auto turns = found ? untilNext(*found) : std::nullopt;
        // A library's range may begin while the GPU still works for the calls before it.
        if (!found || turns || isOfLibrary(found->window.name) || leavesWork(*found)) {
            auto byPeriod = period();
            if (byPeriod && (!found || holdsMore(*byPeriod, *found)))
                found = std::move(byPeriod);
            else if (turns)
                found = std::move(turns);
        }
        if (found) {
            keepOneLevel(*found);
            found->window.spread = spreadOf(*found);
            return std::move(*found);
        }
        if (m_lane.activities.empty()) return {};
        TimeSpan all = m_lane.activities.front().time;
        for (const Activity& a : m_lane.activities) all.end = std::max(all.end, a.time.end);
        return windowOf(WindowKind::Whole, "", {all}, AllCount::Yes);
    }

private:
    /// Whether all occurrences count, or only those that neither load code nor warm up.
    enum class AllCount { Yes, No };
    [[nodiscard]] FoundWindow windowOf(WindowKind kind, std::string name,
                                       std::vector<TimeSpan> spans, AllCount allCount) const {
        FoundWindow found;
        found.window.kind = kind;
        found.window.name = std::move(name);
        found.window.occurrences = spans.size();
        if (allCount == AllCount::No) {
            dropLoadingOccurrences(spans, m_loads);
            // Occurrences of another size say nothing about warming up.
            const auto levels = levelsOf(m_lane, spans);
            const std::size_t slow = leadingWarmUps(
                levels ? std::vector(spans.begin(), spans.begin() + signedOf(levels->split))
                       : spans);
            spans.erase(spans.begin(), spans.begin() + signedOf(slow));
        }
        if (const auto grows = growth(spans))
            std::tie(found.window.firstSeconds, found.window.lastSeconds) = *grows;
        found.window.counted = spans.size();
        found.window.leftOut = found.window.occurrences - spans.size();
        found.spans = std::move(spans);
        return found;
    }

    static std::ptrdiff_t signedOf(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

    /// Keeps one amount of work, if parts of the loop do different amounts.
    void keepOneLevel(FoundWindow& found) const {
        constexpr double kSimilar = 1.5, kMost = 0.9;
        Window& window = found.window;
        bool open = window.occurrences > window.counted + window.leftOut;  // the last one
        std::vector<double> lengths;                                       // of the others
        while (const auto levels = levelsOf(m_lane, found.spans)) {
            const auto split = found.spans.begin() + signedOf(levels->split);
            std::vector<TimeSpan> kept(found.spans.begin(), split);
            std::vector<TimeSpan> others(split, found.spans.end());
            if (!levels->firstMatters) kept.swap(others);
            for (const TimeSpan& other : others)
                lengths.push_back(static_cast<double>(other.length()));
            window.others.before = !levels->firstMatters;
            open = open && !levels->firstMatters;
            found.spans = std::move(kept);
        }
        window.others.count = lengths.size();
        if (window.others.count == 0) return;
        window.others.total = {std::accumulate(lengths.begin(), lengths.end(), 0.0) / 1e9};
        std::ranges::sort(lengths);
        if (quantileOf(lengths, kMost) < kSimilar * quantileOf(lengths, 1 - kMost))
            window.others.seconds = {medianOf(lengths) / 1e9};
        if (shortenPeriod(found)) {
            // The other parts were found with the longer period.
            window.others.seconds = {};
            window.leftOut = 0;
            open = true;
        }
        window.counted = found.spans.size();
        window.occurrences = window.counted + window.leftOut + (open ? 1 : 0);
        const auto grows = growth(found.spans).value_or(std::pair<Seconds, Seconds>{});
        std::tie(window.firstSeconds, window.lastSeconds) = grows;
    }

    /// The number of leading occurrences that warm up: slow, but not because of their work. One
    /// stays.
    [[nodiscard]] std::size_t leadingWarmUps(const std::vector<TimeSpan>& spans) const {
        std::size_t slow = 0;
        while (slow + 1 < spans.size() && slow < kMostFirst) {
            std::vector<double> later;
            for (std::size_t i = slow + 1; i < spans.size(); ++i)
                later.push_back(static_cast<double>(spans[i].length()));
            const double usual = medianOf(later), length = double(spans[slow].length());
            if (length <= kSlowFirst * usual ||
                isSlowByOwnWork(m_profile, m_lane, spans, slow,
                                static_cast<Nanoseconds>(length - usual)))
                break;
            ++slow;
        }
        return slow;
    }

    [[nodiscard]] bool ofLane(std::uint32_t process) const {  // sorted
        return std::ranges::binary_search(m_lane.processes, process);
    }

    /// Time of the lane's kernels and copies that lies in `spans`, which are disjoint.
    [[nodiscard]] double workIn(const std::vector<TimeSpan>& spans) const {
        std::vector<double> before{0};  // length of the spans before each
        for (const TimeSpan& span : spans)
            before.push_back(before.back() + static_cast<double>(span.length()));
        const auto until = [&](Nanoseconds at) {
            const auto after = std::ranges::upper_bound(spans, at, {}, &TimeSpan::start);
            const auto index = static_cast<std::size_t>(after - spans.begin());
            if (index == 0) return 0.0;
            const TimeSpan& last = spans[index - 1];
            return before[index - 1] + static_cast<double>(std::min(at, last.end) - last.start);
        };
        double work = 0;
        for (const Activity& a : m_lane.activities) work += until(a.time.end) - until(a.time.start);
        return work;
    }
    [[nodiscard]] double allWork() const {
        return std::accumulate(
            m_lane.activities.begin(), m_lane.activities.end(), 0.0,
            [](double sum, const Activity& a) { return sum + double(a.time.length()); });
    }

    [[nodiscard]] std::optional<FoundWindow> chosen() const {
        std::vector<TimeSpan> spans;
        for (const ProfilerSpan& span : m_profile.timeline.profiler)
            if (ofLane(span.process)) spans.push_back(span.time);
        if (spans = disjoint(std::move(spans)); !spans.empty())
            return windowOf(WindowKind::Chosen, "", std::move(spans), AllCount::Yes);
        // "--nvtx step": launches outside of such ranges are not in the profile.
        for (const std::string& filter : m_profile.capture.filters) {
            constexpr std::string_view kOption = "--nvtx ";
            if (!filter.starts_with(kOption)) continue;
            const std::string expression = filter.substr(kOption.size());
            const auto pattern = NamePattern::compile(expression);
            if (auto found = rangesThat([&](const std::string& name) {
                    return !pattern.ok() || pattern->matches(name);
                }))
                return found;
        }
        // `record --range`: those that were measured as a whole.
        if (m_profile.rangeMeasurements.empty()) return std::nullopt;
        std::set<std::string> measured;
        for (const RangeMeasurement& range : m_profile.rangeMeasurements)
            if (range.depth == 0) measured.insert(lastName(m_profile.ranges[range.range]));
        return rangesThat([&](const std::string& name) { return measured.contains(name); });
    }

    /// When the GPU has done what was issued before the range, but no later than the range's own
    /// work begins.
    [[nodiscard]] Nanoseconds afterEarlierWork(const RangeSpan& range) const {
        if (!range.gpu) return range.time.start;
        const auto own = std::ranges::lower_bound(m_lane.activities, range.gpu->start, {},
                                                  [](const Activity& a) { return a.time.start; });
        const auto earlier = static_cast<std::size_t>(own - m_lane.activities.begin());
        const Nanoseconds done = earlier == 0 ? range.time.start : m_doneBy[earlier - 1];
        return std::max(range.time.start, std::min(done, range.gpu->start));
    }

    /// The first occurrence begins after the work of earlier calls, like each later one.
    void beginAfterEarlierWork(std::vector<TimeSpan>& spans, const RangeSpan* first) const {
        if (spans.empty() || !first || !first->gpu) return;
        Nanoseconds& start = spans.front().start;
        start = std::max(start, afterEarlierWork(*first));
    }

    /// All occurrences of the ranges whose last name `chosen` accepts; nested ones do not count
    /// twice.
    template <class Chosen>
    [[nodiscard]] std::optional<FoundWindow> rangesThat(Chosen chosen) const {
        std::vector<TimeSpan> spans;
        std::string name;
        const RangeSpan* first = nullptr;
        std::map<std::uint32_t, bool> known;  // by range, because patterns are slow
        for (const RangeSpan& range : m_profile.timeline.ranges) {
            if (!ofLane(m_profile.timeline.threads[range.thread].process)) continue;
            const auto [at, isNew] = known.try_emplace(range.range, false);
            const std::string own = isNew ? lastName(m_profile.ranges[range.range]) : "";
            if (isNew) at->second = chosen(own);
            if (!at->second) continue;
            if (name.empty()) name = own;
            spans.push_back(wholeOf(range));
            if (!first || range.time.start < first->time.start) first = &range;
        }
        if (spans = disjoint(std::move(spans)); spans.empty()) return std::nullopt;
        beginAfterEarlierWork(spans, first);
        return windowOf(WindowKind::Chosen, std::move(name), std::move(spans), AllCount::No);
    }

    /// A range that occurs more than once and holds most of the work.
    struct Candidate {
        std::size_t depth = 0;  ///< how many ranges of its thread are around it
        double work = 0;
        std::string name;
        std::vector<TimeSpan> spans;   ///< with the GPU's work
        std::vector<TimeSpan> pushed;  ///< from push to pop, disjoint
    };

    /// Whether nearly every occurrence of `inner` lies within one of `outer`. It may be on another
    /// thread, such as autograd's, for which the step waits.
    [[nodiscard]] static bool isInside(const Candidate& inner, const Candidate& outer) {
        const auto inside = std::ranges::count_if(inner.pushed, [&](const TimeSpan& span) {
            const auto after =
                std::ranges::upper_bound(outer.pushed, span.start, {}, &TimeSpan::start);
            return after != outer.pushed.begin() && std::prev(after)->end >= span.end;
        });
        return static_cast<double>(inside) >=
               kMostlyInside * static_cast<double>(inner.pushed.size());
    }

    [[nodiscard]] std::vector<Candidate> rangeCandidates() const {
        struct Occurrences {
            double length = 0;
            std::vector<TimeSpan> whole, pushed;
            const RangeSpan* first = nullptr;
            bool ofLibrary = false;
        };
        std::map<std::uint32_t, Occurrences> byRange;
        for (const RangeSpan& range : m_profile.timeline.ranges) {
            if (!ofLane(m_profile.timeline.threads[range.thread].process)) continue;
            const auto [at, isNew] = byRange.try_emplace(range.range);
            Occurrences& of = at->second;
            if (isNew) of.ofLibrary = isOfLibrary(lastName(m_profile.ranges[range.range]));
            of.whole.push_back(wholeOf(range));
            // What the program issued before a library's call is not the library's work.
            if (of.ofLibrary) of.whole.back().start = afterEarlierWork(range);
            of.pushed.push_back(range.time);
            of.length += static_cast<double>(of.whole.back().length());
            if (!of.first || range.time.start < of.first->time.start) of.first = &range;
        }
        std::erase_if(byRange, [](const auto& entry) { return entry.second.whole.size() < 2; });
        std::vector<std::uint32_t> longest;
        for (const auto& [range, of] : byRange) longest.push_back(range);
        std::ranges::stable_sort(longest, std::greater{},
                                 [&](std::uint32_t range) { return byRange[range].length; });
        if (longest.size() > kMostRanges) longest.resize(kMostRanges);
        const double all = allWork();
        std::vector<Candidate> candidates;
        for (const std::uint32_t range : longest) {
            Occurrences& of = byRange[range];
            const std::string& path = m_profile.ranges[range];
            if (path.find(kAutotuningRange) != path.npos) continue;
            Candidate candidate{.name = lastName(path), .spans = disjoint(std::move(of.whole))};
            beginAfterEarlierWork(candidate.spans, of.first);
            candidate.work = workIn(candidate.spans);
            if (candidate.spans.size() < 2 || candidate.work < kLeastWork * all) continue;
            for (std::size_t at = 0; (at = path.find(kWithin, at)) != path.npos;
                 at += kWithin.size())
                ++candidate.depth;
            candidate.pushed = disjoint(std::move(of.pushed));
            candidates.push_back(std::move(candidate));
        }
        return candidates;
    }

    /// The outermost of the ranges that occur more than once and hold most of the work.
    [[nodiscard]] std::optional<FoundWindow> range() const {
        if (!m_lane.recorded.ranges) return std::nullopt;
        const std::vector<Candidate> candidates = rangeCandidates();
        const Candidate* best = nullptr;
        for (const Candidate& candidate : candidates) {
            const bool inner = std::ranges::any_of(candidates, [&](const Candidate& other) {
                return &other != &candidate && isInside(candidate, other) &&
                       !isInside(other, candidate);
            });
            if (inner) continue;
            if (!best ||
                std::pair(candidate.depth, -candidate.work) < std::pair(best->depth, -best->work))
                best = &candidate;
        }
        if (!best) return std::nullopt;
        return windowOf(WindowKind::Range, best->name, best->spans, AllCount::No);
    }

    /// A loop of calls to a library's function ("XlaModule: jit_step") that is compiled anew, for
    /// other shapes, until the end. Compiling between the calls belongs to the loop, but not what
    /// comes before the second call.
    [[nodiscard]] std::optional<FoundWindow> recompiled() const {
        constexpr std::size_t kLeastPauses = 3;
        constexpr double kLeastOfAll = 0.3;
        if (m_compiled.empty() || !m_lane.recorded.ranges) return std::nullopt;
        const std::vector<Candidate> candidates = rangeCandidates();
        const auto best = std::ranges::max_element(candidates, {}, &Candidate::work);
        if (best == candidates.end() || !best->name.starts_with("XlaModule") ||
            best->spans.size() < 3)
            return std::nullopt;
        // If the calls lie within a range of the program's own, that range is the loop.
        if (std::ranges::any_of(candidates, [&](const Candidate& other) {
                return !isOfLibrary(other.name) && isInside(*best, other);
            }))
            return std::nullopt;
        std::vector<TimeSpan> turns;
        std::size_t pauses = 0;
        double compiling = 0, all = 0;
        for (std::size_t i = 1; i + 1 < best->spans.size(); ++i) {
            const TimeSpan pause{best->spans[i].end, best->spans[i + 1].start};
            turns.push_back({best->spans[i].start, pause.end});
            all += static_cast<double>(turns.back().length());
            const auto at = std::ranges::lower_bound(m_compiled, pause.start);
            if (at == m_compiled.end() || *at >= pause.end) continue;
            ++pauses;
            compiling += static_cast<double>(pause.length());
        }
        if (pauses < kLeastPauses || compiling < kLeastOfAll * all) return std::nullopt;
        return windowOf(WindowKind::Range, best->name, std::move(turns), AllCount::Yes);
    }

    /// A library's range is what the program calls, not all that it repeats. If much time passes
    /// between two of them, a turn lasts from one to the next; a much longer pause is another part
    /// of the program.
    [[nodiscard]] std::optional<FoundWindow> untilNext(const FoundWindow& range) const {
        constexpr double kMuch = 0.25, kOtherPart = 4;
        if (!isOfLibrary(range.window.name)) return std::nullopt;
        const std::vector<TimeSpan>& spans = range.spans;
        std::vector<double> lengths, pauses;
        for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
            lengths.push_back(static_cast<double>(spans[i].length()));
            pauses.push_back(static_cast<double>(spans[i + 1].start - spans[i].end));
        }
        if (lengths.size() < 2) return std::nullopt;
        const double length = medianOf(lengths), pause = medianOf(pauses);
        if (pause < kMuch * (length + pause)) return std::nullopt;
        std::vector<TimeSpan> turns;
        for (std::size_t i = 0; i + 1 < spans.size(); ++i)
            if (pauses[i] <= kOtherPart * pause)
                turns.push_back({spans[i].start, spans[i + 1].start});
        if (turns.size() < 2) return std::nullopt;
        FoundWindow found = ofTurns(std::move(turns));
        found.window.occurrences = range.window.occurrences;
        return found;
    }

    /// The window of these turns, with the mean number of launches in one.
    [[nodiscard]] FoundWindow ofTurns(std::vector<TimeSpan> turns) const {
        std::size_t launches = 0;
        for (const Activity& a : m_lane.activities) {
            const auto after = std::ranges::upper_bound(turns, a.time.start, {}, &TimeSpan::start);
            launches += a.kind != Activity::Kind::Transfer && after != turns.begin() &&
                        a.time.start < std::prev(after)->end;
        }
        const std::size_t all = turns.size();
        FoundWindow found = windowOf(WindowKind::Period, "", std::move(turns), AllCount::No);
        found.window.periodLaunches = (launches + all / 2) / all;
        return found;
    }

    /// Whether the GPU works between the occurrences of a range. The range may then be only a part
    /// of what the program repeats, like the ranges of a library.
    [[nodiscard]] bool leavesWork(const FoundWindow& range) const {
        const TimeSpan around{range.spans.front().start, range.spans.back().end};
        return workIn(range.spans) < kMostOfAll * workIn({around});
    }
    /// Whether the period repeats no more often than the range, and holds more work. If a library
    /// named the range after a function of its own ("cub::DeviceRadixSort"), most of the stretch is
    /// enough: turns at the ends may be missing.
    [[nodiscard]] bool holdsMore(const FoundWindow& period, const FoundWindow& range) const {
        constexpr std::size_t kAtEnds = 2;
        constexpr double kMostOfStretch = 0.75;
        const bool ofLibrary = isOfLibrary(range.window.name);
        const TimeSpan around{range.spans.front().start, range.spans.back().end};
        const double least = ofLibrary
                                 ? std::min(workIn(range.spans), kMostOfStretch * workIn({around}))
                                 : workIn(range.spans);
        return period.window.occurrences <= range.window.occurrences + (ofLibrary ? kAtEnds : 0) &&
               workIn(period.spans) > least;
    }

    /// Whether each turn has a stream of its own, and most begin before the one before has ended:
    /// then they are parts of one piece of work, and no loop.
    [[nodiscard]] bool runSideBySide(const Turns& turns,
                                     const std::vector<const Activity*>& launches) const {
        std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
        for (const std::size_t start : turns.starts) {
            const Launch& launch = m_profile.launches[launches[start]->row];
            if (!streams.emplace(launch.process, launch.stream).second) return false;
        }
        std::size_t overlapping = 0;
        for (std::size_t turn = 0; turn + 1 < turns.starts.size(); ++turn) {
            const std::size_t next = turns.starts[turn + 1];
            overlapping += launches[next - 1]->time.end > launches[next]->time.start;
        }
        return 2 * overlapping >= turns.starts.size() - 1;
    }

    [[nodiscard]] std::optional<FoundWindow> period() const {
        const std::vector<const Activity*> launches = launchesIn(
            m_lane,
            {std::numeric_limits<Nanoseconds>::min(), std::numeric_limits<Nanoseconds>::max()});
        auto turns = heaviestTurnsOf(m_profile, launches);
        if (turns && runSideBySide(*turns, launches)) turns = turnsOf(m_profile, launches);
        if (!turns || runSideBySide(*turns, launches)) return std::nullopt;
        // A loop around the launches that repeat.
        if (auto outer = turnsBetweenPauses(turns->spans); !outer.empty())
            return ofTurns(std::move(outer));
        if (workDiffers(m_lane, turns->spans))
            return together(turns->starts, launches, turns->length);
        // A Python program is judged by its loop alone, so its pauses stay in it.
        Window::Pauses pauses;
        if (!runsPython(m_profile)) pauses = endBeforePauses(m_lane, turns->spans);
        FoundWindow found = windowOf(WindowKind::Period, "", std::move(turns->spans), AllCount::No);
        found.window.pauses = pauses;
        found.window.occurrences = turns->starts.size();
        found.window.periodLaunches = turns->length;
        return found;
    }

    /// One part of a loop may repeat a shorter sequence than all of it does: 24 launches are four
    /// steps of six, and then eight steps of three. Returns whether it does.
    bool shortenPeriod(FoundWindow& found) const {
        constexpr double kMostOfPart = 0.9;
        if (found.window.kind != WindowKind::Period || found.spans.empty()) return false;
        const auto launches =
            launchesIn(m_lane, {found.spans.front().start, found.spans.back().end});
        auto turns = turnsOf(m_profile, launches);
        if (!turns || 2 * turns->length > found.window.periodLaunches ||
            static_cast<double>(turns->length * turns->starts.size()) <
                kMostOfPart * static_cast<double>(launches.size()) ||
            !turnsBetweenPauses(turns->spans).empty() || workDiffers(m_lane, turns->spans))
            return false;
        // What was left out before, because it loads code, is not brought back.
        std::erase_if(turns->spans, [&](const TimeSpan& turn) {
            const auto after =
                std::ranges::upper_bound(found.spans, turn.start, {}, &TimeSpan::start);
            return after == found.spans.begin() || std::prev(after)->end < turn.end;
        });
        if (turns->spans.size() < 2) return false;
        found.spans = std::move(turns->spans);
        found.window.periodLaunches = turns->length;
        return true;
    }

    /// All turns as one: if each does a different amount of work, their mean describes none of
    /// them.
    [[nodiscard]] FoundWindow together(const std::vector<std::size_t>& starts,
                                       const std::vector<const Activity*>& launches,
                                       std::size_t length) const {
        TimeSpan all{launches[starts.front()]->time.start, 0};
        for (std::size_t i = starts.front(); i < std::min(starts.back() + length, launches.size());
             ++i)
            all.end = std::max(all.end, launches[i]->time.end);
        FoundWindow found = windowOf(WindowKind::Period, "", {all}, AllCount::Yes);
        found.window.rounds = starts.size();
        found.window.periodLaunches = length;
        return found;
    }

    const Profile& m_profile;
    const LaneActivity& m_lane;
    std::span<const Nanoseconds> m_compiled;
    std::vector<TimeSpan> m_loads;  ///< in which code is loaded; ascending, disjoint
    /// By index of the lane's activities: when this one and all earlier ones have ended. For
    /// ranges.
    std::vector<Nanoseconds> m_doneBy;
};

}  // namespace

FoundWindow findWindow(const Profile& profile, const LaneActivity& lane,
                       std::span<const Nanoseconds> compiled) {
    return Finder(profile, lane, compiled).find();
}

}  // namespace roofscope::program
