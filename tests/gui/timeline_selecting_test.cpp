// SPDX-License-Identifier: Apache-2.0
// Selecting in the timeline: ranges, launches, other bars, repeats; alone and in the window.
#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/timeline/timeline_commands.h"
#include "gui/views/timeline/timeline_minimap.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_panel.h"
#include "gui/views/timeline/timeline_search.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/timeline_sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// A page with the program of sample.h: six steps.
struct ProgramPage {
    std::shared_ptr<const Analysis> analysis;
    Program program;
    TimelinePage page;
    TimelineView& view = page.view();

    ProgramPage()
        : analysis(std::make_shared<const Analysis>(
              analyze(std::make_shared<const Profile>(programProfile())))),
          program(analyzeProgram(*analysis)) {
        page.resize(1200, 420);
        page.setAnalysis(analysis, &program);
        page.show();
        REQUIRE(QTest::qWaitForWindowExposed(&page));
        REQUIRE(waitFor([&] { return page.accountsReady(); }));
    }
    std::size_t rowOf(gui::Timeline::RowKind kind) {
        const auto& rows = view.timeline().rows;
        const auto found = std::ranges::find(rows, kind, &gui::Timeline::Row::kind);
        REQUIRE(found != rows.end());
        return std::size_t(found - rows.begin());
    }
    /// Drags in the row of the kernels between shares of the view.
    void drag(double from, double to) {
        const std::size_t row = rowOf(gui::Timeline::RowKind::Kernels);
        const auto at = [&](double share) {
            return view.pixelOf(row, view.from() + share * (view.to() - view.from()));
        };
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, at(from));
        QTest::mouseMove(view.viewport(), at((from + to) / 2));
        QTest::mouseMove(view.viewport(), at(to));
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at(to));
    }
    /// Clicks the launch of the kernel that is the first in view.
    std::uint32_t clickLaunch(const char* kernel) {
        const std::size_t row = rowOf(gui::Timeline::RowKind::Kernels),
                          wanted = kernelNamed(*analysis, kernel);
        for (const gui::Timeline::Bar& bar : view.timeline().rows[row].bars)
            if (bar.kernel == wanted && bar.start > view.from() && bar.end < view.to()) {
                QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                                  view.pixelOf(row, (bar.start + bar.end) / 2));
                return bar.item;
            }
        FAIL("no such launch in view");
        return 0;
    }
};

bool isInView(const TimelineView& view, double time) {
    return time >= view.from() && time <= view.to();
}

}  // namespace

TEST_CASE("dragging selects a range, whose account is beside it; Escape clears it") {
    widgetApp();
    ProgramPage f;
    QSignalSpy changed(&f.page, &TimelinePage::rangeChanged);
    CHECK_FALSE(f.page.panel().isVisible());
    f.drag(0.2, 0.8);
    REQUIRE(f.view.range());
    CHECK(changed.count() == 1);  // not while dragging
    const double view = f.view.to() - f.view.from();
    CHECK(double(f.view.range()->length()) / 1e9 == Approx(0.6 * view).epsilon(0.02));
    REQUIRE(f.page.panel().range());
    CHECK(f.page.panel().isVisible());
    CHECK(f.page.panel().range()->account.shares.size() >= 3);
    CHECK(f.page.kernelsInRange() == f.page.panel().range()->kernels);
    CHECK_FALSE(f.page.kernelsInRange().empty());
    auto* copied = visibleButton(f.page, "Copy for Assistant");
    REQUIRE(copied);
    copied->click();
    CHECK(QApplication::clipboard()->text().contains("of the timeline"));

    QTest::keyClick(&f.view, Qt::Key_Escape);
    CHECK_FALSE(f.view.range());
    CHECK_FALSE(f.page.panel().isVisible());
    CHECK(f.page.kernelsInRange().empty());
    CHECK(changed.count() == 2);
}

