// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reports/language/number_format.h"
#include "reports/plot/label_placement.h"
#include "reports/plot/roof_lines.h"
#include "reports/plot/roofline_layout.h"
#include "reports/plot/ruler.h"
#include "reports/plot/ticks.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::plot;

namespace {

/// One device with round roofs, and kernels at the given points.
Analysis handMade(std::vector<RooflinePoint> points) {
    Analysis analysis;
    auto profile = std::make_shared<Profile>();
    profile->devices.push_back({.name = "Test GPU"});
    analysis.profile = profile;
    analysis.roofs = {{.kind = Roof::Kind::Bandwidth, .level = Level::Dram, .rate = 1e12},
                      {.kind = Roof::Kind::Bandwidth, .level = Level::L2, .rate = 1e13},
                      {.kind = Roof::Kind::Compute, .precision = Precision::Fp32, .rate = 1e14},
                      {.kind = Roof::Kind::Compute, .precision = Precision::Fp64, .rate = 1e13}};
    for (const RooflinePoint& point : points) {
        KernelAnalysis kernel;
        kernel.name = "kernel" + std::to_string(analysis.kernels.size());
        kernel.timeShare = Derived<Ratio>::of({0.25}, "");
        kernel.points = {point};
        analysis.kernels.push_back(kernel);
    }
    return analysis;
}

RooflinePoint point(double intensity, double rate, Level level = Level::Dram) {
    return {.level = level, .precision = Precision::Fp32, .intensity = {intensity}, .rate = {rate}};
}

std::vector<TextShape> texts(const DrawList& list) {
    std::vector<TextShape> found;
    for (const Shape& shape : list.free)
        if (const auto* text = std::get_if<TextShape>(&shape)) found.push_back(*text);
    return found;
}

bool hasText(const DrawList& list, const std::string& words) {
    const auto all = texts(list);
    return std::any_of(all.begin(), all.end(), [&](const TextShape& t) { return t.text == words; });
}

/// Whether a roof has its name, along its line or in the margin.
bool isNamed(const RooflinePlot& plot, const std::string& words) {
    return hasText(plot.shapes, words) ||
           std::ranges::any_of(plot.marginNames, [&](const PlacedRoofName& name) {
               return name.text.starts_with(words);
           });
}

TurnedBox boxOf(const TextShape& text) {
    const double width = textWidth(text.text, text.size), angle = text.angle * M_PI / 180;
    const double shift = text.anchor == Anchor::Middle  ? 0
                         : text.anchor == Anchor::Start ? width / 2
                                                        : -width / 2;
    const double up = text.size * 0.36;
    return {.centre = {text.at.x + std::cos(angle) * shift + std::sin(angle) * up,
                       text.at.y + std::sin(angle) * shift - std::cos(angle) * up},
            .halfWidth = width / 2 - 1,
            .halfHeight = text.size / 2 - 1,
            .angle = angle};
}

}  // namespace

TEST_CASE("a place in the plane has the pixel that a ruler gives") {
    RooflineOptions options;
    options.viewport = Viewport{.xMin = -2, .xMax = 3, .yMin = 9, .yMax = 15};
    const RooflinePlot plot = layoutRoofline(handMade({point(1, 1e12)}), options);
    // x: 0 is 2/5 of the way from -2 to 3; y: 12 is half of the way from 9 to 15.
    const Point at = plot.toPixel({1}, {1e12});
    CHECK(at.x == Approx(plot.area.x + 0.4 * plot.area.w));
    CHECK(at.y == Approx(plot.area.y + 0.5 * plot.area.h));
    REQUIRE(plot.dots.size() == 1);
    CHECK(plot.dots[0].centre.x == Approx(at.x));
    CHECK(plot.dots[0].centre.y == Approx(at.y));
    // Corners.
    CHECK(plot.toPixel({0.01}, {1e9}).x == Approx(plot.area.x));
    CHECK(plot.toPixel({0.01}, {1e9}).y == Approx(plot.area.y + plot.area.h));
    CHECK(plot.toPixel({1000}, {1e15}).x == Approx(plot.area.x + plot.area.w));
    CHECK(plot.toPixel({1000}, {1e15}).y == Approx(plot.area.y));
}

TEST_CASE("toLog is the inverse of toPixel") {
    const RooflinePlot plot = layoutRoofline(handMade({point(0.3, 2e11), point(40, 5e13)}), {});
    for (const auto& [x, y] : {std::pair{0.07, 3e9}, {1.0, 1e12}, {123.0, 9.9e13}}) {
        const Point log = plot.toLog(plot.toPixel({x}, {y}));
        CHECK(log.x == Approx(std::log10(x)));
        CHECK(log.y == Approx(std::log10(y)));
    }
    CHECK(std::isfinite(plot.toPixel({0}, {0}).x));
}

TEST_CASE("slopes end at the highest compute roof and flats start at their ridge") {
    const Analysis analysis = handMade({});
    const RoofLines roofs = roofLines(analysis, {}, {.xMin = -2, .xMax = 4, .yMin = 9, .yMax = 15});
    REQUIRE(roofs.lines.size() == 4);
    // 1e12 B/s meets 1e14 FLOP/s at 100 FLOP/B; 1e13 B/s at 10.
    CHECK(roofs.lines[0].label == "DRAM 1.00 TB/s");
    CHECK(roofs.lines[0].to.x == Approx(2));
    CHECK(roofs.lines[0].to.y == Approx(14));
    CHECK(roofs.lines[1].to.x == Approx(1));
    CHECK(roofs.lines[0].from.y - roofs.lines[0].from.x == Approx(12));
    // Flats start at the ridge with the highest bandwidth, 1e13 B/s.
    CHECK(roofs.lines[2].label == "FP32 100 TFLOP/s");
    CHECK(roofs.lines[2].from.x == Approx(1));
    CHECK(roofs.lines[3].from.x == Approx(0).margin(1e-9));
    CHECK(roofs.ridges.size() == 4);
}

