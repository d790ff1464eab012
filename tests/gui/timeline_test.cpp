// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline/timeline.h"

#include <algorithm>

#include "gui/models/text/number_text.h"
#include "tests/gui/sample.h"
#include "tests/gui/timeline_sample.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

double busyTime(const std::vector<TimelinePiece>& pieces) {
    double sum = 0;
    for (const TimelinePiece& piece : pieces) sum += (piece.right - piece.left) * piece.busy;
    return sum;
}

QString gapTip(const Analysis& analysis, const gui::Timeline& timeline,
               const gui::Timeline::Row& row, double time) {
    return timelineGapTooltip(analysis, timeline, row, time, nullptr);
}

}  // namespace

TEST_CASE("a timeline has a row per device, process and stream") {
    SyntheticProfile p;
    const auto kernel = p.kernel("k(float*)");
    const auto other = p.addDevice(SyntheticProfile::h200());
    const auto launch = [&](std::uint32_t stream, std::uint32_t device, double startUs) {
        p.launch(kernel, {64, 1, 1}, {64, 1, 1})
            .stream(stream)
            .device(device)
            .durationUs(10)
            .launch()
            .start = Seconds{startUs * 1e-6};
    };
    launch(1, 0, 20);
    launch(0, 0, 0);
    launch(0, other, 5);
    launch(1, 0, 40);
    const gui::Timeline timeline = buildTimeline(*shared(p));
    REQUIRE(timeline.rows.size() == 3);
    CHECK(timeline.rows[0].name == "GPU 0 · stream 0");
    CHECK(timeline.rows[1].name == "GPU 0 · stream 1");
    CHECK(timeline.rows[2].name == "GPU 1 · stream 0");
    CHECK(timeline.rows[1].bars.size() == 2);
    CHECK(timeline.rows[1].bars[0].start == Approx(20e-6));
    CHECK(timeline.begin == 0);
    CHECK(timeline.end == Approx(50e-6));
    CHECK(timeline.notPlaced == 0);
    CHECK_FALSE(timeline.severalProcesses);
    CHECK(timelineNote(timeline).isEmpty());
}

TEST_CASE("launches without start or duration are not placed, and counted") {
    SyntheticProfile p = launchesInARow(10, 5, 5);
    p.profile().launches[3].start.reset();
    p.profile().launches[4].duration.reset();
    const gui::Timeline timeline = buildTimeline(*shared(p));
    CHECK(timeline.rows[0].bars.size() == 8);
    CHECK(timeline.notPlaced == 2);
    CHECK(timelineNote(timeline).contains("2"));
}

TEST_CASE("processes have rows of their own, and a word about their clocks") {
    SyntheticProfile p = launchesInARow(4, 5, 5);
    Process second = p.profile().processes[0];
    second.host = "node\033[31m7";
    second.rank = 1;
    p.profile().processes.push_back(second);
    p.profile().launches[3].process = 1;
    const gui::Timeline timeline = buildTimeline(*shared(p));
    REQUIRE(timeline.rows.size() == 2);
    CHECK(timeline.rows[1].name.contains("rank 1 on node7"));
    CHECK(timelineNote(timeline).contains("own recording"));
}

TEST_CASE("without starts it says what to record") {
    SyntheticProfile p = launchesInARow(4, 5, 5);
    for (Launch& launch : p.profile().launches) launch.start.reset();
    auto analysis = shared(p);
    CHECK(buildTimeline(*analysis).empty());
    CHECK(noTimelineText(*analysis).contains("has no start times"));
    for (Launch& launch : p.profile().launches) launch.duration.reset();
    analysis = shared(p);
    CHECK(noTimelineText(*analysis).contains("no timing run"));
    CHECK(noTimelineText(*analysis).contains("roofscope record"));
}

