// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/compare/parts.h"
#include "analyzer/program/account/compilers.h"
#include "analyzer/program/window/activity.h"
#include "analyzer/program/window/window.h"

namespace roofscope::compare {

namespace {

/// Longest sequence that can be aligned: this needs a table of all pairs of launches.
constexpr std::size_t kMostLaunches = 3000;

/// The kernels of one window in launch order; without start times, those of all launches. Empty if
/// that is too long to align.
std::vector<std::size_t> sequenceOf(const Analysis& analysis) {
    const Profile& profile = *analysis.profile;
    constexpr auto kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> kernelOf(profile.launches.size(), kNone);
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
        for (const std::uint32_t row : analysis.kernels[k].group.launches) kernelOf[row] = k;
    std::vector<std::size_t> sequence;
    const auto add = [&](std::size_t row) {
        if (kernelOf[row] != kNone) sequence.push_back(kernelOf[row]);
    };
    const auto lanes = program::laneActivities(profile);
    if (lanes.empty() || lanes.front().activities.empty()) {
        for (std::size_t row = 0; row < profile.launches.size(); ++row) add(row);
    } else {
        const program::FoundWindow found =
            program::findWindow(profile, lanes.front(), program::compiledUntilTheEnd(profile));
        if (found.spans.empty()) return {};
        const TimeSpan span = found.spans[found.spans.size() / 2];
        for (const program::Activity& activity : lanes.front().activities)
            if (activity.kind != program::Activity::Kind::Transfer &&
                activity.time.start >= span.start && activity.time.start < span.end)
                add(activity.row);
    }
    if (sequence.size() > kMostLaunches) sequence.clear();
    return sequence;
}

/// A stretch between two launches that both sequences have.
struct Gap {
    std::vector<std::size_t> before, after;  ///< kernels, one entry per launch
};

/// Aligns the sequences so that as many launches as possible match.
/// `same(i, j)`: whether kernel i of the baseline is kernel j of the candidate.
template <class Same>
std::vector<Gap> gapsOf(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b,
                        Same same) {
    const std::size_t rows = a.size() + 1, columns = b.size() + 1;
    // How many match from (i, j) on.
    std::vector<std::uint16_t> common(rows * columns, 0);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            common[i * columns + j] =
                same(a[i], b[j])
                    ? static_cast<std::uint16_t>(common[(i + 1) * columns + j + 1] + 1)
                    : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
    std::vector<Gap> gaps(1);
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && same(a[i], b[j])) {
            ++i, ++j;
            if (!gaps.back().before.empty() || !gaps.back().after.empty()) gaps.emplace_back();
        } else if (j == b.size() ||
                   (i < a.size() && common[(i + 1) * columns + j] >= common[i * columns + j + 1])) {
            gaps.back().before.push_back(a[i++]);
        } else {
            gaps.back().after.push_back(b[j++]);
        }
    }
    return gaps;
}

/// Drops launches of kernels that both programs have and that only moved in the order: they
/// replaced nothing.
void dropMoved(std::vector<Gap>& gaps, const std::map<std::size_t, std::size_t>& sure) {
    std::map<std::size_t, std::size_t> left;  // by kernel of the candidate
    for (const Gap& gap : gaps)
        for (const std::size_t kernel : gap.after) ++left[kernel];
    std::map<std::size_t, std::size_t> moved;
    for (Gap& gap : gaps)
        std::erase_if(gap.before, [&](std::size_t kernel) {
            const auto pair = sure.find(kernel);
            if (pair == sure.end() || left[pair->second] == 0) return false;
            --left[pair->second];
            ++moved[pair->second];
            return true;
        });
    for (Gap& gap : gaps)
        std::erase_if(gap.after, [&](std::size_t kernel) {
            const auto one = moved.find(kernel);
            if (one == moved.end() || one->second == 0) return false;
            --one->second;
            return true;
        });
}

/// Each kernel once, in the order of its first launch.
std::vector<std::size_t> distinct(const std::vector<std::size_t>& launches) {
    std::vector<std::size_t> kernels;
    for (const std::size_t kernel : launches)
        if (std::ranges::find(kernels, kernel) == kernels.end()) kernels.push_back(kernel);
    return kernels;
}

Seconds timeOf(const Analysis& analysis, const std::vector<std::size_t>& launches) {
    Seconds time;
    for (const std::size_t kernel : launches)
        time += analysis.kernels[kernel].quantities.duration.median;
    return time;
}