TEST_CASE("switched-off levels and other devices show nothing") {
    Analysis analysis = handMade({point(1, 1e12), point(1, 1e12, Level::L2)});
    RooflineOptions options;
    options.levels = {{false, true, false, false}};
    RooflinePlot plot = layoutRoofline(analysis, options);
    REQUIRE(plot.dots.size() == 1);
    CHECK(plot.dots[0].level == Level::L2);
    CHECK_FALSE(hasText(plot.shapes, "DRAM 1.00 TB/s"));
    CHECK(hasText(plot.shapes, "L2 10.0 TB/s"));
    options.device = 1;
    CHECK(layoutRoofline(analysis, options).dots.empty());
}

TEST_CASE("theoretical roofs are dashed, measured ones solid and named so") {
    Analysis analysis = handMade({});
    analysis.roofs.push_back(
        {.kind = Roof::Kind::Bandwidth, .level = Level::Dram, .rate = 0.9e12, .measured = true});
    const RooflinePlot plot = layoutRoofline(analysis, {});
    std::size_t dashed = 0, solid = 0;
    for (const Shape& shape : plot.shapes.clipped)
        if (const auto* line = std::get_if<LineShape>(&shape); line && line->role == Role::Dram)
            ++(line->dashed ? dashed : solid);
    CHECK(dashed == 1);
    CHECK(solid == 1);
    CHECK(hasText(plot.shapes, "DRAM 1.00 TB/s, 900 GB/s measured"));
}

TEST_CASE("a theoretical and a measured roof have one name side by side, and else their own") {
    Analysis analysis = handMade({});
    const auto measure = [&](Precision precision, double rate) {
        analysis.roofs.push_back(
            {.kind = Roof::Kind::Compute, .precision = precision, .rate = rate, .measured = true});
    };
    measure(Precision::Fp64, 9.5e12);
    measure(Precision::Fp32, 2e13);
    const RooflinePlot plot = layoutRoofline(analysis, {});
    CHECK(isNamed(plot, "FP64 10.0 TFLOP/s, 9.50 TFLOP/s measured"));
    CHECK(isNamed(plot, "FP32 100 TFLOP/s"));
    CHECK(isNamed(plot, "FP32 20.0 TFLOP/s measured"));
    // Also where there is no room for rates.
    const RooflinePlot narrow = layoutRoofline(analysis, {.width = 290});
    for (const PlacedRoofName& name : narrow.marginNames)
        CHECK((name.text == "FP64" || name.text == "FP32"));
    CHECK(narrow.marginNames.size() == 3);
}

TEST_CASE("names of compute roofs stand beside the plot, one below the other") {
    const Analysis& analysis = test::recorded("h200_torch_tensor");
    for (const auto& [width, height] : {std::pair{560.0, 420.0}, {900.0, 500.0}, {1600.0, 900.0}}) {
        RooflineOptions options;
        options.width = width;
        options.height = height;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        CAPTURE(width, height);
        const RoofLines lines = roofLines(analysis, options, plot.viewport);
        for (const RoofLine& line : lines.lines) {
            if (line.roof->kind != Roof::Kind::Compute) continue;
            const double log = std::log10(line.roof->rate);
            if (log < plot.viewport.yMin || log > plot.viewport.yMax) continue;
            CAPTURE(line.label);
            CHECK(isNamed(plot, line.name));
        }
        REQUIRE(plot.marginNames.size() >= 5);
        for (std::size_t i = 1; i < plot.marginNames.size(); ++i) {
            const Rect &above = plot.marginNames[i - 1].box, &below = plot.marginNames[i].box;
            CHECK(above.y + above.h <= below.y + 0.01);
            CHECK(below.x >= plot.area.x + plot.area.w);
        }
    }
}

TEST_CASE("every type of tensor cores has a colour of its own") {
    std::set<Role> roles;
    for (const TensorType type : kTensorTypes) roles.insert(roleOf(Arithmetic(type)));
    CHECK(roles.size() == kTensorTypes.size());
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        std::set<std::string> colours;
        for (int role = 0; role <= int(kLastRole); ++role)
            colours.insert(colour(static_cast<Role>(role), theme));
        CHECK(colours.size() >= std::size_t(kLastRole));  // axis and muted text may share one
    }
}

TEST_CASE("a selection moves no names and leaves the other dots readable") {
    const Analysis analysis = test::analysisOf(test::manyKernels(12));
    RooflineOptions options;
    options.width = 1000;
    options.height = 640;
    const auto places = [&](const RooflinePlot& plot) {
        std::map<std::size_t, std::pair<double, double>> at;
        for (const TextShape& text : texts(plot.shapes))
            if (text.kernel) at[*text.kernel] = {text.at.x, text.at.y};
        return at;
    };
    const auto before = places(layoutRoofline(analysis, options));
    REQUIRE(before.size() >= 4);
    for (std::size_t kernel = 0; kernel < analysis.kernels.size(); ++kernel) {
        options.selected = kernel;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        auto after = places(plot);
        for (const auto& [named, place] : before) {
            CAPTURE(kernel, named);
            CHECK(after[named] == place);
        }
        for (const Shape& shape : plot.shapes.clipped)
            if (const auto* marker = std::get_if<MarkerShapeItem>(&shape);
                marker && marker->kernel && *marker->kernel != kernel)
                CHECK(marker->opacity >= 0.6);
    }
}