TEST_CASE("wide launches are drawn alone, and gaps between them stay free") {
    const auto analysis = shared(launchesInARow(10, 8, 2));
    const gui::Timeline timeline = buildTimeline(*analysis);
    const auto pieces = layoutTimelineRow(timeline.rows[0], 0, 100e-6, 1000, {});
    REQUIRE(pieces.size() == 10);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        CHECK(pieces[i].bar == i);
        CHECK(pieces[i].left == Approx(100.0 * double(i)).margin(1e-6));
        CHECK(pieces[i].right == Approx(100.0 * double(i) + 80));
    }
    // Only launches within the span.
    CHECK(layoutTimelineRow(timeline.rows[0], 31e-6, 39e-6, 1000, {}).size() == 1);
    CHECK(layoutTimelineRow(timeline.rows[0], 38.5e-6, 39.5e-6, 1000, {}).empty());
}

TEST_CASE("many launches on a pixel are one piece as busy as they are") {
    const auto analysis = shared(launchesInARow(20000, 1, 3));
    const gui::Timeline timeline = buildTimeline(*analysis);
    const auto pieces = layoutTimelineRow(timeline.rows[0], timeline.begin, timeline.end, 500, {});
    CHECK(pieces.size() <= 500);
    CHECK(busyTime(pieces) / 500 == Approx(0.25).margin(0.13));  // in steps of 1/8
    for (const TimelinePiece& piece : pieces) CHECK_FALSE(piece.bar);

    // One short launch in a long pause is visible, and so is its selection.
    const auto few = shared(launchesInARow(3, 1, 1e6));
    const gui::Timeline sparse = buildTimeline(*few);
    const auto dots = layoutTimelineRow(sparse.rows[0], -1, 3, 400, {false, true});
    CHECK(dots.size() == 3);
    CHECK(std::count_if(dots.begin(), dots.end(), [](const auto& p) { return p.selected; }) >= 1);
    CHECK(std::count_if(dots.begin(), dots.end(), [](const auto& p) { return !p.selected; }) >= 1);
}

TEST_CASE("a long launch below many short ones is found and drawn") {
    SyntheticProfile p = launchesInARow(1000, 1, 1);
    p.launch(p.kernel("long(float*)"), {8, 1, 1}, {64, 1, 1}).durationUs(5000).launch().start =
        Seconds{0};
    const auto analysis = shared(p);
    const gui::Timeline timeline = buildTimeline(*analysis);
    const gui::Timeline::Row& row = timeline.rows[0];
    const auto hit = hitTimelineRow(row, 3e-3, 1e-6);
    REQUIRE(hit);
    CHECK(row.bars[hit->bar].end == Approx(5e-3));
    CHECK(layoutTimelineRow(row, 3e-3, 4e-3, 100, {}).size() == 1);
}

TEST_CASE("a pixel hits the launch that runs there, else the nearest, and counts the others") {
    const gui::Timeline timeline = buildTimeline(*shared(launchesInARow(10, 5, 5)));
    const gui::Timeline::Row& row = timeline.rows[0];
    CHECK(hitTimelineRow(row, 22e-6, 0)->bar == 2);
    CHECK_FALSE(hitTimelineRow(row, 27e-6, 1e-6));
    CHECK(hitTimelineRow(row, 26e-6, 2e-6)->bar == 2);
    CHECK(hitTimelineRow(row, 29e-6, 2e-6)->bar == 3);
    const auto all = hitTimelineRow(row, 50e-6, 1);
    REQUIRE(all);
    CHECK(all->others == 9);
    CHECK(timelineGap(row, 27e-6) == TimeSpan{25'000, 30'000});
    for (const double nowhere : {22e-6, -1.0, 1.0}) CHECK_FALSE(timelineGap(row, nowhere));
}