TEST_CASE("a range's edge moves to the edge of a bar nearby") {
    widgetApp();
    ProgramPage f;
    const std::size_t row = f.rowOf(gui::Timeline::RowKind::Kernels),
                      gemm = kernelNamed(*f.analysis, "gemm");
    const auto& bars = f.view.timeline().rows[row].bars;
    const auto bar = std::ranges::find_if(
        bars, [&](const auto& b) { return b.kernel == gemm && b.start > f.view.from(); });
    REQUIRE(bar != bars.end());
    f.view.zoomTo({std::llround(bar->start * 1e9), std::llround(bar->end * 1e9)});
    const QPoint from = f.view.pixelOf(row, bar->start) + QPoint(3, 0),
                 to = f.view.pixelOf(row, bar->end) - QPoint(3, 0);
    QTest::mousePress(f.view.viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(f.view.viewport(), (from + to) / 2);
    QTest::mouseMove(f.view.viewport(), to);
    QTest::mouseRelease(f.view.viewport(), Qt::LeftButton, {}, to);
    REQUIRE(f.view.range());
    CHECK(f.view.range()->start == std::llround(bar->start * 1e9));
    CHECK(f.view.range()->end == std::llround(bar->end * 1e9));
    REQUIRE(f.page.panel().range());
    CHECK(f.page.panel().range()->functions.size() == 1);
    CHECK(f.page.panel().range()->functions[0].launches == "× 1");
}

TEST_CASE("the timeline opens on one repeat, and goes from one to the next") {
    widgetApp();
    ProgramPage f;
    const std::vector<TimeSpan> repeats = f.view.timeline().repeats;
    REQUIRE(repeats.size() >= 4);
    const std::size_t at = repeats.size() / 2;
    const auto shows = [&](std::size_t i) {
        return f.view.from() <= double(repeats[i].start) / 1e9 &&
               f.view.to() >= double(repeats[i].end) / 1e9 &&
               (f.view.to() - f.view.from()) * 1e9 < 1.2 * double(repeats[i].length());
    };
    CHECK(shows(at));
    QTest::keyClick(&f.view, Qt::Key_PageUp);
    CHECK(shows(at - 1));
    QTest::keyClick(&f.view, Qt::Key_PageDown);
    CHECK(shows(at));
    for (int i = 0; i < 20; ++i) QTest::keyClick(&f.view, Qt::Key_PageDown);
    CHECK(shows(repeats.size() - 1));
    // A number leads to its repeat.
    QTest::keyClick(&f.view, Qt::Key_G);
    auto* dialog = f.view.findChild<QInputDialog*>();
    REQUIRE(dialog);
    CHECK(dialog->intMaximum() == int(repeats.size()));
    dialog->setIntValue(2);
    dialog->accept();
    CHECK(shows(1));
    // From far away it shows one repeat again.
    QTest::keyClick(&f.view, Qt::Key_0);
    CHECK(f.view.from() <= f.view.timeline().begin);
    QTest::keyClick(&f.view, Qt::Key_R);
    CHECK((f.view.to() - f.view.from()) * 1e9 < 1.2 * double(repeats[at].length()));

    // A click on the mark selects the repeat; the next one takes the selection along.
    QTest::keyClick(&f.view, Qt::Key_PageUp);
    const std::size_t now =
        *repeatAt(f.view.timeline(), std::llround((f.view.from() + f.view.to()) / 2 * 1e9));
    const double middle = double(repeats[now].start + repeats[now].length() / 2) / 1e9;
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      {f.view.pixelOf(0, middle).x(), f.view.axisBottom() - 4});
    CHECK(f.view.range() == repeats[now]);
    REQUIRE(f.page.panel().range());
    CHECK(f.page.panel().range()->place ==
          QStringLiteral("repeat %1 of %2").arg(now + 1).arg(repeats.size()));
    QTest::keyClick(&f.view, Qt::Key_PageUp);
    CHECK(f.view.range() == repeats[now - 1]);
    CHECK(f.page.panel().range()->place.startsWith(QStringLiteral("repeat %1 ").arg(now)));
}

TEST_CASE("without repeats it opens on the GPU's work, not on the start of the program") {
    widgetApp();
    SyntheticProfile p = launchesInARow(20, 50, 30);
    p.profile().timeline.threads = {{.process = 0, .id = 1, .name = "main"}};
    p.profile().timeline.callNames = {{"cudaMalloc", CallKind::Allocate}};
    p.profile().timeline.calls = {{.time = {-3'000'000'000, -2'900'000'000}}};
    TimelinePage page;
    page.resize(900, 220);
    page.setAnalysis(shared(p));
    CHECK(page.view().timeline().begin == Approx(-3));
    CHECK(page.view().from() > -1e-3);
    CHECK(page.view().to() < 3e-3);
    QTest::keyClick(&page.view(), Qt::Key_0);
    CHECK(page.view().from() < -2.9);
}

