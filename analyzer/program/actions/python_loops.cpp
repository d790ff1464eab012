// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/actions/python_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/numbers/median.h"
#include "profile/names/foreign_modules.h"
#include "profile/text/base_name.h"

namespace roofscope::program {
namespace {

constexpr double kLeastRounds = 32, kLeastPerWindow = 8;
constexpr double kLeastShare = 0.2;
constexpr std::size_t kLeastLines = 2;

using Sites = std::vector<const CallSite*>;

/// By index of Profile::kernels.
template <class Value>
using PerKernel = std::map<std::uint32_t, Value>;

PerKernel<double> launchesPerWindow(const Analysis& analysis, const Program& program) {
    PerKernel<double> launches;
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k) {
        const auto& rows = analysis.kernels[k].group.launches;
        if (!rows.empty())
            launches[analysis.profile->launches[rows.front()].kernel] +=
                program.kernels[k].perWindow;
    }
    return launches;
}

}  // namespace

std::optional<PythonLoop> pythonLoop(const Analysis& analysis, const Program& program,
                                     double repeats) {
    const Profile& profile = *analysis.profile;
    repeats = std::max(1.0, repeats);
    PerKernel<double> noted;
    for (const CallSite& site : profile.callSites)
        if (site.kernel) noted[*site.kernel] += static_cast<double>(site.count);
    const PerKernel<double> launches = launchesPerWindow(analysis, program);

    std::map<std::pair<std::string, std::string>, Sites> functions;
    for (const CallSite& site : profile.callSites)
        if (site.kernel && !site.indirect && !site.function.empty() && site.file.ends_with(".py") &&
            !isInstalledPython(site.file))
            functions[{site.file, site.function}].push_back(&site);
    std::optional<PythonLoop> most;
    for (const auto& [name, sites] : functions) {
        const auto entered =
            static_cast<double>((*std::ranges::min_element(sites, {}, [](const CallSite* site) {
                                    return site->count;
                                }))->count);
        std::set<std::uint32_t> lines;
        std::vector<double> rounds;
        double launched = 0;
        for (const CallSite* site : sites) {
            const auto count = static_cast<double>(site->count);
            if (count < kLeastRounds * entered || count < kLeastPerWindow * repeats) continue;
            lines.insert(site->line);
            rounds.push_back(count / entered);
            const auto all = launches.find(*site->kernel);
            if (all != launches.end()) launched += all->second * count / noted.at(*site->kernel);
        }
        if (lines.size() < kLeastLines || launched < kLeastShare * program.launches().perWindow ||
            (most && launched <= most->launches))
            continue;
        most = PythonLoop{.place = fmt::format("{}:{}–{} ({})", baseName(name.first),
                                               *lines.begin(), *lines.rbegin(), name.second),
                          .rounds = medianOf(std::move(rounds)),
                          .launches = launched};
    }
    return most;
}

}  // namespace roofscope::program
