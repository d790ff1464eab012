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
    std::vector<const CallSite*> withLine;
    for (const CallSite& site : profile.callSites)
        if (program::lineOf(site).line > 0) withLine.push_back(&site);
    std::ranges::stable_sort(withLine, std::ranges::greater{}, &CallSite::count);
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> byLine;
    std::vector<LaunchSite> sites;
    for (const CallSite* site : withLine) {
        const CodeLine at = program::lineOf(*site);
        const auto [known, isNew] = byLine.try_emplace({at.file, at.line}, sites.size());
        if (isNew)
            sites.push_back({.file = QString::fromStdString(at.file),
                             .line = int(at.line),
                             .place = shownText(program::placeText(*site), kLongestName)});
        LaunchSite& line = sites[known->second];
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
