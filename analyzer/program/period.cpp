// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/period.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

namespace roofscope::program {
namespace {

/// Each is one pass over the sequence.
constexpr std::size_t kMostLengths = 24;
/// A shorter period is preferred when its repeats cover at least this much of what the best does.
constexpr double kNearlyAll = 0.95;
/// What repeats in less than half of the rest of a program, or in less than a quarter of the whole,
/// is not what the program does.
constexpr double kLeastOfRest = 0.5, kLeastOfAll = 0.25;
/// So many items that are equal a period later make up for one that is not.
constexpr std::ptrdiff_t kMatchesPerMismatch = 12;
/// A period with differences is preferred when its repeats cover this much of what the other does.
constexpr double kFarMore = 1.5;
/// More than any stretch has: none may differ.
constexpr auto kNever = std::numeric_limits<std::ptrdiff_t>::max() / 4;

/// Lengths that may be periods: the distances at which seldom items come back, most frequent
/// first. In a loop every kernel does, and the one that is launched once per turn says how long.
std::vector<std::size_t> likelyLengths(std::span<const std::uint32_t> sequence) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < sequence.size(); ++i) places[sequence[i]].push_back(i);
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
        // An item that is there several times per turn comes back after all of them.
        for (const std::size_t turns : {2U, 3U, 4U})
            if (at->size() > 2 * turns) add((*at)[at->size() - 1] - (*at)[at->size() - 1 - turns]);
    }
    return lengths;
}

/// The stretch in which most items equal the one a period later, and few do not: each that does not
/// costs as much as `perMismatch` that do.
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

/// Of those that cover nearly as much as the best, the shortest; absent where it covers too little.
std::optional<Period> chosen(const std::vector<Period>& found, std::size_t all) {
    if (found.empty()) return std::nullopt;
    Period best = *std::ranges::max_element(found, {}, covered);
    const double most = covered(best);
    for (const Period& period : found)
        if (covered(period) >= kNearlyAll * most && period.length < best.length) best = period;
    if (covered(best) < kLeastOfRest * static_cast<double>(all - best.first) ||
        covered(best) < kLeastOfAll * static_cast<double>(all))
        return std::nullopt;
    return best;
}

}  // namespace

std::optional<Period> findPeriod(std::span<const std::uint32_t> sequence) {
    const std::vector<std::size_t> lengths = likelyLengths(sequence);
    std::vector<Period> exact, nearly;
    for (const std::size_t length : lengths)
        if (const auto period = longestStretch(sequence, length, kNever)) exact.push_back(*period);
    for (const std::size_t length : lengths) {
        // In a shorter one a kernel that differs is another step, not another choice.
        if (length < 2 * kMatchesPerMismatch) continue;
        if (const auto period = longestStretch(sequence, length, kMatchesPerMismatch))
            nearly.push_back(*period);
    }
    const auto alike = chosen(exact, sequence.size());
    const auto other = chosen(nearly, sequence.size());
    return !alike || (other && covered(*other) >= kFarMore * covered(*alike)) ? other : alike;
}

}  // namespace roofscope::program
