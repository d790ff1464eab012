// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/window/period.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace roofscope::program {
namespace {

/// Candidate lengths; each costs one pass over the sequence.
constexpr std::size_t kMostLengths = 24, kMostCovering = 8;
/// A shorter period is preferred when its repeats cover at least this much of what the best does.
constexpr double kNearlyAll = 0.95;
/// This many items that match one period later make up for one that does not.
constexpr std::ptrdiff_t kMatchesPerMismatch = 12;
/// A period with mismatches is preferred if it covers this many times what an exact one covers.
constexpr double kFarMore = 1.5;
/// More than the length of any stretch: no mismatch is allowed.
constexpr auto kNever = std::numeric_limits<std::ptrdiff_t>::max() / 4;

/// Where each item occurs, ascending.
using Places = std::unordered_map<std::uint32_t, std::vector<std::size_t>>;

Places placesIn(std::span<const std::uint32_t> sequence) {
    Places places;
    for (std::size_t i = 0; i < sequence.size(); ++i) places[sequence[i]].push_back(i);
    return places;
}

/// The distances at which one item recurs so often that its turns cover a quarter of the sequence,
/// the largest cover first. Used when the rarest items are only trials before the loop.
std::vector<std::size_t> coveringLengths(const Places& places, std::size_t all) {
    // An item that occurs more often belongs to an inner loop.
    constexpr std::size_t kLeastLength = 24;
    std::map<std::size_t, std::size_t> covers;
    for (const auto& [item, at] : places) {
        if (at.size() < kLeastRepeats || at.size() > all / kLeastLength) continue;
        std::map<std::size_t, std::size_t> counts;
        for (std::size_t i = 1; i < at.size(); ++i) ++counts[at[i] - at[i - 1]];
        for (const auto& [length, count] : counts)
            if (4 * length * count >= all)
                covers[length] = std::max(covers[length], length * count);
    }
    std::vector<std::size_t> lengths;
    for (const auto& [length, cover] : covers) lengths.push_back(length);
    std::ranges::stable_sort(lengths, std::greater{},
                             [&](std::size_t length) { return covers[length]; });
    lengths.resize(std::min(lengths.size(), kMostCovering));
    return lengths;
}

/// Lengths that may be periods: the distances at which rare items recur, the most frequent first.
/// In a loop every kernel recurs, and one that is launched once per turn shows the turn's length.
std::vector<std::size_t> likelyLengths(const Places& places) {
    std::vector<const std::vector<std::size_t>*> items;
    for (const auto& [item, at] : places)
        if (at.size() >= kLeastRepeats) items.push_back(&at);
    std::ranges::sort(items, {}, [](const auto* at) { return std::pair(at->size(), at->front()); });
    std::vector<std::size_t> lengths;
    const auto add = [&](std::size_t length) {
        if (std::ranges::find(lengths, length) == lengths.end()) lengths.push_back(length);
    };
    constexpr std::size_t kPerItem = 3;
    for (const auto* at : items) {
        if (lengths.size() >= kMostLengths) break;
        std::map<std::size_t, std::size_t> counts;
        for (std::size_t i = 1; i < at->size(); ++i) ++counts[(*at)[i] - (*at)[i - 1]];
        std::vector<std::pair<std::size_t, std::size_t>> most(counts.begin(), counts.end());
        std::ranges::stable_sort(most, std::greater{},
                                 &std::pair<std::size_t, std::size_t>::second);
        for (std::size_t i = 0; i < most.size() && i < kPerItem; ++i) add(most[i].first);
        // An item of an inner loop usually recurs after a turn of that loop. Where it does not, a
        // turn of the outer loop has ended: the distance between such places is the outer length.
        if (most.size() > 1) {
            const std::size_t inner = most.front().first;
            std::map<std::size_t, std::size_t> outer;
            std::size_t before = 0;
            for (std::size_t i = 1; i < at->size(); ++i) {
                if ((*at)[i] - (*at)[i - 1] == inner) continue;
                if (before > 0) ++outer[(*at)[i] - (*at)[before]];
                before = i;
            }
            if (!outer.empty())
                add(std::ranges::max_element(outer, {}, [](const auto& entry) {
                        return std::pair(entry.second, entry.first);
                    })->first);
        }
        // An item that occurs several times per turn recurs after all of them.
        for (const std::size_t turns : {2U, 3U, 4U})
            if (at->size() > 2 * turns) add((*at)[at->size() - 1] - (*at)[at->size() - 1 - turns]);
    }
    return lengths;
}

/// The stretch in which most items match the one a period later. Each mismatch costs as much as
/// `perMismatch` matches.
std::optional<Period> longestStretch(std::span<const std::uint32_t> sequence, std::size_t length,
                                     std::ptrdiff_t perMismatch) {
    std::ptrdiff_t score = 0, most = 0;
    std::size_t begin = 0, first = 0, end = 0;
    for (std::size_t i = 0; i + length < sequence.size(); ++i) {
        score = sequence[i] == sequence[i + length] ? score + 1 : score - perMismatch;
        if (score <= 0) {
            score = 0;
            begin = i + 1;
        } else if (score > most) {
            most = score;
            first = begin;
            end = i + 1;
        }
    }
    const std::size_t repeats = (end - first) / length + 1;
    if (repeats < kLeastRepeats) return std::nullopt;
    return Period{.first = first, .length = length, .repeats = repeats};
}

double covered(const Period& p) { return static_cast<double>(p.length * p.repeats); }

/// The shortest of those that cover nearly as much as the best; absent if that covers too little.
std::optional<Period> chosen(const std::vector<Period>& found, std::size_t all,
                             const LeastCover& least) {
    if (found.empty()) return std::nullopt;
    Period best = *std::ranges::max_element(found, {}, covered);
    const double most = covered(best);
    for (const Period& period : found)
        if (covered(period) >= kNearlyAll * most && period.length < best.length) best = period;
    if (covered(best) < least.ofRest * static_cast<double>(all - best.first) ||
        covered(best) < least.ofAll * static_cast<double>(all))
        return std::nullopt;
    return best;
}

/// In a shorter period, a different kernel is another step, not another choice of kernel.
bool mayMismatch(std::size_t length) {
    return length >= 2 * static_cast<std::size_t>(kMatchesPerMismatch);
}

/// The best period of one of these lengths.
std::optional<Period> bestOf(const std::vector<std::size_t>& lengths,
                             std::span<const std::uint32_t> sequence, const LeastCover& least) {
    std::vector<Period> exact, nearly;
    for (const std::size_t length : lengths)
        if (const auto period = longestStretch(sequence, length, kNever)) exact.push_back(*period);
    for (const std::size_t length : lengths) {
        if (!mayMismatch(length)) continue;
        if (const auto period = longestStretch(sequence, length, kMatchesPerMismatch))
            nearly.push_back(*period);
    }
    const auto alike = chosen(exact, sequence.size(), least);
    const auto other = chosen(nearly, sequence.size(), least);
    return !alike || (other && covered(*other) >= kFarMore * covered(*alike)) ? other : alike;
}

}  // namespace

