// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/uneven_ranks.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/numbers/median.h"

namespace roofscope::program {
namespace {

/// Kernels explain a wait if they differ by at least this share of it.
constexpr double kExplains = 0.5;
/// One late occurrence does not make a rank slow: the median one must have half of the wait.
constexpr double kUsual = 0.5;

/// Time per occurrence by kernel name, of one kind of activity.
std::map<std::string, double> timeByName(const Analysis& analysis, const JudgedLane& judged,
                                         const std::vector<std::uint32_t>& kernelOf,
                                         Activity::Kind kind) {
    std::map<std::string, double> times;
    const auto occurrences = static_cast<double>(judged.window.spans.size());
    forEachLaunch(judged.activity, judged.window, [&](const Activity& activity, std::size_t) {
        if (activity.kind != kind) return;
        times[analysis.kernels[kernelOf[activity.row]].fullName] +=
            static_cast<double>(activity.time.length()) / 1e9 / occurrences;
    });
    return times;
}

/// Time of communication kernels in one occurrence, median.
double usualCommunication(const JudgedLane& judged) {
    std::vector<double> times(judged.window.spans.size());
    forEachLaunch(judged.activity, judged.window, [&](const Activity& activity, std::size_t span) {
        if (activity.kind == Activity::Kind::Communication)
            times[span] += static_cast<double>(activity.time.length()) / 1e9;
    });
    return medianOf(std::move(times));
}

}  // namespace

std::optional<UnevenRanks> unevenRanks(const Analysis& analysis,
                                       const std::vector<JudgedLane>& lanes) {
    std::set<std::uint32_t> ranks;
    for (const JudgedLane& judged : lanes)
        if (judged.lane.rank && !judged.window.spans.empty()) ranks.insert(*judged.lane.rank);
    if (lanes.size() < 2 || ranks.size() != lanes.size()) return std::nullopt;
    const auto communication = [](const JudgedLane& judged) {
        return judged.lane.account.time[TimeClass::Communication].value;
    };
    const auto [slow, waiting] = std::ranges::minmax_element(lanes, {}, communication);
    UnevenRanks found{.waiting = *waiting->lane.rank, .slow = *slow->lane.rank};
    found.waits = Seconds{communication(*waiting) - communication(*slow)};
    if (!(found.waits.value > 0) ||
        usualCommunication(*waiting) - usualCommunication(*slow) < kUsual * found.waits.value)
        return std::nullopt;

    const std::vector<std::uint32_t> kernelOf = kernelOfLaunches(analysis);
    const auto waitedIn = timeByName(analysis, *waiting, kernelOf, Activity::Kind::Communication);
    if (waitedIn.empty()) return std::nullopt;
    found.in =
        std::ranges::max_element(waitedIn, {}, [](const auto& e) { return e.second; })->first;
    found.slowKernels = slow->lane.account.time[TimeClass::Kernels];
    found.waitingKernels = waiting->lane.account.time[TimeClass::Kernels];
    if ((found.slowKernels - found.waitingKernels).value < kExplains * found.waits.value)
        return found;
    const auto slowTimes = timeByName(analysis, *slow, kernelOf, Activity::Kind::Kernel);
    auto waitingTimes = timeByName(analysis, *waiting, kernelOf, Activity::Kind::Kernel);
    double most = 0;
    for (const auto& [name, time] : slowTimes) {
        const double other = waitingTimes[name];
        if (time - other <= most) continue;
        most = time - other;
        found.kernel = name;
        found.slowInKernel = Seconds{time};
        found.waitingInKernel = Seconds{other};
    }
    return found;
}

}  // namespace roofscope::program