TEST_CASE("whatever is selected has its name, in a small plot, too, and within it") {
    const Analysis& analysis = test::recorded("h200_bundled");
    RooflineOptions options{.width = 470, .height = 390, .framed = false};
    for (std::size_t kernel = 0; kernel < analysis.kernels.size(); ++kernel) {
        options.selected = kernel;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        if (std::ranges::none_of(plot.dots, [&](const PlacedDot& dot) {
                return dot.kernel == kernel && dot.centre.x > plot.area.x &&
                       dot.centre.x < plot.area.x + plot.area.w && dot.centre.y > plot.area.y &&
                       dot.centre.y < plot.area.y + plot.area.h;
            }))
            continue;
        std::size_t names = 0;
        for (const TextShape& text : texts(plot.shapes)) {
            if (text.kernel != kernel) continue;
            ++names;
            CAPTURE(text.text);
            CHECK(text.bold);
            CHECK(inside(boxOf(text), plot.area));
        }
        CAPTURE(kernel, analysis.kernels[kernel].name);
        CHECK(names == 1);
    }
}

TEST_CASE("no name lies on the other side of a roof than its dot, unless a line leads there") {
    for (const char* sample : {"h200_torch_tensor", "h200_bundled", "h200_torch_triton"}) {
        const Analysis& analysis = test::recorded(sample);
        const RooflinePlot plot = layoutRoofline(analysis, {});
        const auto sideOf = [](const LineShape& line, Point p) {
            return (line.to.x - line.from.x) * (p.y - line.from.y) -
                   (line.to.y - line.from.y) * (p.x - line.from.x);
        };
        for (const TextShape& text : texts(plot.shapes)) {
            if (!text.kernel) continue;
            const Point middle = boxOf(text).centre;
            // At least one of its dots is on the same side of every roof.
            bool together = false;
            for (const PlacedDot& dot : plot.dots) {
                if (dot.kernel != *text.kernel) continue;
                bool apart = false;
                for (const Shape& shape : plot.shapes.clipped)
                    if (const auto* line = std::get_if<LineShape>(&shape);
                        line && line->role != Role::Grid && line->role != Role::GridMinor &&
                        line->role != Role::Highlight &&
                        cross({dot.centre, middle}, {line->from, line->to}))
                        apart = apart || sideOf(*line, dot.centre) * sideOf(*line, middle) < 0;
                together = together || !apart;
            }
            // An important kernel is always named, if necessary with a leader line.
            const auto& share = analysis.kernels[*text.kernel].timeShare;
            const bool led = std::ranges::any_of(plot.shapes.free, [&](const Shape& shape) {
                const auto* line = std::get_if<LineShape>(&shape);
                return line && line->role == Role::TextMuted &&
                       std::abs(line->to.x - middle.x) <= boxOf(text).halfWidth + 40 &&
                       std::abs(line->to.y - middle.y) <= boxOf(text).halfHeight + 8;
            });
            CAPTURE(sample, text.text);
            CHECK((together || (led && share.has() && share->value >= 0.05)));
        }
    }
}

TEST_CASE("no two names of dots lie on each other, whatever is selected") {
    for (const char* name : {"h200_bundled", "h200_triton_source"}) {
        const Analysis& analysis = test::recorded(name);
        for (const auto& [width, height] : {std::pair{960, 600}, {535, 435}, {365, 240}}) {
            RooflineOptions options{
                .width = double(width), .height = double(height), .framed = false};
            for (std::size_t kernel = 0; kernel < analysis.kernels.size(); ++kernel) {
                options.selected = kernel;
                auto named = texts(layoutRoofline(analysis, options).shapes);
                std::erase_if(named, [](const TextShape& text) { return !text.kernel; });
                for (std::size_t i = 0; i < named.size(); ++i)
                    for (std::size_t j = i + 1; j < named.size(); ++j) {
                        CAPTURE(name, width, named[i].text, named[j].text);
                        CHECK_FALSE(overlap(boxOf(named[i]), boxOf(named[j])));
                    }
            }
        }
    }
}

