// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/rounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "analyzer/numbers/median.h"

namespace roofscope::program {
namespace {

/// As for groups of launches (analyzer/launches/grouping.cpp): a kernel that takes four times as
/// long does other work.
constexpr double kOtherWork = 4.0;
/// How many later occurrences the first one is compared with.
constexpr std::size_t kMostCompared = 64;
/// With more occurrences than this, their mean shows how long the loop takes.
constexpr std::size_t kFewRounds = 64;

using Shape = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

Shape shapeOf(const Launch& launch) {
    return {launch.kernel, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.total()};
}

/// Calls visit(activity) for the kernels that begin within a span.
template <class Visit>
void forEachKernel(const LaneActivity& lane, const TimeSpan& span, const Visit& visit) {
    const auto start = [](const Activity& a) { return a.time.start; };
    for (auto a = std::ranges::lower_bound(lane.activities, span.start, {}, start);
         a != lane.activities.end() && a->time.start < span.end; ++a)
        if (a->kind == Activity::Kind::Kernel) visit(*a);
}

}  // namespace

bool isSlowByOwnWork(const Profile& profile, const LaneActivity& lane,
                     const std::vector<TimeSpan>& spans, std::size_t occurrence,
                     Nanoseconds excess) {
    constexpr double kMost = 0.5;
    struct Times {
        std::vector<double> now, later;
    };
    std::map<Shape, Times> shapes;
    const auto note = [&](std::size_t span, bool add, std::vector<double> Times::*times) {
        forEachKernel(lane, spans[span], [&](const Activity& a) {
            const Shape shape = shapeOf(profile.launches[a.row]);
            const auto at = add ? shapes.try_emplace(shape).first : shapes.find(shape);
            if (at != shapes.end())
                (at->second.*times).push_back(static_cast<double>(a.time.length()));
        });
    };
    note(occurrence, true, &Times::now);
    const std::size_t end = std::min(spans.size(), occurrence + 1 + kMostCompared);
    for (std::size_t i = occurrence + 1; i < end; ++i) note(i, false, &Times::later);
    double longer = 0;
    for (auto& [shape, times] : shapes) {
        if (times.later.empty()) continue;
        const double usual = medianOf(times.later);
        for (const double time : times.now)
            if (time >= kOtherWork * usual) longer += time - usual;
    }
    return longer >= kMost * static_cast<double>(excess);
}

bool workDiffers(const LaneActivity& lane, const std::vector<TimeSpan>& spans) {
    constexpr double kMost = 0.5;
    if (spans.size() < 2 || spans.size() > kFewRounds) return false;
    std::vector<double> times;
    double all = 0;
    for (const TimeSpan& span : spans) {
        double& time = times.emplace_back(0.0);
        forEachKernel(lane, span, [&](const Activity& a) { time += double(a.time.length()); });
        all += time;
    }
    const double usual = medianOf(times);
    double heavy = 0;
    for (const double time : times)
        if (time >= kOtherWork * usual) heavy += time;
    return heavy > kMost * all;
}

std::vector<TimeSpan> turnsBetweenPauses(const std::vector<TimeSpan>& spans) {
    constexpr double kLong = 8, kLeastOfAll = 0.25, kRegular = 0.8, kNearly = 0.2;
    constexpr std::size_t kLeastTurns = 3, kLeastInside = 4;
    std::vector<double> lengths;
    for (const TimeSpan& span : spans) lengths.push_back(static_cast<double>(span.length()));
    if (lengths.size() < kLeastTurns * kLeastInside) return {};
    const double usual = medianOf(lengths);
    std::vector<std::size_t> ends;  // the occurrences after the long ones
    double all = 0, inLong = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        all += lengths[i];
        if (lengths[i] < kLong * usual) continue;
        inLong += lengths[i];
        if (i + 1 < lengths.size()) ends.push_back(i + 1);
    }
    if (ends.size() < kLeastTurns || inLong < kLeastOfAll * all) return {};
    std::vector<double> distances;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        distances.push_back(static_cast<double>(ends[i + 1] - ends[i]));
    const double distance = medianOf(distances);
    const auto regular = std::ranges::count_if(
        distances, [&](double one) { return std::abs(one - distance) <= kNearly * distance; });
    if (distance < kLeastInside ||
        static_cast<double>(regular) < kRegular * static_cast<double>(distances.size()))
        return {};
    std::vector<TimeSpan> turns;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
        if (std::abs(distances[i] - distance) <= kNearly * distance)
            turns.push_back({spans[ends[i]].start, spans[ends[i + 1]].start});
    return turns;
}

Window::Pauses endBeforePauses(const LaneActivity& lane, std::vector<TimeSpan>& spans) {
    constexpr double kLong = 8, kLeastOfAll = 0.25, kMostOfPauses = 0.8;
    constexpr std::size_t kMostPauses = 8, kRepeatsPerPause = 50;
    std::vector<double> lengths;
    for (const TimeSpan& span : spans) lengths.push_back(static_cast<double>(span.length()));
    if (lengths.size() < kRepeatsPerPause) return {};
    const double usual = medianOf(lengths);
    double all = 0, inAllPauses = 0;
    std::vector<std::tuple<double, std::size_t, Nanoseconds>> pauses;  // length, of which, from
    for (std::size_t i = 0; i < spans.size(); ++i) {
        all += lengths[i];
        if (lengths[i] < kLong * usual) continue;
        Nanoseconds end = spans[i].start;
        const auto start = [](const Activity& a) { return a.time.start; };
        for (auto a = std::ranges::lower_bound(lane.activities, spans[i].start, {}, start);
             a != lane.activities.end() && a->time.start < spans[i].end; ++a) {
            if (end > spans[i].start && static_cast<double>(a->time.start - end) > usual) break;
            end = std::max(end, a->time.end);
        }
        if (end >= spans[i].end) continue;
        pauses.emplace_back(static_cast<double>(spans[i].end - end), i, end);
        inAllPauses += std::get<0>(pauses.back());
    }
    // Short delays of the machine are many, and small.
    std::ranges::sort(pauses, std::greater{});
    pauses.resize(std::min({pauses.size(), kMostPauses, spans.size() / kRepeatsPerPause}));
    double inPauses = 0;
    for (const auto& [length, at, from] : pauses) inPauses += length;
    if (inPauses < kLeastOfAll * all || inPauses < kMostOfPauses * inAllPauses) return {};
    for (const auto& [length, at, from] : pauses) spans[at].end = from;
    return {.count = pauses.size(), .total = {inPauses / 1e9}};
}

