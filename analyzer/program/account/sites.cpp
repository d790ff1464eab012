// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "analyzer/program/account/host_samples.h"
#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

/// Distributes `bound` over places by their counts. Returns whether there was any place.
bool addPlaces(std::map<std::string, double>& sites, const std::vector<const CallSite*>& places,
               double bound) {
    double all = 0;
    for (const CallSite* place : places) all += static_cast<double>(place->count);
    for (const CallSite* place : places)
        sites[siteText(*place)] += bound * static_cast<double>(place->count) / all;
    return !places.empty();
}

}  // namespace

CodeLine lineOf(const CallSite& site) {
    if (!site.forward.file.empty()) return site.forward;
    return {
        .file = site.file, .line = site.file.empty() ? 0 : site.line, .function = site.function};
}

std::string placeText(const CallSite& site) {
    const auto [file, line, function] = lineOf(site);
    const std::string in = function.empty() ? "" : " (" + function + ")";
    if (!file.empty() && line > 0) return fmt::format("{}:{}{}", baseName(file), line, in);
    if (!file.empty()) return std::string(baseName(file)) + in;
    if (!function.empty()) return function;
    return site.module.empty() ? "" : fmt::format("{}+{:#x}", baseName(site.module), site.offset);
}

std::string operatorText(const CallSite& site) {
    std::string text = site.backward;
    if (!site.op.empty() && site.op != site.backward) text += (text.empty() ? "" : ": ") + site.op;
    return site.sizes.empty() || text.empty() ? text : text + " " + site.sizes;
}

std::string siteText(const CallSite& site) {
    const std::string place = placeText(site), op = operatorText(site);
    return place.empty() || op.empty() ? place + op : place + " " + op;
}

std::vector<const CallSite*> launchSitesOf(const Profile& profile, const KernelAnalysis& kernel) {
    std::vector<const CallSite*> places;
    if (profile.callSites.empty()) return places;
    std::set<std::uint32_t> kernels;
    for (const std::uint32_t row : kernel.group.launches)
        kernels.insert(profile.launches[row].kernel);
    for (const CallSite& site : profile.callSites)
        if (site.kernel && kernels.contains(*site.kernel)) places.push_back(&site);
    // Other places may launch the same function in other shapes.
    const LaunchShape shape{.grid = kernel.group.grid, .block = kernel.group.block};
    const auto isOf = [&](const CallSite* site) { return site->shape == shape; };
    const auto mayBe = [](const CallSite* site) { return !site->shape; };
    if (std::ranges::any_of(places, isOf))
        std::erase_if(places, std::not_fn(isOf));
    else if (std::ranges::any_of(places, mayBe))
        std::erase_if(places, std::not_fn(mayBe));
    std::ranges::stable_sort(places, std::greater{}, &CallSite::count);
    return places;
}

void addLaunchSites(std::map<std::string, double>& sites, const Profile& profile,
                    const KernelAnalysis& kernel, double bound) {
    if (!addPlaces(sites, launchSitesOf(profile, kernel), bound) && !kernel.range.empty())
        sites[kernel.range] += bound;
}

void addSitesAfter(std::map<std::string, double>& sites, const Profile& profile,
                   const HostWork& work, const std::function<bool(const CallSite&)>& mayCopy) {
    std::vector<const CallSite*> places;
    for (const CallSite& site : profile.callSites)
        if (work.kernel ? site.kernel == work.kernel
                        : !site.kernel && site.call == work.call && mayCopy(site))
            places.push_back(&site);
    if (!addPlaces(sites, places, work.idle.value) && !work.range.empty())
        sites[work.range] += work.idle.value;
}

std::vector<ActionSite> sitesOfCalls(const Profile& profile, CallKind kind, Seconds bound,
                                     const std::function<bool(const CallSite&)>& isInWindow) {
    const Timeline& timeline = profile.timeline;
    std::map<std::string, double> took;  // by function
    double all = 0;
    for (const Call& call : timeline.calls) {
        const CallName& name = timeline.callNames[call.name];
        if (name.kind != kind) continue;
        const auto length = static_cast<double>(call.time.length());
        took[name.name] += length;
        all += length;
    }
    std::map<std::string, double> sites;
    for (const auto& [name, time] : took) {
        std::vector<const CallSite*> places;
        for (const CallSite& site : profile.callSites)
            if (!site.kernel && site.call == name && isInWindow(site)) places.push_back(&site);
        if (all > 0) addPlaces(sites, places, bound.value * time / all);
    }
    return mostFirst(sites);
}

std::vector<ActionSite> sampledSites(const Profile& profile, const SampleTally& tally,
                                     std::string_view module, Seconds bound) {
    std::map<std::string, double> sites;
    double all = 0;
    for (const auto& [at, count] : tally) {
        const CpuSamples& of = *profile.processes[at.process].cpuSamples;
        const auto& stack = of.stacks[at.stack];
        if (std::ranges::none_of(stack, [&](std::uint32_t frame) {
                return baseName(of.frames[frame].module).starts_with(module);
            }))
            continue;
        all += count;
        const auto [function, file, place, callee] = functionOf(of, at.stack);
        if (!function.empty())
            sites[place.empty() ? function : place + " (" + function + ")"] += count;
    }
    if (all < kLeastSamples) return {};
    for (auto& [text, part] : sites) part *= bound.value / all;
    return mostFirst(sites);
}

std::vector<ActionSite> mostFirst(const std::map<std::string, double>& sites) {
    std::vector<ActionSite> list;
    for (const auto& [text, bound] : sites) list.push_back({.text = text, .bound = {bound}});
    std::ranges::stable_sort(list, std::greater{}, &ActionSite::bound);
    if (list.size() > kMostSites) list.resize(kMostSites);
    return list;
}

}  // namespace roofscope::program