TEST_CASE("a ruler leads from the selected dot to what limits it, and says how far") {
    const Analysis& analysis = test::recorded("h200_bundled");
    std::size_t rulers = 0;
    std::map<int, std::size_t> worded;  // by width of the plot
    for (std::size_t i = 0; i < analysis.kernels.size(); ++i) {
        const KernelAnalysis& kernel = analysis.kernels[i];
        const auto ruler = rulerOf(kernel, {});
        if (!ruler) continue;
        ++rulers;
        CAPTURE(kernel.name, ruler->name, ruler->gap);
        CHECK(ruler->factor >= 1);
        CHECK(ruler->rate == Approx(ruler->dot.rate.value * ruler->factor));
        if (kernel.verdict.utilisation.has() && kernel.verdict.limiter)
            CHECK(1 / ruler->factor ==
                  Approx(std::min(1.0, kernel.verdict.utilisation->value)).epsilon(0.15));
        RooflineOptions options;
        options.selected = i;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        REQUIRE(plot.ruler);
        CHECK(plot.ruler->kernel == i);
        CHECK(plot.ruler->to.y <= plot.ruler->from.y + 0.01);
        CHECK(plot.ruler->text.find(ruler->gap) != std::string::npos);
        // Its text overlaps neither dot names nor its own dot, even in a narrow window.
        for (const Language language : languages()) {
            for (const auto& [width, height] : {std::pair{960, 600}, {535, 435}, {365, 315}}) {
                options.language = language;
                options.width = width;
                options.height = height;
                CAPTURE(toString(language), width);
                const RooflinePlot named = layoutRoofline(analysis, options);
                if (!named.ruler) continue;
                const auto all = texts(named.shapes);
                const auto words = std::ranges::find(all, named.ruler->text, &TextShape::text);
                // Out of view, or no room for it.
                if (words == all.end()) continue;
                ++worded[width];
                const TurnedBox box = boxOf(*words);
                for (const TextShape& text : all)
                    if (text.kernel) CHECK_FALSE(overlap(box, boxOf(text)));
                CHECK_FALSE(overlap(box, named.ruler->from, 3));
            }
        }
    }
    CHECK(rulers >= 10);
    CHECK(worded[960] == 2 * rulers);
    CHECK(worded[535] >= 2 * rulers * 9 / 10);
    CHECK_FALSE(layoutRoofline(analysis, {}).ruler);
}

TEST_CASE("among dots, too, roofs that are seen have names") {
    // Dots all along two roofs that are too far apart for a common name.
    std::vector<RooflinePoint> points;
    for (int i = -20; i < 90; ++i)
        for (const double rate : {1.13e14, 0.88e14, 2.26e13, 1.77e13})
            points.push_back(point(std::pow(10, 2 + i * 0.03), rate));
    Analysis analysis = handMade(points);
    analysis.roofs.push_back({.kind = Roof::Kind::Compute,
                              .precision = Precision::Fp32,
                              .rate = 2e13,
                              .measured = true});
    const RooflineOptions options{
        .viewport = Viewport{.xMin = 1, .xMax = 4, .yMin = 12, .yMax = 15}, .labels = false};
    const RooflinePlot plot = layoutRoofline(analysis, options);
    REQUIRE(plot.dots.size() < RooflineScene::kCrowd);
    CHECK(isNamed(plot, "FP32 100 TFLOP/s"));
    CHECK(isNamed(plot, "FP32 20.0 TFLOP/s measured"));
    std::erase_if(analysis.roofs, [](const Roof& roof) { return !roof.measured; });
    CHECK(isNamed(layoutRoofline(analysis, options), "FP32 20.0 TFLOP/s measured"));
}

TEST_CASE("in a small plot, too, every roof has its name") {
    // Seven theoretical roofs of a machine without measured ones, that of TF32 among them.
    Analysis analysis = test::recorded("h200_torch_ranges");
    std::erase_if(analysis.roofs, [](const Roof& roof) { return roof.measured; });
    std::vector<std::string> names;
    for (const Roof& roof : analysis.roofs) {
        const bool memory = roof.kind == Roof::Kind::Bandwidth;
        if (memory && roof.level == Level::Shared) continue;
        names.push_back(memory ? std::string(toString(roof.level)) + " " +
                                     formatNumber(roof.rate, Unit::BytesPerSecond)
                               : std::string(toString(roof.precision)) + " " +
                                     formatNumber(roof.rate, Unit::FlopsPerSecond));
    }
    REQUIRE(names.size() == 7);
    RooflineOptions options;
    options.levels = {{true, true, true, false}};
    for (double width = 427; width <= 700; width += 7)
        for (double height = 400; height <= 600; height += 20) {
            options.width = width;
            options.height = height;
            const RooflinePlot plot = layoutRoofline(analysis, options);
            CAPTURE(width, height);
            for (const std::string& name : names) CHECK(isNamed(plot, name));
        }
}

TEST_CASE("in the smallest plot, too, no roof is without a name") {
    const auto roofsOf = [](const Analysis& analysis, const RooflineOptions& options,
                            const RooflinePlot& plot) {
        std::set<std::string> names;
        for (const RoofLine& line : roofLines(analysis, options, plot.viewport).lines) {
            const double log = std::log10(line.roof->rate);
            const Viewport& v = plot.viewport;
            if (line.roof->kind == Roof::Kind::Compute && log > v.yMin && log < v.yMax)
                names.insert(line.name);
        }
        return names;
    };
    for (const char* recording : {"h200_bundled", "h200_torch_tensor"})
        for (const Language language : languages())
            for (const auto& [width, height] : {std::pair{230.0, 182.0},
                                                {230.0, 120.0},
                                                {258.0, 190.0},
                                                {363.0, 315.0},
                                                {180.0, 400.0},
                                                {150.0, 110.0},
                                                {700.0, 130.0}}) {
                const Analysis& analysis = test::recorded(recording);
                RooflineOptions options;
                options.width = width;
                options.height = height;
                options.framed = false;
                options.language = language;
                options.levels = {{true, true, true, false}};
                const RooflinePlot plot = layoutRoofline(analysis, options);
                CAPTURE(recording, width, height);
                for (const std::string& name : roofsOf(analysis, options, plot)) {
                    CAPTURE(name);
                    CHECK((isNamed(plot, name) ||
                           std::ranges::any_of(texts(plot.shapes), [&](const TextShape& text) {
                               return text.text.starts_with(name + " ");
                           })));
                }
                // In the margin names are stacked and lie inside the picture.
                for (std::size_t i = 0; i < plot.marginNames.size(); ++i) {
                    const Rect& box = plot.marginNames[i].box;
                    CHECK(box.y >= 0);
                    CHECK(box.y + box.h <= height);
                    if (i > 0) {
                        const Rect& above = plot.marginNames[i - 1].box;
                        CHECK(above.y + above.h <= box.y + 0.01);
                    }
                }
            }
}

