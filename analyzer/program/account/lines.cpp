// SPDX-License-Identifier: Apache-2.0
#include "analyzer/program/account/lines.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/analysis.h"
#include "analyzer/program/account/sites.h"

namespace roofscope::program {

namespace {

/// The launches of a function in one shape.
struct Shape {
    std::uint32_t kernel = 0;  ///< index into Analysis::kernels
    double launches = 0;       ///< per window
    Seconds time;
    [[nodiscard]] double mean() const { return time.value / launches; }
};
/// How often each place launched a function, over the whole run.
using Places = std::map<std::string, double>;

/// Where a function is launched from.
struct Launchers {
    std::map<LaunchShape, Places> byShape;
    Places inMany;  ///< places with too many shapes, or whose shapes are not known
};

/// Adds to each line the least time that its launches can take, as the short ones may all come from
/// one line.
void addLines(std::vector<Shape>& shapes, const Places& places,
              std::map<std::string, LineTime>& lines) {
    std::ranges::sort(shapes, {}, &Shape::mean);
    double all = 0, sites = 0;
    for (const Shape& shape : shapes) all += shape.launches;
    for (const auto& [place, count] : places) sites += count;
    for (const auto& [place, count] : places) {
        if (place.empty()) continue;
        LineTime& line = lines[place];
        double left = all * count / sites;
        for (const Shape& shape : shapes) {
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
    // Built once for all kernels, because there may be thousands of kernels and of sites.
    std::vector<Launchers> launchers(profile.kernels.size());
    for (const CallSite& site : profile.callSites) {
        if (!site.kernel || *site.kernel >= launchers.size()) continue;
        Launchers& of = launchers[*site.kernel];
        (site.shape ? of.byShape[*site.shape] : of.inMany)[placeText(site)] +=
            static_cast<double>(site.count);
    }
    // If it is not known which line launches which shape, all shapes of a function count as one.
    std::map<std::pair<std::uint32_t, std::optional<LaunchShape>>, std::vector<Shape>> functions;
    Seconds all, known;
    for (std::uint32_t k = 0; k < analysis.kernels.size(); ++k) {
        const Program::KernelCounts& kernel = program.kernels[k];
        if (!(kernel.time.value > 0) || !(kernel.perWindow > 0)) continue;
        const LaunchGroup& group = analysis.kernels[k].group;
        const Launchers& of = launchers[group.kernel];
        const LaunchShape shape{.grid = group.grid, .block = group.block};
        const auto in = of.byShape.find(shape);
        const bool isKnown = in != of.byShape.end();
        functions[{group.kernel, isKnown ? std::optional(shape) : std::nullopt}].push_back(
            {k, kernel.perWindow, kernel.time});
        all += kernel.time;
        const Places& places = isKnown ? in->second : of.inMany;
        if (!places.empty() && !places.contains("")) known += kernel.time;
    }
    std::vector<LineTime> list;
    if (known < all * kMost) return list;
    std::map<std::string, LineTime> lines;
    for (auto& [function, shapes] : functions) {
        const Launchers& of = launchers[function.first];
        addLines(shapes, function.second ? of.byShape.at(*function.second) : of.inMany, lines);
    }
    for (auto& [place, line] : lines) {
        line.place = place;
        list.push_back(std::move(line));
    }
    std::ranges::stable_sort(list, std::greater{}, [](const LineTime& l) { return l.time.value; });
    return list;
}

}  // namespace roofscope::program
