// SPDX-License-Identifier: Apache-2.0
// Rows of the timeline: pinned to the top, folded, and as high as the pane allows.
#include <QCursor>
#include <QMenu>
#include <QScrollBar>
#include <QTest>
#include <algorithm>

#include "gui/views/timeline/timeline_commands.h"
#include "gui/views/timeline/timeline_page.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/timeline_sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// 24 streams of one launch each, in a view that shows about ten.
std::shared_ptr<const Analysis> manyStreams() {
    SyntheticProfile p;
    const std::uint32_t kernel = p.kernel("work(float*)");
    for (std::uint32_t i = 0; i < 24; ++i) {
        auto launch = p.launch(kernel, {1024, 1, 1}, {128, 1, 1});
        launch.durationUs(20).launch().start = Seconds{i * 30e-6};
        launch.launch().stream = i + 1;
    }
    p.profile().processes[0].launchesSeen = 24;
    return shared(p);
}

struct StreamsPage {
    std::shared_ptr<const Analysis> analysis = manyStreams();
    TimelinePage page;
    TimelineView& view = page.view();

    StreamsPage() {
        page.resize(900, 330);
        page.setAnalysis(analysis);
        page.show();
        REQUIRE(QTest::qWaitForWindowExposed(&page));
        REQUIRE(view.timeline().rows.size() == 24);
    }
    [[nodiscard]] int yOf(std::size_t row) const { return view.pixelOf(row, view.from()).y(); }
    void runInMenu(QPoint at, const QString& text) {
        QMenu menu;
        fillTimelineMenu(view, menu, at);
        for (QAction* action : menu.actions())
            if (action->text().startsWith(text)) return action->trigger();
        FAIL("no such entry");
    }
};

}  // namespace

TEST_CASE("a pinned row stays at the top while others scroll, are zoomed and read again") {
    widgetApp();
    StreamsPage f;
    const int first = f.yOf(0);
    f.view.verticalScrollBar()->setValue(f.view.verticalScrollBar()->maximum());
    const QPoint last = f.view.pixelOf(23, f.view.from());
    REQUIRE(f.view.rowAt(last.y()) == 23U);
    f.runInMenu(last, "Pin This Row to the Top");
    CHECK(f.view.rows().isPinned(23));
    CHECK(f.yOf(23) == first);
    CHECK(f.view.rowAt(first) == 23U);
    CHECK(f.view.scrolledArea().top() > first);
    // Rows 0 to 22 scroll below it; row 0 is first there.
    f.view.verticalScrollBar()->setValue(0);
    CHECK(f.yOf(23) == first);
    CHECK(f.view.rowAt(f.view.scrolledArea().top() + 1) == 0U);
    f.view.verticalScrollBar()->setValue(f.view.verticalScrollBar()->maximum());
    CHECK(f.yOf(23) == first);
    CHECK(f.view.rowAt(f.view.viewport()->height() - 2) == 22U);
    f.view.zoomAt(400, 4);
    f.page.setAnalysis(manyStreams());
    CHECK(f.view.rows().isPinned(23));
    CHECK(f.yOf(23) == first);
    f.runInMenu(f.view.pixelOf(23, f.view.from()), "Unpin This Row");
    CHECK(f.yOf(0) == first);
}

TEST_CASE("P pins the row of the selected launch, the menu any row; at most half of the view") {
    widgetApp();
    StreamsPage f;
    const int first = f.yOf(0), high = f.yOf(1) - first;
    f.view.setFocus();
    // The mouse is outside of the view, and no launch is selected.
    QCursor::setPos(f.page.mapToGlobal(QPoint(5, f.page.height() + 50)));
    REQUIRE_FALSE(f.view.viewport()->rect().contains(f.view.cursorInView()));
    QTest::keyClick(&f.view, Qt::Key_P);
    CHECK(f.view.rows().pinned() == 0);
    f.view.setLaunch(12);
    QTest::keyClick(&f.view, Qt::Key_P);
    CHECK(f.view.rows().isPinned(12));
    QTest::keyClick(&f.view, Qt::Key_P);
    CHECK_FALSE(f.view.rows().isPinned(12));
    // Over the view, the row under the mouse is meant.
    QCursor::setPos(f.view.viewport()->mapToGlobal(f.view.pixelOf(2, f.view.from())));
    const auto under = f.view.rowAt(f.view.cursorInView().y());
    REQUIRE(under);
    QTest::keyClick(&f.view, Qt::Key_P);
    CHECK(f.view.rows().isPinned(*under));
    f.view.unpinAll();
    QMenu menu;
    fillTimelineMenu(f.view, menu, {1, 1});
    QMenu* rows = nullptr;
    for (QAction* action : menu.actions())
        if (action->text() == "Pinned Rows") rows = action->menu();
    REQUIRE(rows);
    for (int i = 8; i < 24; ++i) rows->actions().at(i)->toggle();
    CHECK(f.view.rows().pinned() == 16);
    // Those that do not fit into half of the view scroll, before the others.
    const int fixed = f.view.area().height() / 2 / high;
    REQUIRE(fixed < 16);
    CHECK(f.view.scrolledArea().top() == f.view.area().top() + fixed * high);
    f.view.verticalScrollBar()->setValue(0);
    CHECK(f.yOf(8 + std::size_t(fixed)) == first + fixed * high);
    f.view.verticalScrollBar()->setValue(high);
    CHECK(f.yOf(8) == first);
    CHECK(f.yOf(8 + std::size_t(fixed)) == first + (fixed - 1) * high);
    // A launch below is scrolled into the part that scrolls.
    f.view.setLaunch(7);
    const QPoint at = f.view.pixelOf(7, f.view.from());
    CHECK(f.view.scrolledArea().contains(f.view.scrolledArea().left() + 1, at.y()));
    rows->actions().at(8)->toggle();
    CHECK(f.view.rows().pinned() == 15);
}

