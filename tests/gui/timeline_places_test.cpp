// SPDX-License-Identifier: Apache-2.0
// Where things are in a timeline, and what is told of a launch, a gap and a range.
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/models/timeline/launch_facts.h"
#include "gui/models/timeline/shown_range.h"
#include "gui/models/timeline/timeline_rows.h"
#include "gui/models/timeline/timeline_zoom.h"
#include "tests/gui/sample.h"
#include "tests/gui/timeline_sample.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// The program of sample.h with its timeline.
struct ProgramTimeline {
    std::shared_ptr<const Analysis> analysis;
    Program program;
    gui::Timeline timeline;

    explicit ProgramTimeline(Profile profile = programProfile())
        : analysis(std::make_shared<const Analysis>(
              analyze(std::make_shared<const Profile>(std::move(profile))))),
          program(analyzeProgram(*analysis)),
          timeline(buildTimeline(*analysis, &program)) {}
    [[nodiscard]] const Profile& profile() const { return *analysis->profile; }
    const gui::Timeline::Row& row(gui::Timeline::RowKind kind) {
        const auto found = std::ranges::find(timeline.rows, kind, &gui::Timeline::Row::kind);
        REQUIRE(found != timeline.rows.end());
        return *found;
    }
    /// The launch of a kernel, counted from 0.
    std::uint32_t launch(const char* kernel, std::size_t number) {
        const auto& group = analysis->kernels[kernelNamed(*analysis, kernel)].group;
        REQUIRE(number < group.launches.size());
        return group.launches[number];
    }
};

QString factOf(const LaunchFacts& facts, const QString& label) {
    for (const auto& [name, value] : facts.facts)
        if (name == label) return value;
    return {};
}

}  // namespace