TEST_CASE("a small plot spends its height on the plot") {
    const Analysis& analysis = test::recorded("h200_bundled");
    const RooflineOptions options{.width = 230, .height = 182, .framed = false};
    const RooflinePlot plot = layoutRoofline(analysis, options);
    CHECK(plot.area.h > 110);
    CHECK(plot.marginNames.size() == 3);
    CHECK(hasText(plot.shapes, "FLOP/s"));  // the axes have units
    CHECK(hasText(plot.shapes, "FLOP/B"));
    for (const char* slope : {"DRAM", "L2", "L1"}) {  // in the legend, and along the line
        const auto all = texts(plot.shapes);
        CHECK(std::ranges::count(all, slope, &TextShape::text) == 2);
    }
}

TEST_CASE("a low plot has no notes in its legend, a narrow one short rates of measured roofs") {
    const Analysis analysis = test::recorded("h200_bundled");
    const std::string note = "dot area: share of GPU time";
    CHECK(hasText(layoutRoofline(analysis, {.width = 900, .height = 600}).shapes, note));
    const RooflinePlot small = layoutRoofline(analysis, {.width = 363, .height = 315});
    CHECK_FALSE(hasText(small.shapes, note));
    CHECK(hasText(small.shapes, "132 measured"));
    for (const TextShape& text : texts(small.shapes))
        if (text.at.x > small.area.x + small.area.w)
            CHECK(text.text.find("…") == std::string::npos);
}

TEST_CASE("a roof's name is short before it lies on dots") {
    // Dots along the DRAM roof leave room only for the short name.
    std::vector<RooflinePoint> points;
    for (const double intensity : {0.05, 0.09, 0.16, 0.9, 1.6, 2.9, 5.0, 9.0})
        points.push_back(point(intensity, 0.9e12 * intensity));
    Analysis analysis = handMade(points);
    for (KernelAnalysis& kernel : analysis.kernels)
        kernel.timeShare = Derived<Ratio>::of({0.002}, "");
    analysis.roofs.push_back(
        {.kind = Roof::Kind::Bandwidth, .level = Level::Dram, .rate = 9.8e11, .measured = true});
    for (const double width : {380.0, 480.0, 620.0}) {
        const RooflinePlot plot = layoutRoofline(analysis, {.width = width, .height = 420});
        CAPTURE(width);
        for (const TextShape& text : texts(plot.shapes)) {
            if (!text.text.starts_with("DRAM 1.00 TB/s")) continue;
            const TurnedBox box = boxOf(text);
            for (const PlacedDot& dot : plot.dots) {
                const double dx = dot.centre.x - box.centre.x, dy = dot.centre.y - box.centre.y;
                const double along = dx * std::cos(box.angle) + dy * std::sin(box.angle);
                const double across = -dx * std::sin(box.angle) + dy * std::cos(box.angle);
                CHECK((std::abs(along) >= box.halfWidth - 1 ||
                       std::abs(across) >= box.halfHeight - 1));
            }
        }
    }
}

TEST_CASE("types of tensor cores with one rate have one line and one name") {
    const Analysis& analysis = test::recorded("h200_torch_tensor");
    const RooflinePlot plot = layoutRoofline(analysis, {});
    const plot::RoofLines lines = plot::roofLines(analysis, {}, plot.viewport);
    std::vector<std::string> theoretical;
    for (const plot::RoofLine& line : lines.lines)
        if (!line.roof->measured && line.roof->precision.tensor())
            theoretical.push_back(line.label);
    CHECK(theoretical == std::vector<std::string>{
                             "FP64 tensor 65.0 TFLOP/s", "TF32 tensor 520 TFLOP/s",
                             "BF16, FP16 tensor 1.04 PFLOP/s", "FP8, INT8 tensor 2.08 POP/s"});
}

TEST_CASE("a kernel whose first dot has no room for its name has it at another") {
    const Analysis& analysis = test::recorded("h200_torch_tensor");
    RooflineOptions options;
    options.width = 1200;
    options.height = 800;
    std::set<std::size_t> named;
    for (const Shape& shape : layoutRoofline(analysis, options).shapes.free)
        if (const auto* text = std::get_if<TextShape>(&shape); text && text->kernel)
            named.insert(*text->kernel);
    CHECK(named.size() >= 4);  // of six, whose dots are a few pixels apart
}

TEST_CASE("the area of a dot follows its share of time") {
    Analysis analysis = handMade({point(1, 1e12), point(2, 1e12)});
    analysis.kernels[0].timeShare = Derived<Ratio>::of({0.8}, "");
    analysis.kernels[1].timeShare = Derived<Ratio>::of({0.2}, "");
    const RooflinePlot plot = layoutRoofline(analysis, {});
    REQUIRE(plot.dots.size() == 2);
    const double ratio = plot.dots[0].radius / plot.dots[1].radius;
    CHECK(ratio * ratio == Approx(4));
    // Every marker has the area of the circle of its radius (shoelace formula).
    for (const MarkerShape shape :
         {MarkerShape::Square, MarkerShape::Triangle, MarkerShape::Diamond}) {
        const auto corners =
            markerPolygon({.centre = {3, 4}, .radius = 5, .shape = shape, .role = Role::Dram});
        double twice = 0;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Point a = corners[i], b = corners[(i + 1) % corners.size()];
            twice += a.x * b.y - b.x * a.y;
        }
        CHECK(std::abs(twice) / 2 == Approx(M_PI * 25));
    }
}