TEST_CASE("a row scrolled under the pinned ones is not hit there") {
    widgetApp();
    StreamsPage f;
    f.view.setPinned(23, true);
    const int high = f.yOf(1) - f.yOf(0), top = f.yOf(23);
    f.view.verticalScrollBar()->setValue(high);
    CHECK(f.yOf(0) == top);  // hidden
    CHECK(f.view.rowAt(top) == 23U);
    const auto& bar = f.view.timeline().rows[23].bars.front();
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      f.view.pixelOf(23, (bar.start + bar.end) / 2));
    CHECK(f.view.launch() == 23U);
    CHECK(f.view.verticalScrollBar()->value() == high);
}

TEST_CASE("rows grow with the pane, within a limit") {
    widgetApp();
    StreamsPage f;
    const int high = f.yOf(1) - f.yOf(0);
    f.page.resize(900, 24 * high * 3 / 2);
    REQUIRE(waitFor([&] { return f.yOf(1) - f.yOf(0) > high; }));
    CHECK(f.view.verticalScrollBar()->maximum() == 0);
    f.page.resize(900, 24 * high * 6);
    CHECK(waitFor([&] { return f.yOf(1) - f.yOf(0) == 2 * high; }));
    // A click meets the bar in the higher row, too.
    const auto& bar = f.view.timeline().rows[3].bars.front();
    QTest::mouseClick(f.view.viewport(), Qt::LeftButton, {},
                      f.view.pixelOf(3, (bar.start + bar.end) / 2));
    CHECK(f.view.launch() == 3U);
}

TEST_CASE("rows of threads without a bar in the first view are folded; a click or X unfolds them") {
    widgetApp();
    SyntheticProfile p = launchesInARow(20, 50, 30);
    p.profile().timeline.threads = {{.process = 0, .id = 1, .name = "main"},
                                    {.process = 0, .id = 2, .name = "loader"}};
    p.profile().timeline.callNames = {{"cudaMalloc", CallKind::Allocate}};
    p.profile().timeline.calls = {{.thread = 0, .time = {100'000, 200'000}},
                                  {.thread = 1, .time = {-3'000'000'000, -2'900'000'000}}};
    TimelinePage page;
    page.resize(900, 330);
    page.setAnalysis(shared(p));
    page.show();
    REQUIRE(QTest::qWaitForWindowExposed(&page));
    TimelineView& view = page.view();
    REQUIRE(view.timeline().rows.size() == 3);  // the stream, main, loader
    CHECK_FALSE(view.rows().isFolded(0));
    CHECK_FALSE(view.rows().isFolded(1));
    CHECK(view.rows().isFolded(2));
    CHECK(view.heightOf(2) < view.heightOf(1) / 2);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, {10, view.pixelOf(2, view.from()).y()});
    CHECK_FALSE(view.rows().isFolded(2));
    CHECK(view.heightOf(2) == view.heightOf(1));
    // What the user chose stays for the next recording.
    page.setAnalysis(shared(p));
    CHECK_FALSE(view.rows().isFolded(2));
    QCursor::setPos(view.viewport()->mapToGlobal(view.pixelOf(1, view.from())));
    QTest::keyClick(&view, Qt::Key_X);
    CHECK(view.rows().isFolded(1));
    // Its bars can still be selected.
    view.resetView();
    const auto& bar = view.timeline().rows[1].bars.front();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                      view.pixelOf(1, (bar.start + bar.end) / 2));
    CHECK(view.bar() == TimelinePlace{.row = 1, .bar = 0});
    QMenu menu;
    fillTimelineMenu(view, menu, {1, 1});
    for (QAction* action : menu.actions())
        if (action->text() == "Folded Rows") action->menu()->actions().last()->trigger();
    CHECK(view.rows().folded() == 0);
}
