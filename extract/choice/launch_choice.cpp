// SPDX-License-Identifier: Apache-2.0
#include "extract/choice/launch_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collector/configuration/run_configuration.h"
#include "profile/text/count_text.h"

namespace roofscope {
namespace {

double timeOf(const Launch& launch) { return launch.duration ? launch.duration->value : 0; }

struct Candidates {
    std::uint32_t process = 0;
    double total = 0;
    std::vector<ChosenLaunch> launches;  ///< in order, all of one process
};

/// The launches that can be extracted, by kernel. `fromGraphs` counts those that cannot.
std::map<std::uint32_t, Candidates> candidatesOf(const Profile& profile,
                                                 const std::function<bool(const Kernel&)>& wanted,
                                                 std::size_t& fromGraphs) {
    std::map<std::uint32_t, Candidates> kernels;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> seen;
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        const std::uint64_t signature = launchSignature(profile, launch);
        // The injected library counts graph nodes, too, so count before they are skipped.
        const std::uint64_t ordinal = seen[{launch.process, signature}]++;
        if (wanted && !wanted(profile.kernels[launch.kernel])) continue;
        if (launch.fromGraph) {
            ++fromGraphs;
            continue;
        }
        const auto [it, isNew] = kernels.try_emplace(launch.kernel);
        Candidates& kernel = it->second;
        if (isNew) kernel.process = launch.process;
        kernel.total += timeOf(launch);
        if (launch.process == kernel.process)
            kernel.launches.push_back({.launch = row, .signature = signature, .ordinal = ordinal});
    }
    return kernels;
}

Result<ChosenLaunch> chooseAmong(const Profile& profile, const std::vector<ChosenLaunch>& launches,
                                 const LaunchChoice& choice) {
    ChosenLaunch chosen = launches.front();
    if (choice.which == LaunchChoice::Which::Number) {
        if (choice.number == 0 || choice.number > launches.size())
            return Error{.code = ErrorCode::Usage,
                         .what = fmt::format("the kernel has only {}",
                                             countText(launches.size(), "launch", "launches")),
                         .where = fmt::format("--launch {}", choice.number)};
        chosen = launches[choice.number - 1];
    } else if (choice.which != LaunchChoice::Which::First) {
        auto sorted = launches;
        std::ranges::stable_sort(
            sorted, {}, [&](const ChosenLaunch& c) { return timeOf(profile.launches[c.launch]); });
        chosen = choice.which == LaunchChoice::Which::Slowest ? sorted.back()
                                                              : sorted[sorted.size() / 2];
    }
    chosen.among = launches.size();
    return chosen;
}

}  // namespace

Result<LaunchChoice> LaunchChoice::parse(const std::string& text) {
    if (text == "first") return LaunchChoice{.which = Which::First};
    if (text == "median") return LaunchChoice{.which = Which::Median};
    if (text == "slowest") return LaunchChoice{.which = Which::Slowest};
    constexpr std::size_t kMostDigits = 12;
    if (!text.empty() && text.size() <= kMostDigits && text.front() != '0' &&
        text.find_first_not_of("0123456789") == std::string::npos)
        return LaunchChoice{.which = Which::Number, .number = std::stoull(text)};
    return Error{.code = ErrorCode::Usage,
                 .what = "must be first, median, slowest, or the number of a launch (from 1)",
                 .where = "--launch " + text};
}

Result<ChosenLaunch> chooseLaunch(const Profile& profile, const LaunchChoice& choice) {
    const auto chosen = chooseLaunches(profile, choice, 1);
    if (!chosen) return chosen.error();
    return chosen->front();
}

Result<std::vector<ChosenLaunch>> chooseLaunches(const Profile& profile, const LaunchChoice& choice,
                                                 std::size_t most,
                                                 const std::function<bool(const Kernel&)>& wanted) {
    std::size_t fromGraphs = 0;
    auto kernels = candidatesOf(profile, wanted, fromGraphs);
    if (kernels.empty() && fromGraphs > 0)
        return Error{.code = ErrorCode::Unavailable,
                     .what =
                         "the kernel is launched only from CUDA graphs, whose arguments are "
                         "not known",
                     .advice = "run the program without graphs"};
    if (kernels.empty())
        return Error{.code = ErrorCode::NoInput,
                     .what = "no matching kernel was launched",
                     .where = "--kernel",
                     .advice = "\"roofscope record\" and \"roofscope report\" list the kernels"};
    std::vector<Candidates*> byTime;
    for (auto& [kernel, candidates] : kernels) byTime.push_back(&candidates);
    std::ranges::stable_sort(byTime, std::greater{}, &Candidates::total);
    std::vector<ChosenLaunch> chosen;
    for (std::size_t i = 0; i < std::min(most, byTime.size()); ++i) {
        auto one = chooseAmong(profile, byTime[i]->launches, choice);
        if (!one) return one.error();
        one->kernels = kernels.size();
        chosen.push_back(*one);
    }
    return chosen;
}

}  // namespace roofscope
