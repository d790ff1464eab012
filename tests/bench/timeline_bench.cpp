// SPDX-License-Identifier: Apache-2.0
// The desktop program's times for a timeline of many launches:
//   build/bin/bench_timeline [LAUNCHES…]        (default: 1000 100000)
// Launches are on eight streams of one GPU. Each has a CPU call, and every tenth a copy before it.
// Times are CPU times; nothing fails.
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "analyzer/program/account/range_accounts.h"
#include "gui/views/timeline/timeline_view.h"
#include "tests/gui/timeline_sample.h"

using namespace roofscope;

namespace {

constexpr double kFrame = 1000.0 / 60;
constexpr std::uint32_t kStreams = 8;

/// CPU time, so that other programs do not count.
double milliseconds(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Accounts of a tenth of the recording, and of all of it.
void measureRanges(const std::shared_ptr<const Analysis>& analysis, Nanoseconds end) {
    std::optional<RangeAccounts> accounts;
    const double made = milliseconds([&] { accounts.emplace(analysis); });
    std::printf("  %-20s %9.1f ms\n", "accounts, once", made);
    for (const Nanoseconds part : {10, 1}) {
        const double took = milliseconds([&] { (void)accounts->of({end / 100, end / part}); });
        std::printf("  %-20s %9.1f ms   limit 100.0 ms\n",
                    part == 1 ? "range, all" : "range, a tenth", took);
    }
}

void measure(std::size_t launches) {
    std::printf("%zu launches\n", launches);
    test::SyntheticProfile p = test::launchesInARow(launches, 12, 3);
    roofscope::Timeline& beside = p.profile().timeline;
    beside.threads = {{.process = 0, .id = 1, .name = "main"}};
    beside.callNames = {{"cudaLaunchKernel", CallKind::Launch},
                        {"cudaStreamSynchronize", CallKind::Wait}};
    for (std::uint32_t i = 0; i < launches; ++i) {
        p.profile().launches[i].stream = i % kStreams;
        const Nanoseconds start = 15'000 * Nanoseconds(i);
        beside.calls.push_back(
            {.name = i % 50 == 0 ? 1U : 0U, .time = {start, start + 9'000}, .work = i});
        if (i % 10 == 0)
            beside.transfers.push_back(
                {.kind = i % 20 == 0 ? TransferKind::HostToDevice : TransferKind::DeviceToHost,
                 .bytes = 4096,
                 .time = {start + 1'000, start + 3'000}});
    }
    const auto analysis = test::shared(p);
    gui::Timeline timeline;
    const double build = milliseconds([&] { timeline = gui::buildTimeline(*analysis); });
    std::printf("  %-20s %9.1f ms\n", "build", build);
    gui::TimelineView view;
    view.resize(1600, 300);
    view.setTimeline(analysis, std::move(timeline));
    view.setSelection(gui::KernelSelection::of(0));
    view.show();
    std::vector<double> frames;
    for (int frame = 0; frame < 60; ++frame) {
        view.zoomAt(500 + 5 * frame, 1.15);
        frames.push_back(milliseconds([&] { (void)view.grab(); }));
    }
    std::sort(frames.begin(), frames.end());
    std::printf("  %-20s %9.1f ms   limit %.1f ms\n", "frame, median", frames[30], kFrame);
    std::printf("  %-20s %9.1f ms\n", "frame, slowest", frames.back());
    measureRanges(analysis, 15'000 * Nanoseconds(launches));
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    for (int i = 1; i < argc; ++i) measure(std::strtoul(argv[i], nullptr, 10));
    if (argc == 1)
        for (const std::size_t launches : {1000, 100000}) measure(launches);
}
