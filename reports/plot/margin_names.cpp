// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/margin_names.h"

#include <algorithm>
#include <cmath>

#include "reports/language/say.h"

namespace roofscope::plot {

namespace {

constexpr double kLeader = 12, kLine = kLabelSize + 2;
/// How far names may extend above and below the plot.
constexpr double kBeyond = 10;

}  // namespace

MarginNames::MarginNames(LayoutCanvas& canvas, const RoofLines& roofs) : m_canvas(canvas) {
    for (const RoofLine& line : roofs.lines)
        if (line.roof->kind == Roof::Kind::Compute) add(line);
    std::ranges::stable_sort(m_names, std::ranges::greater{}, &Name::log);
}

void MarginNames::add(const RoofLine& line) {
    const double log = std::log10(line.roof->rate);
    if (log < m_canvas.plot.viewport.yMin || log > m_canvas.plot.viewport.yMax) return;
    const std::string rate =
        line.roof->measured ? say(m_canvas.language, "{} measured", line.rate) : line.rate;
    const auto same = std::ranges::find_if(
        m_names, [&](const Name& name) { return name.lines.front() == line.name; });
    // One name for a theoretical and a measured roof that are near each other.
    constexpr double kNear = 0.25;
    if (same == m_names.end() || std::abs(same->log - log) >= kNear) {
        m_names.push_back({.lines = {line.name, rate},
                           .brief = {line.name, line.rate},
                           .log = log,
                           .role = line.role,
                           .own = m_canvas.isOwn(*line.roof)});
        return;
    }
    same->lines.push_back(rate);
    // Leave out a unit that repeats the line above.
    const auto unit = [](const std::string& of) { return of.substr(of.find(' ') + 1); };
    const bool again = line.roof->measured && unit(line.rate) == unit(same->brief.back());
    same->brief.push_back(
        again ? say(m_canvas.language, "{} measured", line.rate.substr(0, line.rate.find(' ')))
              : line.rate);
    same->log = std::max(same->log, log);
    same->own = same->own || m_canvas.isOwn(*line.roof);
}

double MarginNames::reserve(double width, double height) {
    if (m_names.empty() || m_canvas.naming == RoofNaming::Legend) return 0;
    const bool brief = m_canvas.naming == RoofNaming::Short;
    constexpr double kWidest = 190, kMostOfPicture = 0.34;
    const double leastPlot = brief ? 80 : 140;
    if (brief) {
        for (Name& name : m_names) name.lines.resize(1);
        const double each = (height + 2 * kBeyond) / static_cast<double>(m_names.size());
        m_gap = std::clamp(each - kLine, 0.0, m_gap);
    }
    double margin = 0;
    for (const Name& name : m_names)
        for (const std::string& line : name.lines)
            margin = std::max(margin, textWidth(line, kLabelSize) * 1.1 + kLeader + 6);
    margin = std::min({margin, kWidest, kMostOfPicture * m_canvas.list().width});
    m_shown = width - margin >= leastPlot;
    return m_shown ? margin : 0;
}

double MarginNames::heightOf(const Name& name) const {
    return kLine * static_cast<double>(name.lines.size()) + m_gap;
}

double MarginNames::heightOfAll() const {
    double all = 0;
    for (const Name& name : m_names) all += heightOf(name);
    return all;
}

bool MarginNames::complete() const {
    const double each = kLine + m_gap;
    return each * static_cast<double>(m_names.size()) <= m_canvas.plot.area.h + 2 * kBeyond + m_gap;
}

std::vector<double> MarginNames::tops() const {
    const Rect& a = m_canvas.plot.area;
    std::vector<double> tops;
    double least = a.y - kBeyond;
    for (const Name& name : m_names) {
        const double wanted = m_canvas.atLog(0, name.log).y - heightOf(name) / 2;
        tops.push_back(std::max(wanted, least));
        least = tops.back() + heightOf(name);
    }
    double most = a.y + a.h + kBeyond;
    for (std::size_t i = tops.size(); i-- > 0;) {
        tops[i] = std::min(tops[i], most - heightOf(m_names[i]));
        most = tops[i];
    }
    return tops;
}

void MarginNames::write() {
    if (heightOfAll() > m_canvas.plot.area.h + 2 * kBeyond + 20)  // names without rates
        for (Name& name : m_names) name.lines.resize(1);
    const std::vector<double> places = tops();
    for (std::size_t i = 0; i < m_names.size(); ++i) write(m_names[i], places[i]);
}

void MarginNames::write(const Name& name, double top) {
    const Rect& a = m_canvas.plot.area;
    const double x = a.x + a.w, width = m_canvas.list().width - x - kLeader;
    const double roofY = m_canvas.atLog(0, name.log).y;
    const double first = top + m_gap / 2, height = heightOf(name) - m_gap;
    m_canvas.list().free.push_back(LineShape{.from = {x, roofY},
                                             .to = {x + kLeader - 3, first + height / 2},
                                             .role = name.role,
                                             .width = name.own ? 1.8 : 1});
    const double size = kLabelSize * (name.own ? 1.08 : 1);
    for (std::size_t line = 0; line < name.lines.size(); ++line) {
        const bool fits = textWidth(name.lines[line], size) <= width;
        m_canvas.text({x + kLeader, first + kLine * (static_cast<double>(line) + 0.82)},
                      fitText((fits ? name.lines : name.brief)[line], size, width), kLabelSize,
                      name.role, Anchor::Start, 0, name.own);
    }
    std::string words = name.lines.front();
    for (std::size_t line = 1; line < name.lines.size(); ++line)
        words += (line == 1 ? std::string(" ") : std::string(marksOf(m_canvas.language).comma)) +
                 name.lines[line];
    m_canvas.plot.marginNames.push_back(
        {.text = words, .roofY = roofY, .box = {x + kLeader, top, width, height}});
}

}  // namespace roofscope::plot
