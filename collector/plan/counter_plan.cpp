// SPDX-License-Identifier: Apache-2.0
#include "collector/plan/counter_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collector/plan/host_object.h"

namespace roofscope {
namespace {

/// Wanted counters in order of first mention, without duplicates.
Result<std::vector<std::string>> wantedCounters(const PlanRequest& request, CounterPlan& plan) {
    std::vector<std::string> wanted;
    std::set<std::string_view> seen;
    const auto want = [&](const std::string& counter) {
        if (seen.insert(counter).second) wanted.push_back(counter);
    };
    for (const auto& name : request.groups) {
        const auto group = plan.table.groups.find(name);
        if (group != plan.table.groups.end()) {
            for (const auto& counter : group->second.counters) want(counter);
            continue;
        }
        const auto known = knownGroups();
        if (!std::ranges::binary_search(known, name)) {
            return Error{.code = ErrorCode::Usage,
                         .what = fmt::format("there is no counter group \"{}\"", name),
                         .advice = fmt::format("groups: {}", fmt::join(known, ", "))};
        }
        plan.unavailableGroups.push_back(name);
    }
    for (const auto& counter : request.counters) want(counter);
    return wanted;
}

/// Builds the configuration for exactly these counters, with a host object of its own.
Result<std::vector<std::uint8_t>> configure(const CuptiApi& api, const PlanRequest& request,
                                            const std::vector<std::string>& counters) {
    auto host = HostObject::create(api, request.chip, request.counterAvailability);
    if (!host.ok()) return host.error();
    if (const auto added = host->addMetrics(counters); !added.ok()) return added.error();
    return host->configImage();
}

std::string reasonFor(const CounterPlan& plan, const std::string& counter) {
    const auto absent = plan.table.absent.find(std::string(baseCounter(counter)));
    if (absent != plan.table.absent.end()) return absent->second;
    if (counter.find('.') == std::string::npos) {
        return "the name has no roll-up such as .sum or .avg";
    }
    return fmt::format("unknown to this CUPTI on {}", plan.chip);
}

}  // namespace

std::vector<std::string> knownGroups() {
    std::set<std::string> names;
    for (const auto& chip : knownChips()) {
        const auto table = chipTable(chip);
        if (!table.ok()) continue;
        for (const auto& [name, group] : table->groups) names.insert(name);
    }
    return {names.begin(), names.end()};
}

Result<CounterPlan> planCounters(const CuptiApi& api, const PlanRequest& request) {
    auto table = chipTable(request.chip, request.computeMajor, request.computeMinor);
    if (!table.ok()) return table.error();
    CounterPlan plan{.chip = request.chip, .table = std::move(*table)};
    auto wanted = wantedCounters(request, plan);
    if (!wanted.ok()) return wanted.error();

    {
        // Check each name first, because CUPTI refuses a whole configuration if one name is
        // unknown.
        const auto host = HostObject::create(api, request.chip, request.counterAvailability);
        if (!host.ok()) return host.error();
        for (auto& counter : *wanted) {
            if (host->hasMetric(counter)) {
                plan.counters.push_back(std::move(counter));
            } else {
                plan.dropped.push_back({counter, reasonFor(plan, counter)});
            }
        }
        for (const auto& [name, peak] : plan.table.peaks) {
            if (peak.counter.empty()) continue;  // the peak comes from the data sheet
            if (host->hasMetric(peak.counter)) {
                plan.peaks.push_back(peak.counter);
            } else {
                plan.dropped.push_back({peak.counter, reasonFor(plan, peak.counter)});
            }
        }
    }

    auto image = plan.counters.empty() ? Result<std::vector<std::uint8_t>>(Error{})
                                       : configure(api, request, plan.counters);
    if (!image.ok() && !plan.counters.empty()) {
        // The chip has all of these counters, but this device or machine refuses some (virtualised
        // GPU, counters reserved by another program). Try each alone and continue with those that
        // are accepted.
        std::vector<std::string> accepted;
        for (auto& counter : plan.counters) {
            if (const auto alone = configure(api, request, {counter}); alone.ok()) {
                accepted.push_back(std::move(counter));
            } else {
                plan.dropped.push_back(
                    {std::move(counter), "refused on this device: " + alone.error().what});
            }
        }
        plan.counters = std::move(accepted);
        if (!plan.counters.empty()) {
            image = configure(api, request, plan.counters);
            if (!image.ok()) return image.error();
        }
    }
    if (plan.counters.empty()) {
        return Error{
            .code = ErrorCode::Unavailable,
            .what = fmt::format(
                "none of the requested counters can be collected on {}{}", request.chip,
                plan.dropped.empty() ? std::string()
                                     : fmt::format(" ({}: {})", plan.dropped.front().counter,
                                                   plan.dropped.front().reason)),
            .advice = "ask for another counter group"};
    }
    auto passes = passesOf(api, *image);
    if (!passes.ok()) return passes.error();
    plan.passes = *passes;
    plan.configImage = std::move(*image);
    return plan;
}

}  // namespace roofscope