TEST_CASE("W, A, S and D move as in Perfetto, F zooms to what is selected") {
    widgetApp();
    ProgramPage f;
    QCursor::setPos(0, 0);
    const double from = f.view.from(), span = f.view.to() - from;
    QTest::keyClick(&f.view, Qt::Key_W);
    CHECK(f.view.to() - f.view.from() == Approx(span / 1.25).epsilon(0.01));
    QTest::keyClick(&f.view, Qt::Key_S);
    CHECK(f.view.to() - f.view.from() == Approx(span).epsilon(0.01));
    QTest::keyClick(&f.view, Qt::Key_A);
    CHECK(f.view.from() == Approx(from - 0.1 * span).epsilon(0.01));
    QTest::keyClick(&f.view, Qt::Key_D);
    CHECK(f.view.from() == Approx(from).epsilon(0.01));
    f.drag(0.4, 0.6);
    QTest::keyClick(&f.view, Qt::Key_F);
    CHECK(f.view.to() - f.view.from() == Approx(0.2 * span).epsilon(0.1));
    QTest::keyClick(&f.view, Qt::Key_Escape);
    const std::uint32_t launch = f.clickLaunch("add");
    QTest::keyClick(&f.view, Qt::Key_F);
    const Launch& zoomed = f.analysis->profile->launches[launch];
    CHECK(f.view.to() - f.view.from() == Approx(zoomed.duration->value * 5).epsilon(0.01));
}

TEST_CASE("a click on a launch or its call selects this launch and tells about it") {
    widgetApp();
    ProgramPage f;
    QSignalSpy kernel(&f.view, &TimelineView::kernelClicked);
    const std::uint32_t launch = f.clickLaunch("gemm");
    CHECK(f.view.launch() == launch);
    REQUIRE(f.page.panel().launch());
    CHECK(f.page.panel().launch()->launch == launch);
    CHECK(f.page.panel().isVisible());
    REQUIRE(kernel.count() == 1);
    CHECK(kernel[0][0].value<std::size_t>() == kernelNamed(*f.analysis, "gemm"));
    const QImage with = f.view.viewport()->grab().toImage();

    // The call is shown with it, and a click there selects the same launch.
    QTest::keyClick(&f.view, Qt::Key_C);
    const Profile& profile = *f.analysis->profile;
    const Call& call = profile.timeline.calls[f.view.timeline().callOf[launch]];
    const double called = double(call.time.start) / 1e9;
    CHECK(isInView(f.view, called));
    CHECK(isInView(f.view, profile.launches[launch].start->value));
    QTest::keyClick(&f.view, Qt::Key_Escape);
    CHECK_FALSE(f.view.launch());
    CHECK_FALSE(f.page.panel().isVisible());
    CHECK(f.view.viewport()->grab().toImage() != with);
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      f.view.pixelOf(f.rowOf(gui::Timeline::RowKind::Calls), called + 1e-6));
    CHECK(f.view.launch() == launch);
    CHECK(kernel.count() == 2);
}