namespace {

/// A threshold between short and long values: halfway between the means of those below and above
/// it.
double thresholdBetween(const std::vector<double>& logs) {
    constexpr double kOutliers = 0.02;
    constexpr int kSteps = 16;
    std::vector<double> sorted = logs;
    std::ranges::sort(sorted);
    double threshold = (quantileOf(sorted, kOutliers) + quantileOf(sorted, 1 - kOutliers)) / 2;
    for (int step = 0; step < kSteps; ++step) {
        double below = 0, above = 0;
        std::size_t count = 0;
        for (const double value : logs) {
            (value < threshold ? below : above) += value;
            count += value < threshold ? 1 : 0;
        }
        if (count == 0 || count == logs.size()) break;
        threshold = (below / static_cast<double>(count) +
                     above / static_cast<double>(logs.size() - count)) /
                    2;
    }
    return threshold;
}

/// The values before a split, and those from it on.
struct Parts {
    std::vector<double> first, second;

    Parts(const std::vector<double>& values, std::size_t split)
        : first(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(split)),
          second(values.begin() + static_cast<std::ptrdiff_t>(split), values.end()) {
        std::ranges::sort(first);
        std::ranges::sort(second);
    }
    /// Whether nearly all values of the one part are clearly above nearly all of the other.
    [[nodiscard]] bool apart(bool firstIsLonger) const {
        constexpr double kApart = 1.5, kMost = 0.9;
        const auto& longer = firstIsLonger ? first : second;
        const auto& shorter = firstIsLonger ? second : first;
        return quantileOf(longer, 1 - kMost) >= kApart * quantileOf(shorter, kMost);
    }
};

double sumOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::optional<Levels> levelsOf(const LaneActivity& lane, const std::vector<TimeSpan>& spans) {
    constexpr std::size_t kLeast = 8;
    constexpr double kMostOdd = 0.02, kMuchMore = 2;
    const std::size_t count = spans.size();
    if (count < 2 * kLeast) return std::nullopt;
    std::vector<double> lengths, work, logs;
    for (const TimeSpan& span : spans) {
        lengths.push_back(static_cast<double>(span.length()));
        double& kernels = work.emplace_back(1.0);
        forEachKernel(lane, span, [&](const Activity& a) { kernels += double(a.time.length()); });
        logs.push_back(std::log(kernels));
    }
    const double threshold = thresholdBetween(logs);
    std::vector<std::size_t> longBefore{0};
    for (const double value : logs)
        longBefore.push_back(longBefore.back() + (value >= threshold ? 1 : 0));
    // How many values are in the wrong part if the long ones should be in the first part.
    const auto odd = [&](std::size_t split) {
        return (split - longBefore[split]) + (longBefore[count] - longBefore[split]);
    };
    std::size_t split = kLeast, least = count;
    for (std::size_t at = kLeast; at + kLeast <= count; ++at)
        if (const std::size_t wrong = std::min(odd(at), count - odd(at)); wrong < least)
            split = at, least = wrong;
    if (static_cast<double>(least) > kMostOdd * static_cast<double>(count)) return std::nullopt;
    const bool firstIsLonger = odd(split) == least;
    const Parts parts(lengths, split);
    if (!parts.apart(firstIsLonger) || !Parts(work, split).apart(firstIsLonger))
        return std::nullopt;
    const double first = sumOf(parts.first), second = sumOf(parts.second);
    const bool clear = std::max(first, second) >= kMuchMore * std::min(first, second);
    return Levels{.split = split, .firstMatters = clear ? first > second : firstIsLonger};
}

std::optional<std::pair<Seconds, Seconds>> growth(const std::vector<TimeSpan>& spans) {
    constexpr std::size_t kQuarters = 4, kLeast = 4 * kQuarters;
    constexpr double kGrows = 4.0 / 3, kEach = 1.03;
    if (spans.size() < kLeast) return std::nullopt;
    std::array<double, kQuarters> means{};
    for (std::size_t q = 0; q < kQuarters; ++q) {
        const std::size_t from = q * spans.size() / kQuarters;
        const std::size_t to = (q + 1) * spans.size() / kQuarters;
        std::vector<double> lengths;
        for (std::size_t i = from; i < to; ++i) lengths.push_back(double(spans[i].length()));
        means[q] = medianOf(lengths);
        if (q > 0 && means[q] < kEach * means[q - 1]) return std::nullopt;
    }
    if (means.back() < kGrows * means.front()) return std::nullopt;
    return std::pair{Seconds{means.front() / 1e9}, Seconds{means.back() / 1e9}};
}

}  // namespace roofscope::program
