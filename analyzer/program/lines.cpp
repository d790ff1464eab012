// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/lines.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyzer/model/analysis.h"
#include "analyzer/program/program.h"
#include "analyzer/program/sites.h"

namespace roofscope::program {

std::vector<LineTime> linesOf(const Analysis& analysis, const Program& program) {
    constexpr double kMost = 0.6;
    std::map<std::string, LineTime> lines;
    Seconds all, known;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Seconds time = program.kernels[k].time;
        if (!(time.value > 0)) continue;
        all += time;
        const auto sites = launchSitesOf(*analysis.profile, analysis.kernels[k]);
        double count = 0;
        for (const CallSite* site : sites) count += static_cast<double>(site->count);
        std::map<std::string, double> parts;  // a line has a site for each operator and size
        for (const CallSite* site : sites)
            parts[placeText(*site)] += static_cast<double>(site->count) / count;
        for (const auto& [place, part] : parts) {
            if (place.empty()) continue;
            LineTime& line = lines[place];
            line.time += time * part;
            line.kernels.emplace_back(k, time * part);
            known += time * part;
        }
    }
    std::vector<LineTime> list;
    if (known < all * kMost) return list;
    for (auto& [place, line] : lines) {
        line.place = place;
        list.push_back(std::move(line));
    }
    std::ranges::stable_sort(list, std::greater{}, [](const LineTime& l) { return l.time.value; });
    return list;
}

}  // namespace roofscope::program