TEST_CASE("a click on a copy or its call selects the copy, with the delay from its call") {
    widgetApp();
    ProgramPage f;
    const std::size_t row = f.rowOf(gui::Timeline::RowKind::Copies),
                      calls = f.rowOf(gui::Timeline::RowKind::Calls);
    const auto& bars = f.view.timeline().rows[row].bars;
    const auto at = std::ranges::find_if(
        bars, [&](const auto& b) { return b.start > f.view.from() && b.end < f.view.to(); });
    REQUIRE(at != bars.end());
    const TimelinePlace place{.row = row, .bar = std::size_t(at - bars.begin())};
    const QImage without = f.view.viewport()->grab().toImage();
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      f.view.pixelOf(row, (at->start + at->end) / 2));
    CHECK(f.view.bar() == place);
    CHECK(f.view.viewport()->grab().toImage() != without);
    REQUIRE(f.page.panel().bar());
    const BarFacts shown = *f.page.panel().bar();
    CHECK(shown.name.startsWith("copy from "));
    CHECK(shown.place.contains(" of "));
    CHECK(shown.hasCall);
    const auto delay = barDelay(*f.analysis->profile, f.view.timeline(), place);
    REQUIRE(delay);
    CHECK(shown.text().contains("From call to start: " + gui::text(*delay)));
    CHECK(shown.text().contains("By: cudaMemcpyAsync"));
    CHECK(shown.text().contains(gui::text(Bytes{64e6})));

    // C shows the call; a click on it selects the copy again.
    QTest::keyClick(&f.view, Qt::Key_C);
    const Call& call = f.analysis->profile->timeline.calls[*callOfBar(f.view.timeline(), place)];
    const double called = double(call.time.start) / 1e9;
    const double middle = called + double(call.time.length()) / 2e9;
    CHECK(isInView(f.view, called));
    QTest::keyClick(&f.view, Qt::Key_Escape);
    CHECK_FALSE(f.view.bar());
    CHECK_FALSE(f.page.panel().isVisible());
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {}, f.view.pixelOf(calls, middle));
    CHECK(f.view.bar() == place);
    // The next one in this direction, and its facts for the clipboard.
    QTest::keyClick(&f.view, Qt::Key_Period);
    CHECK(f.view.bar() == TimelinePlace{.row = row, .bar = place.bar + 1});
    CHECK(isInView(f.view, bars[place.bar + 1].start));
    QTest::keyClick(&f.view, Qt::Key_Comma);
    CHECK(f.view.bar() == place);
    auto* copied = visibleButton(f.page.panel(), "Copy");
    REQUIRE(copied);
    copied->click();
    CHECK(QApplication::clipboard()->text() == f.page.panel().bar()->text());
    // A launch takes its place.
    QTest::keyClick(&f.view, Qt::Key_R);
    f.clickLaunch("gemm");
    CHECK_FALSE(f.view.bar());
    CHECK_FALSE(f.page.panel().bar());
    CHECK(f.page.panel().launch());
}

TEST_CASE("calls without GPU work and ranges are selected, too") {
    widgetApp();
    ProgramPage f;
    const auto click = [&](gui::Timeline::RowKind kind, const QString& name) {
        const std::size_t row = f.rowOf(kind);
        const gui::Timeline::Row& in = f.view.timeline().rows[row];
        for (std::size_t i = 0; i < in.bars.size(); ++i) {
            const double middle = (in.bars[i].start + in.bars[i].end) / 2;
            if (!isInView(f.view, middle) ||
                !timelineBarText(*f.analysis, in, in.bars[i]).startsWith(name))
                continue;
            QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {}, f.view.pixelOf(row, middle));
            return std::optional(TimelinePlace{.row = row, .bar = i});
        }
        return std::optional<TimelinePlace>();
    };
    const auto malloc = click(gui::Timeline::RowKind::Calls, "cudaMalloc");
    REQUIRE(malloc);
    CHECK(f.view.bar() == malloc);
    REQUIRE(f.page.panel().bar());
    CHECK(f.page.panel().bar()->name == "cudaMalloc");
    CHECK_FALSE(f.page.panel().bar()->hasCall);
    QTest::keyClick(&f.view, Qt::Key_Comma);  // in the repeat before
    REQUIRE(f.page.panel().bar());
    CHECK(f.page.panel().bar()->name == "cudaMalloc");
    CHECK(f.view.bar()->bar < malloc->bar);
    QTest::keyClick(&f.view, Qt::Key_Period);
    CHECK(f.view.bar() == malloc);
    const auto step = click(gui::Timeline::RowKind::Ranges, "step");
    REQUIRE(step);
    CHECK(f.view.bar() == step);
    CHECK(f.page.panel().bar()->name == "step");
    // F shows it with its neighbourhood.
    QTest::keyClick(&f.view, Qt::Key_F);
    const gui::Timeline::Bar& bar = f.view.timeline().rows[step->row].bars[step->bar];
    CHECK(isInView(f.view, bar.start));
    CHECK(isInView(f.view, bar.end));
    visibleButton(f.page.panel(), QStringLiteral("×"))->click();
    CHECK_FALSE(f.view.bar());
    CHECK_FALSE(f.page.panel().isVisible());
}

TEST_CASE("a zoom removes the tip about what was under the mouse") {
    widgetApp();
    ProgramPage f;
    const std::size_t row = f.rowOf(gui::Timeline::RowKind::Kernels);
    const double middle = (f.view.from() + f.view.to()) / 2;
    QTest::mouseMove(f.view.viewport(), f.view.pixelOf(row, middle));
    REQUIRE(waitFor([&] { return !f.view.hoverText().isEmpty(); }));
    f.view.zoomAt(400, 2);
    CHECK(f.view.hoverText().isEmpty());
}