TEST_CASE("the nearest dot is hit, within its reach") {
    const RooflinePlot plot = layoutRoofline(handMade({point(1, 1e12), point(1.3, 1e12)}), {});
    REQUIRE(plot.dots.size() == 2);
    const PlacedDot& first = plot.dots[0];
    const auto hit = plot.hitTest({first.centre.x - 1, first.centre.y});
    REQUIRE(hit.has_value());
    CHECK(plot.dots[*hit].kernel == first.kernel);
    CHECK_FALSE(plot.hitTest({first.centre.x, first.centre.y - first.radius - 4}).has_value());
    CHECK(plot.hitTest({first.centre.x, first.centre.y - first.radius - 2}).has_value());
    CHECK_FALSE(plot.hitTest({-5, -5}, 1e9).has_value());
}

TEST_CASE("kernels without operations are counted in words, never drawn at zero") {
    Analysis analysis = handMade({point(1, 1e12), point(0, 1e12), point(1, 0)});
    for (int i = 0; i < 3; ++i) {
        KernelAnalysis copy;
        copy.name = "copy";
        for (const Precision precision : kPrecisions)
            copy.quantities.flops[precision] = Derived<Flops>::of({0}, "");
        analysis.kernels.push_back(copy);
    }
    RooflinePlot plot = layoutRoofline(analysis, {});
    CHECK(plot.dots.size() == 1);
    CHECK(hasText(plot.shapes, "3 kernels without floating-point operations are not shown"));
    // A kernel without counters is not one "without operations".
    KernelAnalysis blind;
    blind.quantities.flops[Precision::Fp32] = Derived<Flops>::absent("counter");
    analysis.kernels = {blind};
    plot = layoutRoofline(analysis, {});
    CHECK(hasText(plot.shapes, "1 kernel with counters missing is not shown"));
    CHECK(hasText(plot.shapes, "No kernel with counted floating-point operations"));
}

TEST_CASE("a window says title and notes itself, and gives their room to the plot") {
    const Analysis& analysis = test::recorded("h200_bundled");
    const RooflinePlot file = layoutRoofline(analysis, {});
    const RooflinePlot window = layoutRoofline(analysis, {.framed = false});
    CHECK(hasText(file.shapes, file.title));
    CHECK_FALSE(hasText(window.shapes, window.title));
    CHECK(window.title == file.title);
    CHECK(window.area.y < file.area.y);
    CHECK(window.area.y + window.area.h > file.area.y + file.area.h);
}

TEST_CASE("labels overlap neither each other nor dots, and stay inside") {
    for (const std::size_t count : {5, 40, 3000}) {
        const RooflinePlot plot = layoutRoofline(test::analysisOf(test::manyKernels(count)), {});
        std::vector<TurnedBox> labels;
        for (const TextShape& text : texts(plot.shapes)) {
            const TurnedBox box = boxOf(text);
            CAPTURE(text.text, count);
            CHECK(inside(box, {0, 0, plot.shapes.width, plot.shapes.height}));
            for (const TurnedBox& other : labels) CHECK_FALSE(overlap(box, other));
            labels.push_back(box);
            if (text.text.find("attention") == std::string::npos) continue;
            CHECK(inside(box, plot.area));
            for (const PlacedDot& dot : plot.dots)
                if (count < 100) CHECK_FALSE(overlap(box, dot.centre, dot.radius - 1));
        }
        const auto all = texts(plot.shapes);
        const auto named = std::count_if(all.begin(), all.end(), [](const TextShape& text) {
            return text.text.find("attention") != std::string::npos;
        });
        if (count == 5) CHECK(named == 5);
        if (count == 40) CHECK(named >= 15);
        if (count == 3000) CHECK((named >= 1 && named <= 14));
        // All roofs still have names.
        for (const char* name : {"DRAM 4.81 TB/s", "FP32 59.3 TFLOP/s", "FP64 29.7 TFLOP/s"})
            CHECK(isNamed(plot, name));
    }
}

TEST_CASE("the same input gives the same picture") {
    const Analysis analysis = test::analysisOf(test::manyKernels(40));
    const auto svg = [&] { return toSvg(layoutRoofline(analysis, {}).shapes, Theme::Light, "t"); };
    CHECK(svg() == svg());
}

TEST_CASE("odd sizes and views end in a picture") {
    const Analysis analysis = test::analysisOf(test::manyKernels(10));
    for (const double size : {0.0, 1.0, 150.0, 1e5}) {
        RooflineOptions options;
        options.width = size;
        options.height = size;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        CHECK(plot.area.w > 0);
        CHECK(plot.area.h > 0);
    }
    for (const Viewport& view :
         {Viewport{1, 1, 2, 2}, Viewport{3, -2, 15, 9}, Viewport{NAN, 1, 2, 3},
          Viewport{-300, 300, -300, 300}, Viewport{0, 1e-7, 12, 12 + 1e-7}}) {
        RooflineOptions options;
        options.viewport = view;
        const RooflinePlot plot = layoutRoofline(analysis, options);
        CHECK(toSvg(plot.shapes, Theme::Dark, "t").find("nan") == std::string::npos);
    }
    CHECK(layoutRoofline({}, {}).dots.empty());
}