TEST_CASE("a launch is found in the timeline, and its neighbours of the same kernel") {
    ProgramTimeline f;
    const std::uint32_t third = f.launch("gemm", 2);
    const auto place = placeOfLaunch(f.profile(), f.timeline, third);
    REQUIRE(place);
    const gui::Timeline::Row& row = f.timeline.rows[place->row];
    CHECK(row.kind == gui::Timeline::RowKind::Kernels);
    CHECK(row.bars[place->bar].item == third);
    CHECK_FALSE(placeOfLaunch(f.profile(), f.timeline, 100'000));

    const std::size_t gemm = kernelNamed(*f.analysis, "gemm");
    const double start = f.profile().launches[third].start->value;
    CHECK(launchBeside(*f.analysis, gemm, start, 1) == f.launch("gemm", 3));
    CHECK(launchBeside(*f.analysis, gemm, start, -1) == f.launch("gemm", 1));
    CHECK_FALSE(launchBeside(*f.analysis, gemm, 1e9, 1));
    CHECK_FALSE(launchBeside(*f.analysis, gemm, -1e9, -1));
}

TEST_CASE("repeats have numbers, and a span says in which it lies") {
    ProgramTimeline f;
    const auto& repeats = f.timeline.repeats;
    REQUIRE(repeats.size() >= 4);
    CHECK(repeats == f.program.lanes[0].occurrences);
    const QString all = QString::number(repeats.size());
    CHECK(repeatText(f.timeline, repeats[1]) == "repeat 2 of " + all);
    CHECK(repeatText(f.timeline, {repeats[1].start + 5, repeats[3].end - 5}) ==
          "repeats 2 to 4 of " + all);
    CHECK(repeatText(f.timeline, {repeats.back().end, repeats.back().end + 9}).isEmpty());
    CHECK(repeatAt(f.timeline, repeats[2].start) == 2U);
    CHECK(repeatAt(f.timeline, repeats[2].start - 1) == 1U);
    CHECK_FALSE(repeatAt(f.timeline, repeats[0].start - 1));
    CHECK(buildTimeline(*f.analysis).repeats.empty());
}

TEST_CASE("a launch tells its shape, its start with all digits and how long it was queued") {
    ProgramTimeline f;
    const std::uint32_t launch = f.launch("gemm", 2);
    const std::size_t kernel = kernelNamed(*f.analysis, "gemm");
    const LaunchFacts facts = launchFacts(*f.analysis, f.timeline, launch, kernel);
    CHECK(facts.place.contains("launch 3 of 6"));
    CHECK(facts.place.contains("repeat "));
    const Launch& of = f.profile().launches[launch];
    const auto start = static_cast<Nanoseconds>(of.start->value * 1e9 + 0.5);
    CHECK(factOf(facts, "Start") == QStringLiteral("0.%1 s").arg(start, 9, 10, QLatin1Char('0')));
    CHECK(factOf(facts, "Duration") == gui::text(Seconds{4e-3}));
    CHECK(factOf(facts, "Grid") == gui::text(of.grid));
    CHECK(factOf(facts, "Block") == gui::text(of.block));
    CHECK(factOf(facts, "By") == "cudaLaunchKernel");
    CHECK(factOf(facts, "At").contains("gemm.py:3"));
    const auto delay = launchDelay(f.profile(), f.timeline, launch);
    REQUIRE(delay);
    // The launch call takes 4 us, then it waits for the malloc's thread and 2 us of latency.
    const Call& call = f.profile().timeline.calls[f.timeline.callOf[launch]];
    CHECK(delay->value == Approx(of.start->value - double(call.time.start) / 1e9));
    CHECK(factOf(facts, "From call to start") == gui::text(*delay));
    CHECK(facts.text().contains("Grid: "));
    CHECK(facts.counters.empty());
}

TEST_CASE("a counted launch tells its counters, one from a graph that no call names it") {
    SyntheticProfile p = launchesInARow(3, 10, 5);
    p.profile().counters.set("dram__bytes_read.sum", 1, 4096);
    p.profile().launches[2].fromGraph = true;
    ProgramTimeline f(p.build());
    const auto& first = f.analysis->kernels[0].group.launches;
    const LaunchFacts counted = launchFacts(*f.analysis, f.timeline, 1, 1);
    REQUIRE(counted.counters.size() == 1);
    CHECK(counted.counters[0].first == "dram__bytes_read.sum");
    CHECK(counted.counters[0].second.contains("4,096"));
    CHECK(first.size() == 2);
    const LaunchFacts graph = launchFacts(*f.analysis, f.timeline, 2, 0);
    CHECK(factOf(graph, "Launched by") == "a CUDA graph");
    CHECK_FALSE(launchDelay(f.profile(), f.timeline, 2));
    CHECK(factOf(graph, "From call to start").isEmpty());
}

TEST_CASE("a gap says what its time is counted as and, if sampled, what the CPU did") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.launch("gemm", 500).sync();
        p.work(3'000);
        p.pop();
    }
    Profile profile = p.build();
    CpuSamples& samples = profile.processes[0].cpuSamples.emplace();
    samples.period = 1'000'000;
    samples.frames = {{.function = "augment<b>", .file = "/home/a/train.py", .line = 12}};
    samples.stacks = {{0}};
    for (int i = 0; i < 20; ++i)
        samples.samples.push_back({.time = i * 1'000'000, .thread = 0, .stack = 0});
    ProgramTimeline f(std::move(profile));
    const gui::Timeline::Row& kernels = f.row(gui::Timeline::RowKind::Kernels);
    const double middle = (kernels.bars[2].end + kernels.bars[3].start) / 2;
    const RangeAccounts accounts(f.analysis);
    const QString known = timelineGapTooltip(*f.analysis, f.timeline, kernels, middle, &accounts);
    CHECK(known.contains("No kernel on this stream for"));
    CHECK(known.contains("Counted as: idle during host work"));
    CHECK(known.contains("The CPU was in, of 3 samples: augment&lt;b&gt; train.py:12 3"));
    const QString less = timelineGapTooltip(*f.analysis, f.timeline, kernels, middle, nullptr);
    CHECK_FALSE(less.contains("Counted as"));
    CHECK(less.contains("CPU samples: augment&lt;b&gt; at train.py:12"));
    CHECK(timelineGapTooltip(*f.analysis, f.timeline, kernels, kernels.bars[2].start + 1e-6,
                             &accounts)
              .isEmpty());
}

TEST_CASE("phases of a repeat have a row with their names") {
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        p.push("rollout");
        for (int k = 0; k < 30; ++k) p.launch("act", 20).sync().work(200);
        p.pop();
        p.push("update");
        for (int k = 0; k < 10; ++k) p.launch("gemm", 500);
        p.sync();
        p.pop();
        p.pop();
    }
    ProgramTimeline f(p.build());
    REQUIRE(f.program.phases.size() == 2);
    const gui::Timeline::Row& row = f.row(gui::Timeline::RowKind::Phases);
    CHECK(&row == f.timeline.rows.data());  // above everything
    CHECK(row.name == "Phases");
    CHECK(row.bars.size() >= 8);
    CHECK(timelineBarText(*f.analysis, row, row.bars[0]) == "rollout");
    CHECK(timelineBarText(*f.analysis, row, row.bars[1]) == "update");
    CHECK(timelineTooltip(*f.analysis, row, {.bar = 0, .others = 0}).contains("rollout"));
}