std::optional<Period> findPeriod(std::span<const std::uint32_t> sequence, const LeastCover& least) {
    const Places places = placesIn(sequence);
    const auto period = bestOf(likelyLengths(places), sequence, least);
    return period ? period : bestOf(coveringLengths(places, sequence.size()), sequence, least);
}

std::vector<Period> periodsOf(std::span<const std::uint32_t> sequence, std::size_t length) {
    const std::ptrdiff_t perMismatch = mayMismatch(length) ? kMatchesPerMismatch : kNever;
    std::vector<Period> found;
    std::ptrdiff_t score = 0, most = 0;
    std::size_t begin = 0, end = 0;  // of the stretch until now, without mismatches at its end
    const auto close = [&](std::size_t next) {
        const std::size_t repeats = (end - begin) / length + 1;
        if (most > 0 && repeats >= kLeastRepeats) found.push_back({begin, length, repeats});
        score = most = 0;
        begin = end = next;
    };
    for (std::size_t i = 0; i + length < sequence.size(); ++i) {
        const bool same = sequence[i] == sequence[i + length];
        score = same ? score + 1 : score - perMismatch;
        if (score > most) {
            most = score;
            end = i + 1;
        } else if (score <= 0) {
            // The next stretch cannot begin within this one's last turn.
            const bool kept = most > 0 && (end - begin) / length + 1 >= kLeastRepeats;
            const std::size_t next = kept ? std::max(i + 1, end + length) : i + 1;
            close(next);
            i = next - 1;
        }
    }
    close(0);
    return found;
}