TEST_CASE("ticks are round numbers at their logarithms") {
    const auto ticks = logTicks(-1.2, 2.2, 600, TickStyle::Plain);
    std::vector<std::string> labels;
    for (const Tick& tick : ticks) {
        if (tick.label.empty()) continue;
        labels.push_back(tick.label);
        CHECK(std::stod(tick.label) == Approx(std::pow(10, tick.log)));
    }
    CHECK(labels ==
          std::vector<std::string>{"0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"});
    std::vector<std::string> rates;
    for (const Tick& tick : logTicks(9.5, 14.2, 400, TickStyle::Si))
        if (!tick.label.empty()) rates.push_back(tick.label);
    CHECK(rates == std::vector<std::string>{"10 G", "100 G", "1 T", "10 T", "100 T"});
    // Also when zoomed to less than a decade.
    const auto close = logTicks(12.0, 12.1, 400, TickStyle::Si);
    CHECK(std::count_if(close.begin(), close.end(),
                        [](const Tick& t) { return !t.label.empty(); }) >= 3);
    CHECK(logTicks(2, 1, 100, TickStyle::Si).empty());
    CHECK(logTicks(-1e6, 1e6, 100, TickStyle::Si).size() < 500);
}

TEST_CASE("colours keep their contrast and differ in grey") {
    const auto luminance = [](const char* hex) {
        double sum = 0;
        const unsigned value = static_cast<unsigned>(std::stoul(hex + 1, nullptr, 16));
        const std::array weights{0.2126, 0.7152, 0.0722};
        for (int i = 0; i < 3; ++i) {
            const double c = (value >> (16 - 8 * i) & 255) / 255.0;
            sum += weights[static_cast<std::size_t>(i)] *
                   (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));  // WCAG 2.1
        }
        return sum;
    };
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        const double background = luminance(colour(Role::Background, theme));
        for (const Role role :
             {Role::Text, Role::TextMuted, Role::Dram, Role::L2, Role::L1, Role::Shared, Role::Fp64,
              Role::Fp32, Role::Fp16, Role::TensorFp64, Role::TensorTf32, Role::TensorBf16,
              Role::TensorFp16, Role::TensorFp8, Role::TensorInt8, Role::TensorFp4,
              Role::Highlight}) {
            const double light = luminance(colour(role, theme));
            const double contrast =
                (std::max(light, background) + 0.05) / (std::min(light, background) + 0.05);
            CAPTURE(colour(role, theme));
            CHECK(contrast >= 4.5);
            // An unselected dot is mixed with the background.
            const auto channel = [&](const char* hex, int shift) {
                return double(std::stoul(hex + 1, nullptr, 16) >> shift & 255);
            };
            char mixed[8];
            unsigned value = 0;
            for (const int shift : {16, 8, 0})
                value =
                    value << 8 | unsigned(0.72 * channel(colour(role, theme), shift) +
                                          0.28 * channel(colour(Role::Background, theme), shift));
            std::snprintf(mixed, sizeof mixed, "#%06x", value);
            const double faint = luminance(mixed);
            const bool isLevel = role >= Role::Dram && role <= Role::Shared;
            if (isLevel)
                CHECK((std::max(faint, background) + 0.05) / (std::min(faint, background) + 0.05) >=
                      3);
        }
        std::set<std::string> hues;
        for (const Role role : {Role::Dram, Role::L2, Role::L1, Role::Shared})
            hues.insert(colour(role, theme));
        CHECK(hues.size() == 4);
        const double dram = luminance(colour(Role::Dram, theme)),
                     l2 = luminance(colour(Role::L2, theme));
        CHECK(std::abs(dram - l2) > 0.05);
    }
}

TEST_CASE("arrows lead from the baseline's place to the kernel's, and can be hit") {
    const auto before =
        std::make_shared<const Analysis>(handMade({point(1, 1e11), point(10, 1e12)}));
    const Analysis after = handMade({point(1, 1e12), point(10, 1e12)});
    auto baseline = std::make_shared<ReportBaseline>();
    baseline->analysis = before;
    for (const std::size_t i : {0, 1}) {
        KernelComparison change;
        change.match = {.baseline = i, .candidate = i};
        change.duration.state =
            i == 0 ? DurationChange::State::Faster : DurationChange::State::WithinNoise;
        baseline->comparison.kernels.push_back(change);
    }
    RooflineOptions options;
    options.baseline = baseline;
    const RooflinePlot plot = layoutRoofline(after, options);
    REQUIRE(plot.arrows.size() == 2);
    const PlacedArrow& moved = plot.arrows[0];
    CHECK(moved.from.x == Approx(plot.toPixel({1}, {1e11}).x));
    CHECK(moved.from.y == Approx(plot.toPixel({1}, {1e11}).y));
    CHECK(moved.to.y == Approx(plot.toPixel({1}, {1e12}).y));
    // The old point is inside the picture although it has no dot.
    CHECK(moved.from.y < plot.area.y + plot.area.h);
    const Point middle{moved.from.x, (moved.from.y + moved.to.y) / 2};
    CHECK(plot.hitTestArrow(middle) == 0U);
    CHECK(plot.hitTestArrow({middle.x + 12, middle.y}) == std::nullopt);
    CHECK(plot.hitTestArrow(moved.from) == 0U);
    // A change within noise is not drawn in the level's colour.
    const auto lines = [&](Role role) {
        return std::count_if(plot.shapes.clipped.begin(), plot.shapes.clipped.end(),
                             [&](const Shape& shape) {
                                 const auto* marker = std::get_if<MarkerShapeItem>(&shape);
                                 return marker && marker->role == role && !marker->outlined;
                             });
    };
    CHECK(lines(Role::TextMuted) == 1);
    CHECK(hasText(plot.shapes, "since the baseline"));
    options.levels[Level::Dram] = false;
    CHECK(layoutRoofline(after, options).arrows.empty());
    options.baseline.reset();
    CHECK_FALSE(hasText(layoutRoofline(after, options).shapes, "since the baseline"));
}

