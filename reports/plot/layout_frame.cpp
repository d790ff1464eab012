// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/layout_frame.h"

#include <algorithm>
#include <utility>

#include "reports/escape/escape.h"
#include "reports/escape/line_break.h"
#include "reports/language/number_format.h"
#include "reports/language/say.h"
#include "reports/plot/legend.h"
#include "reports/plot/ticks.h"

namespace roofscope::plot {

namespace {

constexpr double kTitleSize = 16;

std::vector<std::string> wrapText(const std::string& text, double size, double width) {
    std::vector<std::string> lines;
    std::string line;
    for (const LinePiece& piece : linePieces(text)) {
        const std::string longer = line + (line.empty() || !piece.room ? "" : " ") + piece.text;
        if (!line.empty() && textWidth(longer, size) > width) {
            lines.push_back(line);
            line = piece.text;
        } else {
            line = longer;
        }
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

std::vector<std::string> notesOf(const LayoutCanvas& c, double width) {
    std::string words = c.options.framed ? c.scene.notShown : std::string();
    if (c.analysis.convention == Convention::Ncu)
        words += (words.empty() ? std::string() : std::string(marksOf(c.language).semicolon)) +
                 say(c.language, "L2 and L1 bytes are counted as Nsight Compute does");
    return wrapText(words, kLabelSize, width);
}

void drawGrid(LayoutCanvas& c) {
    const Viewport& v = c.plot.viewport;
    const Rect& a = c.plot.area;
    const auto line = [&](Point from, Point to, bool major) {
        c.list().clipped.push_back(LineShape{
            .from = from, .to = to, .role = major ? Role::Grid : Role::GridMinor, .width = 1});
    };
    const auto xTicks = logTicks(v.xMin, v.xMax, a.w, TickStyle::Plain);
    const auto yTicks = logTicks(v.yMin, v.yMax, a.h, TickStyle::Si);
    for (const bool major : {false, true}) {  // major lines on top
        for (const Tick& tick : xTicks)
            if (tick.major == major) {
                const double x = c.atLog(tick.log, v.yMin).x;
                line({x, a.y}, {x, a.y + a.h}, major);
            }
        for (const Tick& tick : yTicks)
            if (tick.major == major) {
                const double y = c.atLog(v.xMin, tick.log).y;
                line({a.x, y}, {a.x + a.w, y}, major);
            }
    }
    for (const Tick& tick : xTicks)
        if (!tick.label.empty())
            c.text({c.atLog(tick.log, v.yMin).x, a.y + a.h + 17}, tick.label, kTextSize,
                   Role::TextMuted, Anchor::Middle);
    for (const Tick& tick : yTicks)
        if (!tick.label.empty())
            c.text({a.x - 7, c.atLog(v.xMin, tick.log).y + 4}, tick.label, kTextSize,
                   Role::TextMuted, Anchor::End);
    for (const auto& [from, to] : {std::pair{Point{a.x, a.y + a.h}, Point{a.x + a.w, a.y + a.h}},
                                   std::pair{Point{a.x, a.y}, Point{a.x, a.y + a.h}}})
        c.list().free.push_back(
            LineShape{.from = from, .to = to, .role = Role::Axis, .width = 1.2});
}

/// Whether the picture is so small that axes have units instead of titles.
bool isTight(const LayoutCanvas& c) {
    constexpr double kHigh = 280, kWide = 280;
    return !c.options.framed && (c.options.height < kHigh || c.options.width < kWide);
}

}  // namespace

void describePlot(LayoutCanvas& c) {
    static const std::vector<Device> kNoDevices;
    const auto& devices = c.analysis.profile ? c.analysis.profile->devices : kNoDevices;
    const std::string gpu = c.options.device < devices.size()
                                ? cleanText(devices[c.options.device].name, 60)
                                : std::string();
    c.plot.title = c.options.title.empty() ? (gpu.empty() ? say(c.language, "Roofline")
                                                          : say(c.language, "Roofline: {}", gpu))
                                           : cleanText(c.options.title, 200);
    c.plot.description =
        sayCount(c.language, c.scene.kernels,
                 "Roofline, both axes logarithmic: arithmetic intensity in FLOP/B and "
                 "performance in FLOP/s of {} kernel",
                 "Roofline, both axes logarithmic: arithmetic intensity in FLOP/B and "
                 "performance in FLOP/s of {} kernels") +
        (gpu.empty() ? std::string() : say(c.language, " on {}", gpu)) +
        std::string(marksOf(c.language).stop);
    if (c.scene.longest) {
        const PlacedDot& dot = c.scene.dots[*c.scene.longest];
        const KernelAnalysis& kernel = c.analysis.kernels[dot.kernel];
        c.plot.description +=
            std::string(marksOf(c.language).gap) +
            say(c.language, "The shown kernel with the most time, {}, reaches {} at {} ({}).",
                cleanText(kernel.name, 80), formatRate(dot.rate.value, dot.precision),
                formatIntensity(dot.intensity.value, dot.precision), c.levelWords(dot));
    }
    if (!c.scene.notShown.empty())
        c.plot.description += std::string(marksOf(c.language).gap) + c.scene.notShown +
                              std::string(marksOf(c.language).stop);
    if (!c.scene.arrows.empty())
        c.plot.description += std::string(marksOf(c.language).gap) +
                              say(c.language, "Arrows start at the position in the baseline.");
}

void drawFrame(LayoutCanvas& c, const RoofLines& roofs, MarginNames& margin) {
    c.list().width = std::max(c.options.width, 120.0);
    c.list().height = std::max(c.options.height, 100.0);
    const double width = c.list().width, height = c.list().height;
    const bool tight = isTight(c);
    const double left = tight ? 50 : 72, axisRows = tight ? 24 : 46;
    constexpr double kRight = 20, kTitleRow = 27, kLegendRow = 48, kFirstRow = 20;
    if (c.options.framed)
        c.text({left, kTitleRow}, fitText(c.plot.title, kTitleSize, width - left - kRight),
               kTitleSize, Role::Text, Anchor::Start, 0, true);
    const double firstRow = c.options.framed ? kLegendRow : kFirstRow;
    const double top = drawLegend(c, roofs, {left, firstRow}, width - kRight) + 12;

    std::vector<std::string> notes = notesOf(c, width - left - kRight);
    double bottom = axisRows + 15.0 * static_cast<double>(notes.size());
    if (tight || height - top - bottom < 40) {  // the plot matters more than the notes
        notes.clear();
        bottom = axisRows;
    }
    const double plotHeight = std::max(20.0, height - top - bottom);
    double names = margin.reserve(width - left, plotHeight);
    const bool unitBelowNames = tight && names > 0;
    if (unitBelowNames) names = std::max(names, textWidth("FLOP/B", kTextSize) + 12);
    c.plot.area = {left, top, std::max(20.0, width - left - (names > 0 ? names : kRight)),
                   plotHeight};
    c.list().clip = c.plot.area;
    const double axisY = c.plot.area.y + c.plot.area.h;
    if (tight) {
        c.text({2, firstRow}, "FLOP/s", kTextSize, Role::TextMuted);
        if (unitBelowNames)
            c.text({width - 4, axisY + 17}, "FLOP/B", kTextSize, Role::TextMuted, Anchor::End);
    } else {
        c.text({c.plot.area.x + c.plot.area.w / 2, axisY + 37},
               say(c.language, "Arithmetic intensity (FLOP/B)"), kTextSize, Role::Text,
               Anchor::Middle);
        c.text({17, c.plot.area.y + c.plot.area.h / 2}, say(c.language, "Performance (FLOP/s)"),
               kTextSize, Role::Text, Anchor::Middle, -90);
    }
    for (std::size_t i = 0; i < notes.size(); ++i)
        c.text({left, axisY + 54 + 15.0 * static_cast<double>(i)}, notes[i], kLabelSize,
               Role::TextMuted);
    drawGrid(c);
}

}  // namespace roofscope::plot
