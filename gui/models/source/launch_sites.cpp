// SPDX-License-Identifier: Apache-2.0
#include "gui/models/source/launch_sites.h"

#include <algorithm>
#include <map>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/sites.h"
#include "gui/models/text/shown_text.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr qsizetype kMostCalls = 20;

}  // namespace

std::vector<LaunchSite> launchSites(const Profile& profile) {
    std::vector<const CallSite*> known;
    for (const CallSite& site : profile.callSites)
        if (!program::placeText(site).empty()) known.push_back(&site);
    std::ranges::stable_sort(known, std::ranges::greater{}, &CallSite::count);
    // By file and line; without a line, by the place's text.
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> places;
    std::vector<LaunchSite> sites;
    for (const CallSite* site : known) {
        const CodeLine at = program::lineOf(*site);
        const bool hasLine = at.line > 0;
        const auto [place, isNew] = places.try_emplace(
            {hasLine ? at.file : program::placeText(*site), at.line}, sites.size());
        if (isNew)
            sites.push_back({.file = hasLine ? QString::fromStdString(at.file) : QString(),
                             .line = hasLine ? int(at.line) : 0,
                             .place = shownText(program::placeText(*site), kLongestName)});
        LaunchSite& line = sites[place->second];
        line.count += site->count;
        const std::string call =
            site->kernel && *site->kernel < profile.kernels.size()
                ? shortKernelName(profile.kernels[*site->kernel].name, kLongestName)
                : site->call;
        const std::string op = program::operatorText(*site);
        if (const QString name = shownText(op.empty() ? call : op + " · " + call, kLongestName);
            line.calls.size() < kMostCalls && !line.calls.contains(name))
            line.calls << name;
    }
    std::ranges::stable_sort(sites, std::ranges::greater{}, &LaunchSite::count);
    return sites;
}

}  // namespace roofscope::gui
