// SPDX-License-Identifier: Apache-2.0
// The whole window's time and memory for a recording of many launches:
//   build/bin/bench_window [LAUNCHES [KERNELS]]        (default: 100000 launches of 50 kernels)
// Measures from opening the file until everything is painted, then zooming and panning, with all
// panes. The offscreen platform paints in software. Nothing fails.
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>

#include "gui/app/main_window.h"
#include "gui/views/details/details_view.h"
#include "gui/views/plot/roofline_view.h"
#include "profile/codec/codec.h"
#include "tests/reports/profiles.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

double peakMegabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
    return 0;
}

/// Launches of a few kernels in turn, with start times.
Profile manyLaunches(std::size_t launches, std::size_t kernels) {
    Profile profile = test::manyKernels(kernels).build();
    const std::vector<Launch> pattern = profile.launches;
    const CounterTable counters = profile.counters;
    profile.launches.clear();
    double now = 0;
    for (std::size_t i = 0; i < launches; ++i) {
        Launch launch = pattern[i % pattern.size()];
        launch.start = Seconds{now};
        launch.duration = launch.duration.value_or(Seconds{20e-6});
        now += launch.duration->value + 2e-6;
        profile.launches.push_back(launch);
    }
    profile.counters = CounterTable(launches);
    for (const std::string& name : counters.names()) {
        std::vector<double> column(launches);
        for (std::size_t i = 0; i < launches; ++i)
            column[i] = counters.column(name)[i % pattern.size()];
        profile.counters.addColumn(name, std::move(column));
    }
    return profile;
}

struct Time {
    double wall = 0, processor = 0;  // ms
};

Time timed(const std::function<void()>& work) {
    QElapsedTimer wall;
    wall.start();
    const std::clock_t start = std::clock();
    work();
    return {double(wall.nsecsElapsed()) / 1e6,
            1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC};
}

void print(const char* what, const Time& time, double limit = 0) {
    std::printf("  %-30s %8.1f ms   %8.1f ms of the processor", what, time.wall, time.processor);
    if (limit > 0) std::printf("   limit %6.1f ms", limit);
    std::printf("\n");
    std::fflush(stdout);
}

void frames(gui::MainWindow& window) {
    std::vector<Time> times;
    gui::RooflineView& plot = window.views().roofline();
    for (int i = 0; i < 60; ++i)
        times.push_back(timed([&] {
            plot.zoomAt(QPointF(plot.width() * 0.4, plot.height() * 0.5), i < 30 ? 1.08 : 1 / 1.08);
            QCoreApplication::processEvents();
        }));
    std::sort(times.begin(), times.end(),
              [](const Time& a, const Time& b) { return a.processor < b.processor; });
    print("frame, median", times[times.size() / 2], 1000.0 / 60);
    print("frame, slowest", times.back(), 1000.0 / 60);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t launches = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100000;
    const std::size_t kernels = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 50;
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder.file("many.roofscope.json");
    // In a child process, so that its memory does not count.
    const pid_t writer = fork();
    if (writer == 0) _exit(writeProfile(manyLaunches(launches, kernels), path).ok() ? 0 : 1);
    int status = 1;
    if (writer < 0 || waitpid(writer, &status, 0) != writer || status != 0) return 1;
    std::printf("%zu launches of %zu kernels, %.1f MB\n", launches, kernels,
                double(std::filesystem::file_size(path)) / 1e6);

    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    gui::MainWindow window({.persistent = false, .theme = gui::ThemeChoice::Light});
    window.resize(1440, 900);
    window.show();
    QCoreApplication::processEvents();
    QSignalSpy finished(&window.documents().loader(), &gui::ProfileLoader::finished);
    double longest = 0;  // longest time without any response
    print("open, until all is painted", timed([&] {
              window.documents().open({QString::fromStdString(path.string())});
              while (finished.isEmpty()) {
                  const double step =
                      timed([] { QCoreApplication::processEvents(QEventLoop::AllEvents, 1); }).wall;
                  longest = std::max(longest, step);
                  usleep(1000);
              }
              longest = std::max(longest, timed([] { QCoreApplication::processEvents(); }).wall);
          }),
          2000);
    std::printf("  %-30s %8.1f ms\n", "of it without an answer", longest);
    if (!window.documents().document()) return 1;
    window.views().showOverview(false);
    QCoreApplication::processEvents();
    frames(window);
    for (const char* tab : {"counters", "launch", "source", "memory", "timeline", "ranges"})
        print(tab, timed([&] {
                  window.views().details().showTab(QLatin1String(tab));
                  QCoreApplication::processEvents();
              }));
    print("select another kernel", timed([&] {
              window.documents().selectKernel(kernels > 1 ? 1 : 0);
              QCoreApplication::processEvents();
          }));
    std::printf("  %-30s %8.0f MB   limit 500 MB\n", "peak of memory", peakMegabytes());
}
