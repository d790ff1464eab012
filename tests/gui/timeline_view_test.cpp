// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_page.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/widgets/activity_colours.h"
#include "tests/gui/core_app.h"
#include "tests/gui/picture.h"
#include "tests/gui/timeline_sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct TimelineFixture {
    std::shared_ptr<const Analysis> analysis;
    TimelinePage page;
    TimelineView& view = page.view();

    explicit TimelineFixture(const SyntheticProfile& p = launchesInARow(20, 50, 30))
        : analysis(shared(p)) {
        page.resize(900, 220);
        page.setAnalysis(analysis);
        page.show();
        REQUIRE(QTest::qWaitForWindowExposed(&page));
    }
    const gui::Timeline::Row& row() { return view.timeline().rows[0]; }
    QPoint middleOf(std::size_t bar) {
        return view.pixelOf(0, (row().bars[bar].start + row().bars[bar].end) / 2);
    }
};

}  // namespace

TEST_CASE("hover names a launch and a gap; a click selects the kernel") {
    widgetApp();
    TimelineFixture f;
    QSignalSpy clicked(&f.view, &TimelineView::kernelClicked);
    QTest::mouseMove(f.view.viewport(), f.middleOf(7));
    CHECK(f.view.hoverText().contains(gui::text(Seconds{50e-6})));
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {}, f.middleOf(7));
    REQUIRE(clicked.count() == 1);
    CHECK(clicked[0][0].value<std::size_t>() == f.row().bars[7].kernel);
    const QPoint gap = f.view.pixelOf(0, f.row().bars[7].end + 15e-6);
    QTest::mouseMove(f.view.viewport(), gap);
    CHECK(waitFor([&] {  // under an X server the move is reported asynchronously
        return f.view.hoverText().contains("No kernel on this stream for " +
                                           gui::text(Seconds{30e-6}));
    }));
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {}, gap);
    CHECK(clicked.count() == 1);
}

TEST_CASE("wheel, drag, keys and double-click move the timeline and keep within it") {
    widgetApp();
    TimelineFixture f;
    const double from = f.view.from(), to = f.view.to();
    const QPoint at = f.middleOf(5);
    const double time = f.row().bars[5].start;
    QWheelEvent wheel(at, f.view.viewport()->mapToGlobal(QPointF(at)), {}, {0, 240}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(f.view.viewport(), &wheel);
    CHECK(f.view.to() - f.view.from() == Approx((to - from) / std::sqrt(2.0)).epsilon(0.01));
    CHECK(std::abs(f.middleOf(5).x() - at.x()) <= 1);

    const double before = f.view.pixelOf(0, time).x();
    QTest::mousePress(f.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, at);
    QTest::mouseMove(f.view.viewport(), at - QPoint(60, 0));
    QTest::mouseRelease(f.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, at - QPoint(60, 0));
    CHECK(f.view.pixelOf(0, time).x() == Approx(before - 60).margin(1));
    CHECK_FALSE(f.view.range());
    QTest::mousePress(f.view.viewport(), Qt::MiddleButton, {}, at);
    QTest::mouseMove(f.view.viewport(), at + QPoint(60, 0));
    QTest::mouseRelease(f.view.viewport(), Qt::MiddleButton, {}, at + QPoint(60, 0));
    CHECK(f.view.pixelOf(0, time).x() == Approx(before).margin(1));

    for (int i = 0; i < 200; ++i) QTest::keyClick(&f.view, Qt::Key_Right);
    CHECK(f.view.to() <= to + 1e-12);
    for (int i = 0; i < 200; ++i) f.view.zoomAt(400, 2);
    CHECK(f.view.to() - f.view.from() > 0);
    CHECK_FALSE(f.page.grab().isNull());
    QTest::mouseDClick(f.view.viewport(), Qt::LeftButton, {}, at);
    CHECK(f.view.from() == Approx(from));
    CHECK(f.view.to() == Approx(to));
}

TEST_CASE("a selection from elsewhere is marked") {
    widgetApp();
    TimelineFixture f;
    const QImage before = f.view.viewport()->grab().toImage();
    f.view.setSelection(KernelSelection::of(f.row().bars[0].kernel));
    const QImage after = f.view.viewport()->grab().toImage();
    CHECK(before != after);
    f.view.setSelection({});
    CHECK(f.view.viewport()->grab().toImage() == before);
}

TEST_CASE("many streams scroll, and what cannot be placed is told") {
    widgetApp();
    SyntheticProfile p = launchesInARow(60, 50, 30);
    for (std::uint32_t i = 0; i < 60; ++i) p.profile().launches[i].stream = i;
    p.profile().launches[59].start.reset();
    TimelineFixture f(p);
    CHECK(f.view.timeline().rows.size() == 59);
    CHECK(f.view.verticalScrollBar()->maximum() > 0);
    f.view.verticalScrollBar()->setValue(f.view.verticalScrollBar()->maximum());
    QSignalSpy clicked(&f.view, &TimelineView::kernelClicked);
    const gui::Timeline::Bar& bar = f.view.timeline().rows[58].bars[0];
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      f.view.pixelOf(58, (bar.start + bar.end) / 2));
    CHECK(clicked.count() == 1);
}

TEST_CASE("a timeline without starts says what to record") {
    widgetApp();
    SyntheticProfile p = launchesInARow(4, 5, 5);
    for (Launch& launch : p.profile().launches) launch.start.reset();
    TimelineFixture f(p);
    CHECK(f.page.emptyText().contains("roofscope record"));
    QTest::keyClick(&f.view, Qt::Key_Plus);
    f.page.setAnalysis(nullptr);
    CHECK_FALSE(f.page.grab().isNull());
}

TEST_CASE("gaps that the analysis found are told above the timeline and in the hints") {
    widgetApp();
    TimelineFixture f(launchesInARow(100, 20, 30));
    REQUIRE(f.analysis->sequenceFindings.size() == 1);
    CHECK(f.page.findingText().contains("no kernel runs"));
    HintsView hints;
    hints.setKernel(f.analysis, 0, QStringLiteral("p.roofscope.json"), {});
    CHECK(hints.markdown().contains("launch-gaps"));
    CHECK(hints.markdown().contains("no kernel runs"));

    TimelineFixture tight(launchesInARow(100, 20, 1));
    CHECK(tight.page.findingText().isEmpty());
    hints.setKernel(tight.analysis, 0, QStringLiteral("p.roofscope.json"), {});
    CHECK_FALSE(hints.markdown().contains("launch-gaps"));
}

TEST_CASE("no verdict has the colour of a class of time, or of another verdict") {
    std::vector<plot::Role> classes, verdicts;
    for (const TimeClass cls : kTimeClasses) classes.push_back(roleOf(cls));
    for (const TimelineTone tone :
         {TimelineTone::LaunchBound, TimelineTone::Underfilled, TimelineTone::NearRoof,
          TimelineTone::MemoryBound, TimelineTone::ComputeBound, TimelineTone::Balanced,
          TimelineTone::LatencyBound}) {
        CHECK(std::ranges::find(classes, roleOf(tone)) == classes.end());
        CHECK(std::ranges::find(verdicts, roleOf(tone)) == verdicts.end());
        verdicts.push_back(roleOf(tone));
    }
    // A copy looks like the time of copies.
    CHECK(roleOf(TimelineTone::ToHost) == roleOf(TimeClass::Copies));
}
