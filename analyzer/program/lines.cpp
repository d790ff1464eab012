// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/lines.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyzer/model/analysis.h"
#include "analyzer/program/program.h"
#include "analyzer/program/sites.h"

namespace roofscope::program {

namespace {

/// The launches of a function, in groups of one shape.
struct Function {
    struct Shape {
        std::uint32_t kernel = 0;  ///< index into Analysis::kernels
        double launches = 0;       ///< per window
        Seconds time;
        [[nodiscard]] double mean() const { return time.value / launches; }
    };
    std::vector<Shape> shapes;
    std::map<std::string, double> places;  ///< how often each launched it, over the whole run
};

/// Gives each line the least that its launches can take: sites are known by function, not by shape,
/// so a line may be the one that launches the short ones.
void addLines(Function& function, std::map<std::string, LineTime>& lines) {
    std::ranges::sort(function.shapes, {}, [](const Function::Shape& s) { return s.mean(); });
    double all = 0, sites = 0;
    for (const Function::Shape& shape : function.shapes) all += shape.launches;
    for (const auto& [place, count] : function.places) sites += count;
    for (const auto& [place, count] : function.places) {
        if (place.empty()) continue;
        LineTime& line = lines[place];
        double left = all * count / sites;
        for (const Function::Shape& shape : function.shapes) {
            if (!(left > 0)) break;
            const Seconds time = shape.time * std::min(1.0, left / shape.launches);
            line.time += time;
            line.kernels.emplace_back(shape.kernel, time);
            left -= shape.launches;
        }
    }
}

}  // namespace

std::vector<LineTime> linesOf(const Analysis& analysis, const Program& program) {
    constexpr double kMost = 0.6;
    const Profile& profile = *analysis.profile;
    // Once for all kernels: there may be thousands of both.
    std::vector<std::map<std::string, double>> counts(profile.kernels.size());
    for (const CallSite& site : profile.callSites)
        if (site.kernel && *site.kernel < counts.size())
            counts[*site.kernel][placeText(site)] += static_cast<double>(site.count);
    std::map<std::uint32_t, Function> functions;
    Seconds all, known;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Program::KernelCounts& kernel = program.kernels[k];
        if (!(kernel.time.value > 0) || !(kernel.perWindow > 0)) continue;
        const std::uint32_t of = analysis.kernels[k].group.kernel;
        Function& function = functions[of];
        function.shapes.push_back({k, kernel.perWindow, kernel.time});
        function.places = counts[of];
        all += kernel.time;
        if (!counts[of].empty() && !counts[of].contains("")) known += kernel.time;
    }
    std::vector<LineTime> list;
    if (known < all * kMost) return list;
    std::map<std::string, LineTime> lines;
    for (auto& [kernel, function] : functions) addLines(function, lines);
    for (auto& [place, line] : lines) {
        line.place = place;
        list.push_back(std::move(line));
    }
    std::ranges::stable_sort(list, std::greater{}, [](const LineTime& l) { return l.time.value; });
    return list;
}

}  // namespace roofscope::program