TEST_CASE("tick labels are distinct round numbers in one unit") {
    const auto wide = timelineTicks(0, 0.01, 900);
    REQUIRE(wide.times.size() >= 5);
    CHECK(wide.labels[0] == "0 ms");
    CHECK(wide.labels[1] == "1 ms");
    const auto deep = timelineTicks(1.234567, 1.234568, 900);
    REQUIRE(deep.labels.size() > 2);
    CHECK(deep.labels[0] != deep.labels[1]);
    CHECK(deep.labels[0].endsWith(" s"));
    CHECK(timelineTicks(0, 0, 900).times.empty());
    CHECK(timelineTicks(0, 1, 0).times.empty());
    CHECK(timelineTicks(1e17, 1e17 + 64, 900).times.size() <= 1001);
}

TEST_CASE("hover text escapes what the program named") {
    SyntheticProfile p;
    p.launch(p.kernel("<b>k</b>(float*)"), {64, 1, 1}, {64, 1, 1}).durationUs(10).launch().start =
        Seconds{0};
    const auto analysis = shared(p);
    const gui::Timeline timeline = buildTimeline(*analysis);
    const QString html = timelineTooltip(*analysis, timeline.rows[0], {.bar = 0, .others = 3});
    CHECK_FALSE(html.contains("<b>k</b>"));
    CHECK(html.contains(gui::text(Seconds{1e-5})));
    CHECK(html.contains("3"));
}

namespace {

/// The row with that name; fails the test if there is none.
const gui::Timeline::Row& rowNamed(const gui::Timeline& timeline, const QString& name) {
    const auto found = std::ranges::find(timeline.rows, name, &gui::Timeline::Row::name);
    INFO(name.toStdString());
    REQUIRE(found != timeline.rows.end());
    return *found;
}

}  // namespace

TEST_CASE("copies and calls of the CPU lie on the clock of the launches") {
    Profile profile = programProfile();
    profile.timeline.threads[0].name = "main\033[31m";
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
    const gui::Timeline timeline = buildTimeline(*analysis);
    QStringList names;
    for (const auto& row : timeline.rows) names << row.name;
    CHECK(names == QStringList{"GPU 0 · NVTX", "GPU 0 · stream 0", "GPU 0 · copies to the GPU",
                               "GPU 0 · copies to the host", "GPU 0 · copies on the GPU, memsets",
                               "CPU · main · NVTX", "CPU · main"});
    const auto& kernels = rowNamed(timeline, "GPU 0 · stream 0");
    const auto& copies = rowNamed(timeline, "GPU 0 · copies to the GPU");
    const auto& calls = rowNamed(timeline, "CPU · main");
    CHECK(kernels.bars.size() == 6 * 21 + 1);
    CHECK(copies.bars.size() == 6);
    CHECK(calls.bars.size() == analysis->profile->timeline.calls.size());
    // A step's copy ends before its product starts, and the CPU waits for the last kernel's end.
    const auto& gemm = kernels.bars[1];
    CHECK(copies.bars[0].end <= gemm.start);
    CHECK(copies.bars[0].end - copies.bars[0].start == Approx(20e-3));
    const auto waits = std::ranges::find_if(calls.bars, [&](const auto& bar) {
        return bar.tone == TimelineTone::WaitCall && bar.end > gemm.end;
    });
    REQUIRE(waits != calls.bars.end());
    CHECK(waits->end == Approx(kernels.bars[21].end + 3e-6));
    CHECK(timeline.begin < 0);  // the first call is before the first launch starts
}