TEST_CASE("a box holds the kernels whose dots are in it, hidden ones, too") {
    // A thousand kernels at one point, drawn as one dot, and one kernel elsewhere.
    std::vector<RooflinePoint> points(1000, point(1, 1e11));
    points.push_back(point(10, 1e12));
    const Analysis analysis = handMade(points);
    RooflineOptions options;
    options.labels = false;
    const RooflineScene scene = collectScene(analysis, options);
    const RooflinePlot plot = layoutRoofline(analysis, scene, options);
    CHECK(scene.dots.size() == 1001);
    CHECK(plot.dots.size() == 2);
    const Point spot = plot.toPixel({1}, {1e11}), other = plot.toPixel({10}, {1e12});
    const auto around = [](Point p) { return Rect{p.x - 3, p.y - 3, 6, 6}; };
    CHECK(plot.kernelsIn(scene, around(spot)).size() == 1000);
    CHECK(plot.kernelsIn(scene, around(other)) == std::vector<std::size_t>{1000});
    CHECK(plot.kernelsIn(scene, {spot.x + 20, spot.y - 300, 2, 2}).empty());
    // A selected kernel is drawn even if others cover it.
    options.selected = 500;
    const RooflinePlot selected = layoutRoofline(analysis, scene, options);
    CHECK(std::any_of(selected.dots.begin(), selected.dots.end(),
                      [](const PlacedDot& dot) { return dot.kernel == 500; }));
}

TEST_CASE("a precision that is switched off has neither roof nor dot") {
    Analysis analysis = handMade({point(1, 1e11), point(10, 1e12)});
    analysis.kernels[1].points[0].precision = Precision::Fp64;
    RooflineOptions options;
    options.precisions[Precision::Fp64] = false;
    const RooflinePlot plot = layoutRoofline(analysis, options);
    REQUIRE(plot.dots.size() == 1);
    CHECK(plot.dots[0].precision == Precision::Fp32);
    for (const TextShape& text : texts(plot.shapes)) CHECK(text.text.rfind("FP64", 0) != 0);
}

TEST_CASE("dots and roofs of tensor cores are named by their type, and can be switched off") {
    Analysis analysis = handMade({point(1, 1e11), point(100, 4e14)});
    analysis.kernels[1].points = {
        {.level = Level::Dram, .precision = TensorType::Int8, .intensity = {100}, .rate = {4e14}},
        point(10, 2e13)};
    analysis.roofs.push_back(
        {.kind = Roof::Kind::Compute, .precision = TensorType::Int8, .rate = 1e15});
    RooflineOptions options;
    const RooflinePlot plot = layoutRoofline(analysis, options);
    CHECK(plot.dots.size() == 3);
    CHECK(isNamed(plot, "INT8 tensor 1.00 POP/s"));  // integer operations, so not FLOP/s
    std::vector<std::string> tips;
    for (const Shape& shape : plot.shapes.clipped)
        if (const auto* marker = std::get_if<MarkerShapeItem>(&shape);
            marker && marker->kernel == 1)
            tips.push_back(marker->tip);
    REQUIRE(tips.size() == 2);
    CHECK(std::ranges::count(tips, "kernel1: DRAM, INT8 tensor, 400 TOP/s at 100 OP/B") == 1);
    CHECK(std::ranges::count(tips, "kernel1: DRAM, 20.0 TFLOP/s at 10 FLOP/B") == 1);
    // The name is at the dots of the busier pipe, which comes first.
    const auto texts = ::texts(plot.shapes);
    CHECK(std::ranges::count_if(texts, [](const TextShape& t) { return t.text == "kernel1"; }) ==
          1);

    options.language = test::kZh;
    CHECK(isNamed(layoutRoofline(analysis, options), "INT8 张量核心 1.00 POP/s"));

    options.tensorCores = false;
    const RooflinePlot without = layoutRoofline(analysis, options);
    CHECK(without.dots.size() == 2);
    for (const TextShape& text : ::texts(without.shapes)) CHECK(text.text.rfind("INT8", 0) != 0);
}

TEST_CASE("a kernel on tensor cores is left out only where its operations were not counted") {
    const auto notShown = [](bool counted) {
        Analysis analysis = handMade({point(1, 1e12)});
        KernelAnalysis product;
        product.quantities.tensorInstructions = Derived<Ratio>::of({0.9}, "");
        product.quantities.flops[Precision::Fp32] = Derived<Flops>::of({0}, "");
        product.quantities.flops[Precision::Fp64] = Derived<Flops>::of({0}, "");
        if (counted)  // operations but no traffic
            product.quantities.tensor.push_back({.operations = Derived<Flops>::of({1e9}, "")});
        analysis.kernels.push_back(product);
        return layoutRoofline(analysis, {}).description;
    };
    CHECK(notShown(false).find("on tensor cores, whose operations were not counted") !=
          std::string::npos);
    CHECK(notShown(true).find("1 kernel with counters missing is not shown") != std::string::npos);
}