TEST_CASE("full stop and comma go to the next and the previous launch of the kernel") {
    widgetApp();
    ProgramPage f;
    const std::size_t gemm = kernelNamed(*f.analysis, "gemm");
    const auto& launches = f.analysis->kernels[gemm].group.launches;
    f.page.setSelection(KernelSelection::of(gemm));
    const std::uint32_t first = f.clickLaunch("gemm");
    const auto at = std::size_t(std::ranges::find(launches, first) - launches.begin());
    QTest::keyClick(&f.view, Qt::Key_Period);
    CHECK(f.view.launch() == launches[at + 1]);
    CHECK(isInView(f.view, f.analysis->profile->launches[launches[at + 1]].start->value));
    CHECK(f.page.panel().launch()->launch == launches[at + 1]);
    QTest::keyClick(&f.view, Qt::Key_Comma);
    CHECK(f.view.launch() == first);
    for (int i = 0; i < 20; ++i) QTest::keyClick(&f.view, Qt::Key_Comma);
    CHECK(f.view.launch() == launches.front());
    // Another kernel is selected: its launches are others.
    f.page.setSelection(KernelSelection::of(kernelNamed(*f.analysis, "add")));
    CHECK_FALSE(f.view.launch());
    CHECK_FALSE(f.page.panel().isVisible());
}

TEST_CASE("selecting a kernel elsewhere moves the view to a launch of it, but not at first") {
    widgetApp();
    ProgramPage f;
    const double from = f.view.from();
    const std::size_t init = kernelNamed(*f.analysis, "init");
    f.page.setSelection(KernelSelection::of(init));  // as the window does after opening
    CHECK(f.view.from() == from);
    f.page.setSelection(KernelSelection::of(kernelNamed(*f.analysis, "gemm")));
    CHECK(f.view.from() == from);  // one of its launches is already in view
    f.page.setSelection(KernelSelection::of(init));
    const auto& launches = f.analysis->kernels[init].group.launches;
    CHECK(isInView(f.view, f.analysis->profile->launches[launches[0]].start->value));
}

TEST_CASE("what was selected last stands first beside the timeline") {
    widgetApp();
    ProgramPage f;
    const auto above = [&](const QString& text) {
        for (QLabel* label : f.page.panel().widget()->findChildren<QLabel*>())
            if (label->text().contains(text)) return label->mapTo(&f.page, QPoint(0, 0)).y();
        return -1;
    };
    const auto order = [&] {
        QTest::qWait(10);  // the old content is deleted later
        return above("selected") - above("launch ");
    };
    f.clickLaunch("gemm");
    CHECK(above("selected") == -1);
    f.drag(0.3, 0.7);
    REQUIRE(f.page.panel().launch());
    CHECK(order() < 0);
    f.clickLaunch("add");
    REQUIRE(f.page.panel().range());
    CHECK(order() > 0);
    QTest::keyClick(&f.view, Qt::Key_Escape);  // first the launch, then the range
    CHECK_FALSE(f.page.panel().launch());
    REQUIRE(f.page.panel().range());
    QTest::keyClick(&f.view, Qt::Key_Escape);
    CHECK_FALSE(f.page.panel().isVisible());
}

TEST_CASE("launches are searched with the filter's words") {
    widgetApp();
    ProgramPage f;
    QTest::keyClick(&f.view, Qt::Key_F, Qt::ControlModifier);
    TimelineSearch& search = f.page.search();
    REQUIRE(search.isVisible());
    search.setText("gemm");
    CHECK(search.countText() == "6 launches of 1 kernel");
    QSignalSpy chosen(&search, &TimelineSearch::kernelChosen);
    auto* line = search.findChild<QLineEdit*>();
    QTest::keyClick(line, Qt::Key_Return);
    REQUIRE(f.view.launch());
    const std::uint32_t first = *f.view.launch();
    REQUIRE(chosen.count() == 1);
    CHECK(chosen[0][0].value<std::size_t>() == kernelNamed(*f.analysis, "gemm"));
    QTest::keyClick(line, Qt::Key_Return);
    CHECK(*f.view.launch() > first);
    QTest::keyClick(line, Qt::Key_Return, Qt::ShiftModifier);
    CHECK(f.view.launch() == first);
    search.setText("gemm | bw >");
    search.setText("bw > 5 apples");
    CHECK_FALSE(search.countText().contains("launches"));
    QTest::keyClick(line, Qt::Key_Return);  // nothing to go to
    CHECK(f.view.launch() == first);
    QTest::keyClick(line, Qt::Key_Escape);
    CHECK_FALSE(search.isVisible());
}