TEST_CASE("NVTX ranges have a row with both ends, and one for the time of their GPU work") {
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(programProfile())));
    const gui::Timeline timeline = buildTimeline(*analysis);
    const auto& pushed = rowNamed(timeline, "CPU · main · NVTX");
    const auto& onGpu = rowNamed(timeline, "GPU 0 · NVTX");
    const auto& to = rowNamed(timeline, "GPU 0 · copies to the GPU");
    const auto& back = rowNamed(timeline, "GPU 0 · copies to the host");
    REQUIRE(pushed.bars.size() == 6);
    REQUIRE(onGpu.bars.size() == 6);
    const RangeSpan& first = analysis->profile->timeline.ranges[pushed.bars[0].item];
    CHECK(pushed.bars[0].start == Approx(double(first.time.start) / 1e9));
    CHECK(pushed.bars[0].end == Approx(double(first.time.end) / 1e9));
    // On the GPU: from the step's first copy to its last.
    CHECK(onGpu.bars[0].start == Approx(to.bars[0].start));
    CHECK(onGpu.bars[0].end == Approx(back.bars[0].end));
    CHECK(timelineBarText(*analysis, pushed, pushed.bars[0]) == "step");
    const QString html = timelineTooltip(*analysis, onGpu, {.bar = 0, .others = 0});
    CHECK(html.contains(gui::text(Seconds{double(first.time.length()) / 1e9})));
    CHECK(html.contains(gui::text(Seconds{double(first.gpu->length()) / 1e9})));
    CHECK(html.contains("Push to pop"));
    const double pause = (onGpu.bars[0].end + onGpu.bars[1].start) / 2;
    CHECK(gapTip(*analysis, timeline, onGpu, pause).contains("No GPU work of a range"));
}

TEST_CASE("nested ranges have a row per level, and those that are too deep are counted") {
    SyntheticProgram p;
    for (int i = 0; i < 2; ++i) {
        for (const char* name : {"step", "forward", "layer", "linear", "gemm > <b>"}) p.push(name);
        p.launch("gemm", 100).sync();
        for (int k = 0; k < 5; ++k) p.pop();
    }
    Profile profile = p.build();
    // An overlapping range that is not inside another: it must not be drawn over.
    RangeSpan beside = profile.timeline.ranges.back();
    beside.time.start += 1;
    beside.time.end += 1;
    beside.gpu.reset();
    profile.timeline.ranges.push_back(beside);
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
    const gui::Timeline timeline = buildTimeline(*analysis);
    for (const char* level : {"", " 2", " 3", " 4"}) {
        const QString end = QStringLiteral("NVTX") + QLatin1String(level);
        const auto& row = rowNamed(timeline, QStringLiteral("CPU · main · ") + end);
        CHECK(row.bars.size() == 2);
        CHECK(row.bars[0].end <= row.bars[1].start);
    }
    for (const char* name : {"GPU 0 · NVTX", "GPU 0 · NVTX 2"})
        CHECK(rowNamed(timeline, QString::fromUtf8(name)).bars.size() == 2);
    CHECK(std::ranges::count(timeline.rows, gui::Timeline::RowKind::RangesOnGpu,
                             &gui::Timeline::Row::kind) == 2);
    const auto& third = rowNamed(timeline, "CPU · main · NVTX 3");
    CHECK(timelineBarText(*analysis, third, third.bars[0]) == "layer");
    CHECK(timeline.tooDeep == 3);
    CHECK(timelineNote(timeline).contains("3"));
}

TEST_CASE("threads of one name are told apart, and their ranges share the GPU's rows") {
    Profile profile = programProfile();
    Thread second = profile.timeline.threads[0];
    second.id = 77;
    profile.timeline.threads.push_back(second);
    const std::vector<RangeSpan> ranges = profile.timeline.ranges;
    for (RangeSpan range : ranges) {
        range.thread = 1;
        profile.timeline.ranges.push_back(range);
    }
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
    const gui::Timeline timeline = buildTimeline(*analysis);
    CHECK(rowNamed(timeline, "CPU · main 1 · NVTX").bars.size() == 6);
    CHECK(rowNamed(timeline, "CPU · main 77 · NVTX").bars.size() == 6);
    CHECK(rowNamed(timeline, "GPU 0 · NVTX").bars.size() == 6);
    CHECK(rowNamed(timeline, "GPU 0 · NVTX 2").bars.size() == 6);
}