namespace {

/// The inner period, if nearly all of a turn is one short sequence repeated hundreds of times. A
/// hundred times is enough if only one or two launches are left (a program that sums up or prints
/// something after so many steps), unless the sequence is a single kernel (the passes of a sort).
/// Two dozen are enough for a sequence that is longer than a layer of a network, if fewer launches
/// are left than the head of such a network has.
std::optional<Period> sweepsOf(std::span<const std::uint32_t> turn) {
    constexpr std::size_t kLeastSweeps = 256, kLeastSteps = 96, kMostExtra = 2;
    constexpr std::size_t kLeastLongSteps = 24, kLongStep = 24;
    constexpr double kNearlyWhole = 0.9;
    if (turn.size() < 2 * kLeastSteps) return std::nullopt;
    constexpr LeastCover kAnywhere{.ofAll = 0.25, .ofRest = 0.25};
    auto sweeps = bestOf(likelyLengths(placesIn(turn)), turn, kAnywhere);
    if (!sweeps || turn.size() < kLeastLongSteps * sweeps->length) return std::nullopt;
    // Turns follow each other, so the sweeps may go on at the turn's beginning. They begin where
    // the stretch does, or after the launches that interrupt it.
    const std::size_t end = sweeps->first + sweeps->length * sweeps->repeats;
    std::vector<std::size_t> begins{sweeps->first};
    for (std::size_t i = 0; i <= kMostExtra + sweeps->length && end + i < turn.size(); ++i)
        begins.push_back(end + i);
    const std::size_t length = sweeps->length;
    for (const std::size_t begin : begins) {
        std::vector<std::uint32_t> around(turn.begin(), turn.end());
        std::ranges::rotate(around, around.begin() + static_cast<std::ptrdiff_t>(begin));
        const auto all = longestStretch(around, length, kNever);
        if (all && all->first == 0 && all->repeats > sweeps->repeats)
            sweeps = Period{.first = begin, .length = length, .repeats = all->repeats};
    }
    const double all = covered(*sweeps);
    const double extra = static_cast<double>(turn.size()) - all;
    const bool isLong =
        sweeps->repeats >= kLeastLongSteps && sweeps->length >= kLongStep && extra <= 1;
    const bool isStep =
        extra <= kMostExtra && ((sweeps->repeats >= kLeastSteps && sweeps->length > 1) || isLong);
    const bool many = sweeps->repeats >= kLeastSweeps && turn.size() >= 2 * kLeastSweeps &&
                      all >= kNearlyWhole * static_cast<double>(turn.size());
    return isStep || many ? sweeps : std::nullopt;
}

/// The share of two stretches that is the same, in any order.
double alike(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    std::unordered_map<std::uint32_t, std::ptrdiff_t> counts;
    for (const std::uint32_t item : a) ++counts[item];
    std::size_t same = 0;
    for (const std::uint32_t item : b) same += counts[item]-- > 0;
    return static_cast<double>(same) / static_cast<double>(std::max(a.size(), b.size()));
}

/// Share of the `all` different items that occur in a stretch.
double kindsIn(std::span<const std::uint32_t> stretch, std::size_t all) {
    const std::unordered_set<std::uint32_t> kinds(stretch.begin(), stretch.end());
    return static_cast<double>(kinds.size()) / static_cast<double>(all);
}

/// The shortest distance from one place to the next. The last round continues at the turn's
/// beginning.
std::size_t shortestRound(const std::vector<std::size_t>& at, std::size_t turn) {
    std::size_t shortest = turn - at.back() + at.front();
    for (std::size_t i = 1; i < at.size(); ++i) shortest = std::min(shortest, at[i] - at[i - 1]);
    return shortest;
}

/// Splits a turn into rounds that are nearly the same, each of which begins with the same item.
/// Returns the places of that item in the turn; empty if there are no rounds.
///
/// Nearly every kind of item must occur in each round. This excludes the layers of a network,
/// because the network's head comes only once. More rounds are allowed if they are far longer than
/// any layer, or if they leave out hardly a launch (a program that prints something in every tenth
/// iteration). Such extra launches need not occur in each round if there are more rounds than a
/// network has layers, and fewer extra launches than the head of such a network has.
std::vector<std::size_t> roundsOf(std::span<const std::uint32_t> turn) {
    constexpr std::size_t kMostRounds = 8, kLeastLength = 24;
    constexpr std::size_t kMostLongRounds = 64, kLongRound = 1024;
    constexpr std::size_t kMostEqualRounds = 256, kMostExtra = 2;
    constexpr std::size_t kManyRounds = 96, kTurnPerExtra = 768;
    constexpr std::size_t kMostTried = 32;  // each costs as much as the turn is long
    constexpr double kAlike = 0.9;
    const Places places = placesIn(turn);
    std::vector<const std::vector<std::size_t>*> candidates;
    for (const auto& [item, at] : places) candidates.push_back(&at);
    // The most rounds first; among equals, the one that begins first.
    std::ranges::sort(candidates, {}, [](const auto* at) {
        return std::pair(-static_cast<std::ptrdiff_t>(at->size()), at->front());
    });
    std::size_t tried = 0;
    for (const auto* candidate : candidates) {
        const std::vector<std::size_t>& at = *candidate;
        const bool few = at.size() <= kMostRounds && turn.size() >= kLeastLength * at.size();
        const bool isLong = at.size() <= kMostLongRounds && turn.size() >= kLongRound * at.size();
        const std::size_t extra = turn.size() - shortestRound(at, turn.size()) * at.size();
        const bool many = at.size() >= kManyRounds && extra <= turn.size() / kTurnPerExtra;
        const bool equal = at.size() <= kMostEqualRounds &&
                           turn.size() >= kLeastLength / 2 * at.size() &&
                           (extra <= kMostExtra || many);
        if (at.size() < 2 || (!few && !isLong && !equal)) continue;
        if (++tried > kMostTried) break;
        // Turns follow each other, so the last round continues at the turn's beginning.
        std::vector<std::uint32_t> around(turn.begin() + std::ptrdiff_t(at.front()), turn.end());
        around.insert(around.end(), turn.begin(), turn.begin() + std::ptrdiff_t(at.front()));
        const std::span<const std::uint32_t> whole(around);
        std::vector<std::span<const std::uint32_t>> rounds;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const std::size_t from = at[i] - at.front();
            const std::size_t to = i + 1 < at.size() ? at[i + 1] - at.front() : turn.size();
            rounds.push_back(whole.subspan(from, to - from));
        }
        const std::size_t kinds = places.size() - (many ? std::min(extra, places.size() - 1) : 0);
        if (std::ranges::all_of(rounds, [&](const auto& r) {
                return alike(rounds.front(), r) >= kAlike && kindsIn(r, kinds) >= kAlike;
            }))
            return at;
    }
    return {};
}

}  // namespace

std::vector<std::size_t> startsOfTurns(std::span<const std::uint32_t> sequence,
                                       const Period& period) {
    const auto turn = sequence.subspan(period.first + period.length, period.length);
    const auto sweeps = sweepsOf(turn);
    const std::vector<std::size_t> rounds = sweeps ? std::vector<std::size_t>{} : roundsOf(turn);
    std::vector<std::size_t> starts;
    for (std::size_t t = 0; t < period.repeats; ++t) {
        const std::size_t from = period.first + t * period.length;
        if (sweeps)
            for (std::size_t r = 0; r < sweeps->repeats; ++r)
                starts.push_back(from + sweeps->first + r * sweeps->length);
        else if (!rounds.empty())
            for (const std::size_t at : rounds) starts.push_back(from + at);
        else
            starts.push_back(from);
    }
    // Rounds that go on at the next turn's beginning end with the last turn.
    const std::size_t end =
        std::min(sequence.size(), period.first + period.length * period.repeats);
    std::erase_if(starts, [&](std::size_t at) { return at >= end; });
    return starts;
}

}  // namespace roofscope::program