TEST_CASE("copies, calls and ranges are searched, too") {
    widgetApp();
    ProgramPage f;
    TimelineSearch& search = f.page.search();
    QTest::keyClick(&f.view, Qt::Key_F, Qt::ControlModifier);
    auto* line = search.findChild<QLineEdit*>();
    search.setText("Copies to the GPU");
    CHECK(search.countText() == "6 copies");
    QTest::keyClick(line, Qt::Key_Return);
    REQUIRE(f.view.bar());
    const TimelinePlace first = *f.view.bar();
    CHECK(f.view.timeline().rows[first.row].kind == gui::Timeline::RowKind::Copies);
    CHECK(f.page.panel().bar());
    QTest::keyClick(line, Qt::Key_Return);
    CHECK(f.view.bar() == TimelinePlace{.row = first.row, .bar = first.bar + 1});
    QTest::keyClick(line, Qt::Key_Return, Qt::ShiftModifier);
    CHECK(f.view.bar() == first);
    search.setText("cudamalloc");
    CHECK(search.countText() == "6 calls");
    QTest::keyClick(line, Qt::Key_Return);
    REQUIRE(f.page.panel().bar());
    CHECK(f.page.panel().bar()->name == "cudaMalloc");
    search.setText("step");
    CHECK(search.countText().contains("range"));
    // All kinds together, in the order of time.
    search.setText("a");
    f.view.resetView();
    f.view.chooseBar(std::nullopt);
    double before = -1e9;
    for (int i = 0; i < 12; ++i) {
        QTest::keyClick(line, Qt::Key_Return);
        const auto place = f.view.selectedPlace();
        REQUIRE(place);
        const double start = f.view.timeline().rows[place->row].bars[place->bar].start;
        CHECK(start >= before);
        before = start;
    }
}

TEST_CASE("the menu selects a bar's time and a gap's, and offers only what is possible") {
    widgetApp();
    ProgramPage f;
    const std::size_t row = f.rowOf(gui::Timeline::RowKind::Kernels),
                      gemm = kernelNamed(*f.analysis, "gemm");
    const auto& bars = f.view.timeline().rows[row].bars;
    const auto bar = std::ranges::find_if(
        bars, [&](const auto& b) { return b.kernel == gemm && b.start > f.view.from(); });
    const auto run = [&](QPoint at, const char* text) {
        QMenu menu;
        fillTimelineMenu(f.view, menu, at);
        for (QAction* action : menu.actions())
            if (action->text().startsWith(QLatin1String(text))) {
                if (!action->isEnabled()) return false;
                action->trigger();
                return true;
            }
        return false;
    };
    const QPoint onBar = f.view.pixelOf(row, (bar->start + bar->end) / 2);
    CHECK_FALSE(run(onBar, "Zoom to Selection"));
    CHECK_FALSE(run(onBar, "Show Its Call"));
    CHECK_FALSE(run(onBar, "Next Launch"));
    REQUIRE(run(onBar, "Select the Time of This Bar"));
    CHECK(f.view.range() == TimeSpan{std::llround(bar->start * 1e9), std::llround(bar->end * 1e9)});
    const double before = (std::prev(bar)->end + bar->start) / 2;
    REQUIRE(run(f.view.pixelOf(row, before), "Select the Time of This Gap"));
    CHECK(f.view.range()->end == std::llround(bar->start * 1e9));
    REQUIRE(run(onBar, "Select This Repeat"));
    CHECK(f.page.panel().range()->place.startsWith("repeat "));
    REQUIRE(run(onBar, "Zoom to Selection"));
    REQUIRE(run(onBar, "Select No Time"));
    CHECK_FALSE(f.view.range());
}