TEST_CASE("a range is shown with its account, kernels, copies and a text for an assistant") {
    ProgramTimeline f;
    const RangeAccounts accounts(f.analysis);
    const TimeSpan repeat = f.timeline.repeats.at(1);
    const ShownRange shown =
        shownRange(*f.analysis, accounts.of(repeat), repeatText(f.timeline, repeat));
    CHECK(shown.length == gui::text(Seconds{double(repeat.length()) / 1e9}));
    double sum = 0;
    for (const auto& share : shown.account.shares) sum += share.share;
    CHECK(sum == Approx(1));
    CHECK(shown.lanes.empty());
    REQUIRE(shown.functions.size() == 2);
    CHECK(shown.functions[0].name == "gemm");
    CHECK(shown.functions[0].time == gui::text(Seconds{4e-3}));
    CHECK(shown.functions[1].launches == "× 20");
    CHECK(shown.functions[0].kernels.current == kernelNamed(*f.analysis, "gemm"));
    CHECK(shown.kernels.size() == 2);
    CHECK(std::ranges::is_sorted(shown.kernels));
    CHECK(shown.copies.filter("copies to the GPU: 1 with 64.0 MB").size() == 1);
    CHECK(shown.forAssistant.contains("| kernels |"));
    CHECK(shown.forAssistant.contains("`gemm`"));
    CHECK(shown.forAssistant.contains(shown.place));
}

TEST_CASE("pinned rows come first and are known again by their names") {
    using Kind = gui::Timeline::RowKind;
    const auto row = [](Kind kind, const char* name) {
        gui::Timeline::Row made;
        made.kind = kind;
        made.name = QString::fromUtf8(name);
        return made;
    };
    TimelineRows rows;
    rows.setRows({row(Kind::Kernels, "stream 7"), row(Kind::Copies, "to the GPU"),
                  row(Kind::Calls, "main"), row(Kind::Samples, "main")});
    const auto order = [&] {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            all.push_back(rows.rowAt(i));
            CHECK(rows.placeOf(rows.rowAt(i)) == i);
        }
        return all;
    };
    using Order = std::vector<std::size_t>;
    CHECK(order() == Order{0, 1, 2, 3});
    rows.setPinned(2, true);
    rows.setPinned(1, true);
    CHECK(order() == Order{1, 2, 0, 3});
    CHECK(rows.pinned() == 2);
    CHECK_FALSE(rows.isPinned(3));  // another kind of the same name
    // Another recording, without copies at first.
    rows.setRows(
        {row(Kind::Kernels, "stream 7"), row(Kind::Kernels, "stream 8"), row(Kind::Calls, "main")});
    CHECK(order() == Order{2, 0, 1});
    CHECK(rows.pinned() == 1);
    rows.setRows({row(Kind::Kernels, "stream 7"), row(Kind::Copies, "to the GPU")});
    CHECK(order() == Order{1, 0});
    rows.setPinned(1, false);
    CHECK(order() == Order{0, 1});
    rows.setPinned(0, true);
    rows.unpinAll();
    CHECK(rows.pinned() == 0);
    rows.setRows({});
    CHECK(rows.size() == 0);
}

TEST_CASE("zooming and panning keep within the recording and never show less than its resolution") {
    TimelineZoom zoom;
    zoom.setWhole(1, 3);
    CHECK(zoom.from() == Approx(0.96));
    CHECK(zoom.to() == Approx(3.04));
    zoom.show(1.5, 2.5);
    CHECK(zoom.shareOf(2) == Approx(0.5));
    zoom.zoomAt(0.25, 2);  // 1.75 s stays at a quarter
    CHECK(zoom.from() == Approx(1.625));
    CHECK(zoom.to() == Approx(2.125));
    zoom.pan(0.5);
    CHECK(zoom.from() == Approx(1.875));
    zoom.pan(100);
    CHECK(zoom.to() == Approx(3.04));
    CHECK(zoom.length() == Approx(0.5));
    for (int i = 0; i < 200; ++i) zoom.zoomAt(0.5, 2);
    CHECK(zoom.length() == Approx(TimelineZoom::kLeast));
    zoom.zoomAt(0.5, 0);
    CHECK(zoom.length() == Approx(TimelineZoom::kLeast));
    zoom.show(TimeSpan{2'000'000'000, 2'100'000'000});
    CHECK(zoom.span() == TimeSpan{1'997'000'000, 2'103'000'000});
}
