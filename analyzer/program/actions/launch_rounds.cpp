// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/launch_rounds.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/numbers/median.h"
#include "analyzer/program/operators/kernel_role.h"

namespace roofscope::program {
namespace {

constexpr std::size_t kLongest = 64;
/// This many launches are enough to see a round. Each length that is tried costs one pass over
/// them.
constexpr std::size_t kMostLaunches = 200'000;
/// The rounds must hold at least this share of the window's launches.
constexpr double kLeastRepeated = 0.6;
/// A shorter length wins if it explains this share of what the best one explains, because multiples
/// of a round explain as much as the round.
constexpr double kNearlyAsMany = 0.97;
/// With more products than this among the launches in rounds, a round is probably a layer.
constexpr double kFewProducts = 0.01;

/// The launches of the window, as far as they are looked at.
struct Sequence {
    std::vector<std::uint32_t> kernels;
    std::vector<std::size_t> spans;

    [[nodiscard]] bool repeats(std::size_t i, std::size_t length) const {
        return kernels[i] == kernels[i - length] && spans[i] == spans[i - length];
    }
};

/// How many launches repeat the one a round before, counting only runs of at least kLeastRun
/// rounds.
std::size_t repeated(const Sequence& sequence, std::size_t length) {
    constexpr std::size_t kLeastRun = 4;
    std::size_t same = 0, run = 0;
    for (std::size_t i = length; i <= sequence.kernels.size(); ++i) {
        if (i < sequence.kernels.size() && sequence.repeats(i, length)) {
            ++run;
            continue;
        }
        if (run >= (kLeastRun - 1) * length) same += run;
        run = 0;
    }
    return same;
}

bool roundsMultiply(const Analysis& analysis, const Sequence& sequence, std::size_t length) {
    std::set<std::uint32_t> products;
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (!kernel.group.launches.empty() && multiplies(kernel) == Multiplies::Yes)
            products.insert(analysis.profile->launches[kernel.group.launches.front()].kernel);
    std::size_t inRounds = 0, found = 0;
    for (std::size_t i = length; i < sequence.kernels.size(); ++i) {
        if (!sequence.repeats(i, length)) continue;
        ++inRounds;
        found += products.contains(sequence.kernels[i]);
    }
    return static_cast<double>(found) > kFewProducts * static_cast<double>(inRounds);
}

}  // namespace

std::optional<LaunchRounds> launchRounds(const Analysis& analysis, const LaneActivity& lane,
                                         const FoundWindow& window) {
    Sequence sequence;
    std::size_t all = 0;
    forEachLaunch(lane, window, [&](const Activity& activity, std::size_t span) {
        if (++all > kMostLaunches) return;
        sequence.kernels.push_back(analysis.profile->launches[activity.row].kernel);
        sequence.spans.push_back(span);
    });
    const auto looked = static_cast<double>(sequence.kernels.size());
    if (sequence.kernels.empty() || window.spans.empty()) return std::nullopt;
    std::vector<std::size_t> same(kLongest + 1, 0);
    for (std::size_t length = 1; length <= kLongest; ++length)
        same[length] = repeated(sequence, length);
    const auto most = static_cast<double>(*std::ranges::max_element(same));
    if (most < kLeastRepeated * looked) return std::nullopt;
    std::size_t length = 1;
    while (static_cast<double>(same[length]) < kNearlyAsMany * most) ++length;
    if (roundsMultiply(analysis, sequence, length)) return std::nullopt;
    const double share = static_cast<double>(same[length]) / looked;
    const double launches =
        share * static_cast<double>(all) / static_cast<double>(window.spans.size());
    return LaunchRounds{
        .length = length, .rounds = launches / static_cast<double>(length), .launches = launches};
}

std::optional<LaunchRounds> innerRounds(const LaneActivity& lane, const FoundWindow& window) {
    constexpr std::size_t kLeastRuns = 3;
    constexpr double kOtherWork = 2;  // as many launches as a round, beside its own
    if (window.spans.empty()) return std::nullopt;
    std::vector<double> launches(window.spans.size());
    forEachLaunch(lane, window, [&](const Activity&, std::size_t span) { launches[span] += 1; });
    const double usual = medianOf(launches);
    const auto longer = std::ranges::count_if(
        launches, [&](double count) { return count > (1 + kOtherWork) * usual; });
    const auto runs = static_cast<std::size_t>(longer) + 1;
    const double rounds = static_cast<double>(launches.size()) / static_cast<double>(runs);
    if (runs < kLeastRuns || rounds < kManyRounds) return std::nullopt;
    return LaunchRounds{
        .length = static_cast<std::size_t>(usual), .rounds = rounds, .launches = usual};
}

}  // namespace roofscope::program