bool timed(const Analysis& analysis, const std::vector<std::size_t>& kernels) {
    return std::ranges::all_of(kernels, [&](std::size_t kernel) {
        return analysis.kernels[kernel].quantities.duration.count > 0;
    });
}

/// What the findings of the replaced kernels promised, summed over all of their launches.
std::vector<PromisedSaving> promisesOf(const Analysis& baseline, const Analysis& candidate,
                                       const KernelExchange& exchange,
                                       const std::vector<std::size_t>& launches) {
    std::map<std::string, PromisedSaving> promises;
    for (const std::size_t kernel : launches)
        for (const Finding& finding : baseline.kernels[kernel].findings) {
            if (finding.minor || !finding.gain.has()) continue;
            PromisedSaving& promise = promises[finding.ruleId];
            promise.rule = finding.ruleId;
            promise.bound += *finding.gain;
            promise.estimate |= finding.estimate;
        }
    const Seconds saved = exchange.before - exchange.after;
    std::vector<PromisedSaving> result;
    for (auto& [id, promise] : promises) {
        const std::string& rule = id;  // clang 14 lets no lambda use `id`
        // If the finding is still there, the edit was not about it.
        const bool still = std::ranges::any_of(exchange.candidate, [&](std::size_t kernel) {
            return std::ranges::any_of(
                candidate.kernels[kernel].findings,
                [&](const Finding& finding) { return !finding.minor && finding.ruleId == rule; });
        });
        if (still) continue;
        promise.saved = saved;
        promise.outcome = outcomeOf(promise.bound, saved, exchange.before);
        result.push_back(std::move(promise));
    }
    std::ranges::stable_sort(result, std::greater{}, &PromisedSaving::bound);
    return result;
}

/// A rule's promise is an average over all launches of its kernels. One exchange may contain the
/// edited launches, and another the rest. So the promise is judged once, by what all exchanges save
/// together, and is listed with the one that saves most.
void judgeSharedPromises(std::vector<KernelExchange>& exchanges) {
    std::map<std::string, std::vector<KernelExchange*>> places;
    for (KernelExchange& exchange : exchanges)
        for (const PromisedSaving& promise : exchange.promises)
            places[promise.rule].push_back(&exchange);
    for (auto& [id, of] : places) {
        if (of.size() < 2) continue;
        const std::string& rule = id;  // clang 14 lets no lambda use `id`
        PromisedSaving all;
        Seconds before;
        for (const KernelExchange* exchange : of) {
            const PromisedSaving& part =
                *std::ranges::find(exchange->promises, rule, &PromisedSaving::rule);
            all.rule = rule;
            all.bound += part.bound;
            all.saved += part.saved;
            all.estimate |= part.estimate;
            before += exchange->before;
        }
        all.outcome = outcomeOf(all.bound, all.saved, before);
        for (KernelExchange* exchange : of)
            std::erase_if(exchange->promises,
                          [&](const PromisedSaving& promise) { return promise.rule == rule; });
        auto& promises = (*std::ranges::max_element(of, {}, [](const KernelExchange* exchange) {
                             return exchange->before - exchange->after;
                         }))->promises;
        promises.push_back(std::move(all));
        std::ranges::stable_sort(promises, std::greater{}, &PromisedSaving::bound);
    }
}

/// Pairs that are certainly the same kernel.
std::map<std::size_t, std::size_t> surePairs(const Matching& matching) {
    std::map<std::size_t, std::size_t> sure;
    for (const KernelMatch& match : matching.matches)
        if (match.tier != MatchTier::Similar) sure[match.baseline] = match.candidate;
    return sure;
}

