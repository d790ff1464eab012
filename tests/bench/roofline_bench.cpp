// SPDX-License-Identifier: Apache-2.0
// The desktop program's times for large profiles:
//   build/bin/bench_roofline [KERNELS…]        (default: 1000 20000 100000)
// Every kernel has one launch and three points. Times are CPU times; nothing fails.
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "analyzer/compare/comparison.h"
#include "gui/views/plot/viewport_math.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "reports/plot/roofline_layout.h"
#include "tests/reports/profiles.h"

using namespace roofscope;

namespace {

constexpr double kFrame = 1000.0 / 60;

/// CPU time, so that other programs do not count.
double milliseconds(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void print(const char* what, double time, double limit = 0) {
    if (limit > 0)
        std::printf("  %-34s %9.1f ms   limit %6.1f ms   %5.2f of it\n", what, time, limit,
                    time / limit);
    else
        std::printf("  %-34s %9.1f ms\n", what, time);
    std::fflush(stdout);
}

void measure(std::size_t kernels) {
    std::printf("%zu kernels\n", kernels);
    auto profile = std::make_shared<const Profile>(test::manyKernels(kernels).build());
    Analysis analysis;
    print("analyse", milliseconds([&] { analysis = analyze(profile); }));
    if (kernels <= 1000)
        print("compare with itself", milliseconds([&] {
                  const auto matching = matchKernels(analysis, analysis);
                  (void)compareProfiles(analysis, analysis, matching);
              }));
    plot::RooflineOptions options;
    options.width = 900;
    options.height = 650;
    options.tips = false;
    plot::RooflineScene scene;
    print("collect the scene",
          milliseconds([&] { scene = plot::collectScene(analysis, options); }));
    QImage image(900, 650, QImage::Format_RGB32);
    std::vector<double> layouts, paints, frames;
    std::size_t most = 0;
    for (int frame = 0; frame < 60; ++frame) {
        // Zooms in to a tenth of the width, and pans at each zoom.
        const plot::Viewport view = gui::panned(
            gui::zoomed(scene.fitted, 0.5, 0.6, std::pow(10.0, frame / 60.0)), 0.01 * frame, 0);
        options.viewport = frame == 0 ? scene.fitted : view;
        plot::RooflinePlot plot;
        layouts.push_back(
            milliseconds([&] { plot = plot::layoutRoofline(analysis, scene, options); }));
        paints.push_back(milliseconds([&] {
            image.fill(Qt::white);
            QPainter painter(&image);
            gui::paint(painter, plot.shapes, plot::Theme::Light);
        }));
        frames.push_back(layouts.back() + paints.back());
        most = std::max(most, plot.dots.size());
    }
    print("layout of a frame", median(layouts));
    print("painting of a frame", median(paints));
    print("frame, median", median(frames), kFrame);
    // The first frame loads fonts, draws each kind of marker, and shows everything for the first
    // time.
    print("frame, the first", frames.front());
    print("frame, slowest of the others", *std::max_element(frames.begin() + 1, frames.end()),
          kFrame);
    std::printf("  %-34s %9zu of %zu\n", "dots drawn at most", most, scene.dots.size());
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    for (int i = 1; i < argc; ++i) measure(std::strtoul(argv[i], nullptr, 10));
    if (argc == 1)
        for (const std::size_t kernels : {1000, 20000, 100000}) measure(kernels);
}
