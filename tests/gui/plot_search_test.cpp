// SPDX-License-Identifier: Apache-2.0
#include "gui/models/plot/plot_search.h"

#include <QLineEdit>
#include <QTest>

#include "gui/views/details/details_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/timeline_sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct SearchFixture : ShownWindow {
    using ShownWindow::ShownWindow;
    RooflinePage& page = window.views().rooflinePage();
    QLineEdit* line() { return page.findChild<QLineEdit*>(); }
};

double opacityOf(const plot::RooflinePlot& plot, std::size_t kernel) {
    double opacity = 0;
    for (const plot::Shape& shape : plot.shapes.clipped)
        if (const auto* marker = std::get_if<plot::MarkerShapeItem>(&shape))
            if (marker->kernel == kernel) opacity = std::max(opacity, marker->opacity);
    return opacity;
}

}  // namespace

TEST_CASE("matches are those in the plot, in order, round at the ends") {
    const auto analysis = sampleAnalysis();
    PlotSearch all = searchPlot(*analysis, QStringLiteral("a"), {0, 1, 2});
    CHECK(all.kernels.size() <= 3);
    const PlotSearch search{.kernels = {2, 5, 9}, .elsewhere = 0};
    CHECK(search.next(std::nullopt, true) == 2U);
    CHECK(search.next(2, true) == 5U);
    CHECK(search.next(3, true) == 5U);
    CHECK(search.next(9, true) == 2U);
    CHECK(search.next(std::nullopt, false) == 9U);
    CHECK(search.next(2, false) == 9U);
    CHECK(search.next(7, false) == 5U);
    CHECK_FALSE(PlotSearch{}.next(1, true));
    CHECK(search.count(5) == "2 of 3");
    CHECK(search.count(4) == "3 found");
    CHECK(search.count(std::nullopt) == "3 found");
    CHECK(PlotSearch{}.count(1) == "no match");
    const std::size_t without = kernelNamed(*analysis, "unmeasured");
    const PlotSearch none = searchPlot(*analysis, QStringLiteral("unmeasured"), {0});
    CHECK(without != 0);
    CHECK(none.kernels.empty());
    CHECK(none.count(std::nullopt).contains("none in the plot"));
    CHECK_FALSE(searchPlot(*analysis, QStringLiteral("bw > lots"), {0}).error.isEmpty());
}

TEST_CASE("the keys of the search mean the plot when it has the focus, else the table's filter") {
    widgetApp();
    SearchFixture f;
    f.window.views().roofline().setFocus();
    QTest::keyClick(&f.window.views().roofline(), Qt::Key_F, Qt::ControlModifier);
    CHECK(f.page.searching());
    QTest::keyClick(f.line(), Qt::Key_Escape);
    CHECK_FALSE(f.page.searching());
}

TEST_CASE("a search dims what it does not find; Enter goes from match to match") {
    widgetApp();
    SearchFixture f;
    const std::size_t vec4 = kernelNamed(f.analysis(), "gelu_vec4");
    const std::size_t scalar = kernelNamed(f.analysis(), "gelu_scalar");
    f.page.beginSearch();
    f.page.setSearchText(QStringLiteral("gelu"));
    CHECK(f.page.search().kernels == std::vector{std::min(vec4, scalar), std::max(vec4, scalar)});
    const plot::RooflinePlot& plot = f.window.views().roofline().currentPlot();
    CHECK(opacityOf(plot, vec4) > 0.8);
    for (const plot::PlacedDot& dot : plot.dots)
        if (dot.kernel != vec4 && dot.kernel != scalar &&
            dot.kernel != f.window.documents().selectedKernel())
            CHECK(opacityOf(plot, dot.kernel) < 0.2);

    QTest::keyClick(f.line(), Qt::Key_Return);
    const auto first = f.window.documents().selectedKernel();
    CHECK((first == vec4 || first == scalar));
    CHECK(f.window.views().kernels().selectedKernel() == first);
    CHECK(f.page.countText().contains(" of 2"));
    QTest::keyClick(f.line(), Qt::Key_Return);
    const auto second = f.window.documents().selectedKernel();
    CHECK(second != first);
    QTest::keyClick(f.line(), Qt::Key_Return, Qt::ShiftModifier);
    CHECK(f.window.documents().selectedKernel() == first);

    // Dots hidden by levels or the filter are not in the plot.
    f.window.views().kernels().setFilterText(QStringLiteral("gelu_vec4"));
    CHECK(f.page.search().kernels == std::vector{vec4});
    CHECK(f.page.countText().contains("not shown: 1"));
    f.window.views().kernels().setFilterText({});

    f.page.setSearchText(QStringLiteral("bw > lots"));
    CHECK_FALSE(f.page.search().error.isEmpty());
    CHECK_FALSE(f.window.views().roofline().options().found);
    f.page.setSearchText(QStringLiteral("nothing like it"));
    CHECK(f.page.countText() == "no match");
    QTest::keyClick(f.line(), Qt::Key_Return);
    CHECK(f.window.documents().selectedKernel() == first);
    f.page.endSearch();
    CHECK_FALSE(f.window.views().roofline().options().found);
}

TEST_CASE("the next match comes into view") {
    widgetApp();
    SearchFixture f;
    RooflineView& plot = f.window.views().roofline();
    f.page.beginSearch();
    f.page.setSearchText(QStringLiteral("gelu"));
    const auto dot = plot.currentPlot().dots.front();
    plot.zoomAt({dot.centre.x, dot.centre.y}, 40);
    for (int i = 0; i < 2; ++i) {
        QTest::keyClick(f.line(), Qt::Key_Return);
        const auto kernel = *f.window.documents().selectedKernel();
        const plot::RooflinePlot& now = plot.currentPlot();
        CHECK(std::any_of(now.dots.begin(), now.dots.end(), [&](const plot::PlacedDot& d) {
            return d.kernel == kernel && d.centre.x >= now.area.x &&
                   d.centre.x <= now.area.x + now.area.w && d.centre.y >= now.area.y &&
                   d.centre.y <= now.area.y + now.area.h;
        }));
    }
}

TEST_CASE("a matching dot is drawn above dots that do not match") {
    widgetApp();
    SearchFixture f(manyKernels(2000).build());
    const std::size_t last = f.analysis().kernels.size() - 1;
    f.window.documents().selectKernel(std::nullopt);
    f.window.views().roofline().setFound(std::vector{last});
    CHECK(opacityOf(f.window.views().roofline().currentPlot(), last) > 0.8);
    CHECK(opacityOf(f.window.views().roofline().currentPlot(), 0) < 0.2);
}

TEST_CASE("a launch that is clicked in the timeline is selected everywhere") {
    widgetApp();
    SearchFixture f(launchesInARow(20, 50, 30).build());
    f.window.views().details().setCurrentWidget(&f.window.views().details().timeline());
    TimelineView& view = f.window.views().details().timeline().view();
    REQUIRE(waitFor([&] { return view.isVisible(); }));
    view.resetView();  // it opens on one repeat
    for (const std::size_t bar : {1U, 2U}) {
        const gui::Timeline::Bar& launch = view.timeline().rows[0].bars[bar];
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {},
                          view.pixelOf(0, (launch.start + launch.end) / 2));
        CHECK(f.window.documents().selectedKernel() == launch.kernel);
        CHECK(f.window.views().kernels().selectedKernel() == launch.kernel);
    }
}
