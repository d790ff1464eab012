// SPDX-License-Identifier: Apache-2.0
#include "gui/models/launch_sites.h"

#include <algorithm>
#include <map>

#include "analyzer/program/sites.h"
#include "gui/models/shown_text.h"

namespace roofscope::gui {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr qsizetype kMostCalls = 20;

}  // namespace

std::vector<LaunchSite> launchSites(const Profile& profile) {
    std::vector<const CallSite*> known;
    for (const CallSite& site : profile.callSites)
        if (!site.file.empty() && site.line > 0) known.push_back(&site);
    std::ranges::stable_sort(known, std::ranges::greater{}, &CallSite::count);
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> byLine;
    std::vector<LaunchSite> sites;
    for (const CallSite* site : known) {
        const auto [at, isNew] = byLine.try_emplace({site->file, site->line}, sites.size());
        if (isNew)
            sites.push_back({.file = QString::fromStdString(site->file),
                             .line = int(site->line),
                             .place = shownText(program::placeText(*site), kLongestName)});
        LaunchSite& line = sites[at->second];
        line.count += site->count;
        const std::string& call = site->kernel && *site->kernel < profile.kernels.size()
                                      ? profile.kernels[*site->kernel].name
                                      : site->call;
        if (const QString name = shownText(call, kLongestName);
            line.calls.size() < kMostCalls && !line.calls.contains(name))
            line.calls << name;
    }
    std::ranges::stable_sort(sites, std::ranges::greater{}, &LaunchSite::count);
    return sites;
}

}  // namespace roofscope::gui