TEST_CASE("the panel follows a range that is dragged, but not at every move") {
    widgetApp();
    ProgramPage f;
    f.drag(0.2, 0.8);
    REQUIRE(f.page.panel().isVisible());
    const QString before = f.page.panel().range()->length;
    const std::size_t row = f.rowOf(gui::Timeline::RowKind::Kernels);
    const auto at = [&](double share) {
        return f.view.pixelOf(row, f.view.from() + share * (f.view.to() - f.view.from()));
    };
    const auto move = [&](double share) {
        QMouseEvent event(QEvent::MouseMove, QPointF(at(share)),
                          QPointF(f.view.viewport()->mapToGlobal(at(share))), Qt::NoButton,
                          Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(f.view.viewport(), &event);
    };
    QTest::mousePress(f.view.viewport(), Qt::LeftButton, {}, at(0.3));
    for (int i = 0; i < 20; ++i) move(0.4 + 0.01 * i);
    CHECK(f.page.panel().range()->length == before);
    const auto length = [&] { return gui::text(Seconds{double(f.view.range()->length()) / 1e9}); };
    CHECK(length() != before);
    CHECK(waitFor([&] { return f.page.panel().range()->length == length(); }));
    QTest::mouseRelease(f.view.viewport(), Qt::LeftButton, {}, at(0.5));
    CHECK(f.page.panel().range()->length == length());
}

TEST_CASE("a range that is selected before accounts are ready gets its account later") {
    widgetApp();
    ProgramPage f;
    QSignalSpy known(&f.page, &TimelinePage::accountKnown);
    f.page.setAnalysis(f.analysis, &f.program);
    CHECK_FALSE(f.page.accountsReady());  // nothing waited for them
    f.page.setRange(TimeSpan{0, 1'000'000});
    CHECK_FALSE(f.page.panel().range());
    REQUIRE(waitFor([&] { return known.count() == 1; }));
    REQUIRE(f.page.panel().range());
    CHECK_FALSE(f.page.kernelsInRange().empty());
}

TEST_CASE("two repeats are compared: one is kept, the other selected") {
    widgetApp();
    ProgramPage f;
    const std::vector<TimeSpan> repeats = f.view.timeline().repeats;
    f.page.chooseRange(repeats[2]);
    REQUIRE(f.page.panel().range());
    CHECK_FALSE(f.page.panel().range()->change);
    visibleButton(f.page.panel(), "Compare")->click();
    REQUIRE(f.page.panel().range());
    CHECK(f.page.panel().range()->isKept);
    // The same work in the next repeat.
    QTest::keyClick(&f.view, Qt::Key_PageDown);
    CHECK(f.view.range() == repeats[3]);
    REQUIRE(f.page.panel().range()->change);
    const RangeChange same = *f.page.panel().range()->change;
    CHECK(same.with.startsWith("repeat 3 of "));
    CHECK(same.kernels.empty());
    CHECK(same.classes.rows.size() >= 3);
    // Half a repeat has less of everything.
    const TimeSpan half{repeats[3].start, repeats[3].start + repeats[3].length() / 2};
    f.page.chooseRange(half);
    const RangeChange less = *f.page.panel().range()->change;
    CHECK(less.classes.rows.back().change.startsWith(u'-'));
    CHECK(less.classes.rows.back().moved);
    QTest::qWait(10);  // the old content is deleted later
    visibleButton(f.page.panel(), "Stop Comparing")->click();
    CHECK_FALSE(f.page.panel().range()->change);
    // Another recording has nothing to compare with.
    QTest::qWait(10);
    visibleButton(f.page.panel(), "Compare")->click();
    f.page.setAnalysis(f.analysis, &f.program);
    REQUIRE(waitFor([&] { return f.page.accountsReady(); }));
    f.page.chooseRange(half);
    CHECK_FALSE(f.page.panel().range()->change);
    CHECK_FALSE(f.page.panel().range()->isKept);
}

TEST_CASE("the minimap shows where the view is in the recording, and leads elsewhere") {
    widgetApp();
    ProgramPage f;
    TimelineMinimap& map = f.page.minimap();
    const QRect bars = f.view.area();
    f.view.resetView();
    CHECK(map.shownPart().left() == Approx(bars.left()));
    CHECK(map.shownPart().width() == Approx(bars.width()));
    const gui::Timeline& timeline = f.view.timeline();
    const double whole = timeline.end - timeline.begin;
    f.view.setSpan(timeline.begin + 0.25 * whole, timeline.begin + 0.5 * whole);
    CHECK(map.shownPart().left() == Approx(bars.left() + 0.25 * bars.width()));
    CHECK(map.shownPart().width() == Approx(0.25 * bars.width()));
    // A click keeps the zoom and moves the middle there.
    QTest::mouseClick(&map, Qt::LeftButton, {}, {bars.left() + bars.width() * 3 / 4, 6});
    CHECK(f.view.to() - f.view.from() == Approx(0.25 * whole));
    CHECK((f.view.from() + f.view.to()) / 2 == Approx(timeline.begin + 0.75 * whole).epsilon(0.01));
    // However short the view is, it can be seen.
    f.view.setSpan(timeline.begin + 0.5 * whole, timeline.begin + 0.5 * whole + 1e-9);
    CHECK(map.shownPart().width() >= 4);
    // The picture has the GPU's colour where it works.
    CHECK(map.grab().toImage().pixelColor(bars.left() + bars.width() / 2, 8) !=
          map.grab().toImage().pixelColor(bars.left() / 2, 8));
}

TEST_CASE("a long start-up takes only a few pixels of the minimap") {
    widgetApp();
    SyntheticProfile p = launchesInARow(20, 50, 30);
    p.profile().timeline.threads = {{.process = 0, .id = 1, .name = "main"}};
    p.profile().timeline.callNames = {{"cudaMalloc", CallKind::Allocate}};
    p.profile().timeline.calls = {{.time = {-3'000'000'000, -2'900'000'000}}};
    TimelinePage page;
    page.resize(900, 220);
    page.setAnalysis(shared(p));
    page.show();
    REQUIRE(QTest::qWaitForWindowExposed(&page));
    const TimelineMinimap& map = page.minimap();
    const TimelineView& view = page.view();
    REQUIRE(map.startEnd());
    CHECK(map.toolTip().contains("shortened"));
    const double left = view.area().left(), right = left + view.area().width();
    CHECK(map.pixelOf(view.timeline().begin) == Approx(left));
    CHECK(map.pixelOf(view.timeline().end) == Approx(right));
    CHECK(map.pixelOf(*map.startEnd()) < left + 40);
    for (const double x : {left + 5, left + 100, right - 50})
        CHECK(map.pixelOf(map.timeOf(x)) == Approx(x).epsilon(1e-6));
    // Without a long start-up everything has one scale.
    ProgramPage f;
    CHECK_FALSE(f.page.minimap().startEnd());
    CHECK_FALSE(f.page.minimap().toolTip().contains("shortened"));
}

TEST_CASE("the window shows only the kernels of the range, until Escape or a click") {
    widgetApp();
    ShownWindow f(programProfile());
    f.window.views().showOverview(false);
    f.window.documents().selectKernel(std::nullopt);
    TimelinePage& page = f.window.views().details().timeline();
    REQUIRE(waitFor([&] { return page.accountsReady(); }));
    const KernelTableView& table = f.window.views().kernels();
    const std::size_t gemm = kernelNamed(f.analysis(), "gemm");
    const Launch& launch =
        f.analysis().profile->launches[f.analysis().kernels[gemm].group.launches[2]];
    const auto start = static_cast<Nanoseconds>(launch.start->value * 1e9);
    const TimeSpan within{start + 1000, start + 2'000'000};
    const auto select = [&] {
        page.setRange(within);
        Q_EMIT page.rangeChanged();
    };
    const std::size_t all = table.filterModel().visibleKernels().size();
    REQUIRE(all >= 3);
    select();
    CHECK(f.window.documents().range() == within);
    CHECK(table.filterModel().visibleKernels() == std::vector<std::size_t>{gemm});
    CHECK(f.window.views().roofline().kernelsOfDevice() == std::vector<std::size_t>{gemm});
    QAbstractButton* chip = visibleButton(f.window.views().kernels(), "Selected time");
    REQUIRE(chip);
    chip->click();
    CHECK_FALSE(page.range());
    CHECK(table.filterModel().visibleKernels().size() == all);
    CHECK_FALSE(chip->isVisible());
    select();
    CHECK(table.filterModel().visibleKernels().size() == 1);
    QTest::keyClick(&f.window, Qt::Key_Escape);
    CHECK_FALSE(page.range());
    CHECK(table.filterModel().visibleKernels().size() == all);

    // It belongs to its document, and a changed file has none.
    select();
    f.window.documents().reload();
    REQUIRE(waitFor([&] { return !f.window.documents().range(); }));
    CHECK(waitFor([&] { return table.filterModel().visibleKernels().size() == all; }));
}