/// An exchange of one kernel for one becomes an ordinary pair. In larger exchanges the position
/// says more than similar names, so pairs of similar names are dissolved.
void settle(const std::vector<KernelExchange>& exchanges, Matching& matching) {
    std::set<std::size_t> before, after;
    for (const KernelExchange& exchange : exchanges) {
        if (exchange.baseline.size() == 1 && exchange.candidate.size() == 1 &&
            exchange.launchesBefore == exchange.launchesAfter) {
            const std::size_t from = exchange.baseline.front(), to = exchange.candidate.front();
            const auto gone = std::ranges::find(matching.gone, from),
                       added = std::ranges::find(matching.added, to);
            if (gone == matching.gone.end() || added == matching.added.end()) continue;
            matching.gone.erase(gone);
            matching.added.erase(added);
            matching.matches.push_back(
                {.baseline = from,
                 .candidate = to,
                 .tier = MatchTier::Similar,
                 .how = Words("it runs in place of the other, between the same launches")});
            continue;
        }
        before.insert(exchange.baseline.begin(), exchange.baseline.end());
        after.insert(exchange.candidate.begin(), exchange.candidate.end());
    }
    for (const KernelMatch& match : matching.matches) {
        if (match.tier != MatchTier::Similar) continue;
        // A partner that is in no exchange becomes unmatched, and is listed as such.
        if (before.contains(match.baseline) && !after.contains(match.candidate))
            matching.added.push_back(match.candidate);
        if (after.contains(match.candidate) && !before.contains(match.baseline))
            matching.gone.push_back(match.baseline);
    }
    std::erase_if(matching.matches, [&](const KernelMatch& match) {
        return match.tier == MatchTier::Similar &&
               (before.contains(match.baseline) || after.contains(match.candidate));
    });
    std::erase_if(matching.gone, [&](std::size_t kernel) { return before.contains(kernel); });
    std::erase_if(matching.added, [&](std::size_t kernel) { return after.contains(kernel); });
    std::ranges::sort(matching.gone);
    std::ranges::sort(matching.added);
}

}  // namespace

PromisedSaving::Outcome outcomeOf(Seconds bound, Seconds saved, Seconds before) {
    if (saved <= before * kLeastDurationChange) return PromisedSaving::Outcome::Broken;
    return saved > bound * (1 + kLeastDurationChange) ? PromisedSaving::Outcome::Exceeded
                                                      : PromisedSaving::Outcome::Kept;
}

std::vector<KernelExchange> findExchanges(const Analysis& baseline, const Analysis& candidate,
                                          Matching& matching) {
    const auto sure = surePairs(matching);
    if (sure.empty()) return {};  // no common kernels, so no positions to compare
    // Every kernel is in at most one pair. If all kernels of a side are in sure pairs, none can
    // have been added or removed.
    if (sure.size() == baseline.kernels.size() || sure.size() == candidate.kernels.size())
        return {};
    std::set<std::size_t> sureAfter;
    for (const auto& [from, to] : sure) sureAfter.insert(to);
    const std::vector<std::size_t> a = sequenceOf(baseline), b = sequenceOf(candidate);
    const auto same = [&](std::size_t i, std::size_t j) {
        const auto pair = sure.find(i);
        return pair != sure.end() && pair->second == j;
    };
    std::map<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>, std::size_t> index;
    std::vector<KernelExchange> exchanges;
    std::vector<std::vector<std::size_t>> launches;  // by exchange: launches of the baseline
    std::vector<Gap> gaps = gapsOf(a, b, same);
    dropMoved(gaps, sure);
    for (const Gap& gap : gaps) {
        if (gap.before.empty() || gap.after.empty()) continue;
        // Kernels that both have, in another order or outside of this window, are no exchange.
        const bool isNew =
            std::ranges::any_of(gap.before, [&](std::size_t k) { return !sure.contains(k); }) &&
            std::ranges::any_of(gap.after, [&](std::size_t k) { return !sureAfter.contains(k); });
        if (!isNew || !timed(baseline, gap.before) || !timed(candidate, gap.after)) continue;
        const auto [entry, first] =
            index.try_emplace({distinct(gap.before), distinct(gap.after)}, exchanges.size());
        if (first) {
            exchanges.push_back({.baseline = entry->first.first, .candidate = entry->first.second});
            launches.emplace_back();
        }
        KernelExchange& exchange = exchanges[entry->second];
        ++exchange.times;
        exchange.launchesBefore += gap.before.size();
        exchange.launchesAfter += gap.after.size();
        exchange.before += timeOf(baseline, gap.before);
        exchange.after += timeOf(candidate, gap.after);
        auto& all = launches[entry->second];
        all.insert(all.end(), gap.before.begin(), gap.before.end());
    }
    settle(exchanges, matching);
    std::vector<KernelExchange> result;
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
        KernelExchange& exchange = exchanges[i];
        if (exchange.baseline.size() == 1 && exchange.candidate.size() == 1 &&
            exchange.launchesBefore == exchange.launchesAfter)
            continue;  // an ordinary pair
        exchange.promises = promisesOf(baseline, candidate, exchange, launches[i]);
        result.push_back(std::move(exchange));
    }
    judgeSharedPromises(result);
    std::ranges::stable_sort(result, std::greater{}, &KernelExchange::before);
    return result;
}

}  // namespace roofscope::compare