TEST_CASE("hover text says what was copied, what was called, and what a gap lacks") {
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(programProfile())));
    const gui::Timeline timeline = buildTimeline(*analysis);
    const auto& copies = rowNamed(timeline, "GPU 0 · copies to the GPU");
    const auto& sets = rowNamed(timeline, "GPU 0 · copies on the GPU, memsets");
    const QString copy = timelineTooltip(*analysis, copies, {.bar = 0, .others = 0});
    CHECK(copy.contains("copy from pageable host memory to GPU memory"));
    CHECK(copy.contains(gui::text(Bytes{64e6})));
    CHECK(copy.contains(gui::text(BytesPerSecond{3.2e9})));
    CHECK(timelineTooltip(*analysis, sets, {.bar = 0, .others = 0}).contains("memset"));
    const auto& calls = timeline.rows.back();
    const QString launch = timelineTooltip(*analysis, calls, {.bar = 0, .others = 0});
    CHECK(launch.contains("cudaLaunchKernel"));
    CHECK(launch.contains("CPU launches"));
    CHECK(launch.contains("init"));
    const double pause = (copies.bars[0].end + copies.bars[1].start) / 2;
    CHECK(gapTip(*analysis, timeline, copies, pause).contains("No copy of this kind"));
    CHECK(timelineBarText(*analysis, copies, copies.bars[0]) == gui::text(Bytes{64e6}));
}

TEST_CASE("samples of a thread have a row below its calls, a bar for each stay in a function") {
    Profile profile = programProfile();
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 1'000'000;
    samples.frames = {
        {.function = "augment", .file = "/home/a/train.py", .line = 12},
        {.function = "main", .file = "/home/a/train.py", .line = 40},
        {.module = "/usr/lib/libc.so.6", .offset = 1, .function = "read"},
    };
    samples.stacks = {{0, 1}, {2, 1}, {}};
    const auto add = [&](Nanoseconds time, std::uint32_t stack, CpuWait wait = CpuWait::None) {
        samples.samples.push_back({.time = time, .thread = 0, .stack = stack, .wait = wait});
    };
    add(2'000'000, 0);
    add(1'000'000, 0);  // in no particular order
    add(3'000'000, 1, CpuWait::Read);
    add(20'000'000, 2);  // nothing was sampled for a while
    const auto analysis = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
    const gui::Timeline timeline = buildTimeline(*analysis);
    const auto& row = rowNamed(timeline, "CPU · main · samples");
    CHECK(&row == &timeline.rows.back());
    REQUIRE(row.bars.size() == 3);
    CHECK(row.bars[0].start == 1e-3);
    CHECK(row.bars[0].end == 3e-3);
    CHECK(row.bars[0].tone == TimelineTone::Runs);
    CHECK(timelineBarText(*analysis, row, row.bars[0]) == "augment");
    const QString runs = timelineTooltip(*analysis, row, {.bar = 0, .others = 0});
    CHECK(runs.contains("train.py:12"));
    CHECK(runs.contains("augment (train.py:12) ← main (train.py:40)"));
    CHECK(row.bars[1].tone == TimelineTone::WaitsInOs);
    CHECK(row.bars[1].end == 6e-3);  // no longer than three periods
    const QString waits = timelineTooltip(*analysis, row, {.bar = 1, .others = 0});
    CHECK(waits.contains("read"));
    CHECK(waits.contains("waits for data to read"));
    CHECK(gapTip(*analysis, timeline, row, 10e-3).contains("No sample of this thread"));
    CHECK(timelineBarText(*analysis, row, row.bars[2]) == "unknown function");
}

TEST_CASE("labels of ticks are not cut at the edge, and do not touch") {
    const auto places = placeTickLabels({10, 100, 190, 200}, {40, 40, 40, 40}, 0, 200);
    REQUIRE(places.size() == 4);
    CHECK(places[0] == 0.0);  // moved to the right
    CHECK(places[1] == 80.0);
    CHECK(places[2] == 160.0);  // moved to the left
    CHECK_FALSE(places[3]);
    CHECK_FALSE(placeTickLabels({10}, {300}, 0, 200)[0]);
}
