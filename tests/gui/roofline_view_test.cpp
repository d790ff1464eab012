// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plot/roofline_view.h"

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <set>

#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/plot/roofline_tooltip.h"
#include "gui/models/text/number_text.h"
#include "gui/views/plot/viewport_math.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct RooflineFixture {
    std::shared_ptr<const Analysis> analysis = sampleAnalysis();
    RooflineView view;
    RooflineFixture() {
        view.resize(800, 560);
        view.setAnalysis(analysis);
        view.show();
        REQUIRE(QTest::qWaitForWindowExposed(&view));
    }
    /// A dot that is on top at its centre.
    plot::PlacedDot topDot() {
        for (const plot::PlacedDot& dot : view.currentPlot().dots) {
            const auto hit = view.currentPlot().hitTest(dot.centre);
            if (hit && view.currentPlot().dots[*hit].kernel == dot.kernel &&
                view.currentPlot().dots[*hit].level == dot.level)
                return dot;
        }
        FAIL("no dot can be hit");
        return {};
    }
    static QPoint at(plot::Point p) { return {qRound(p.x), qRound(p.y)}; }
    plot::Viewport viewport() { return view.currentPlot().viewport; }
};

bool same(const plot::Viewport& a, const plot::Viewport& b) {
    return a.xMin == Approx(b.xMin) && a.xMax == Approx(b.xMax) && a.yMin == Approx(b.yMin) &&
           a.yMax == Approx(b.yMax);
}

}  // namespace

TEST_CASE("a click on a dot reports its kernel, a click beside it nothing") {
    widgetApp();
    RooflineFixture f;
    QSignalSpy clicked(&f.view, &RooflineView::kernelClicked);
    const plot::PlacedDot dot = f.topDot();
    QTest::mouseClick(&f.view, Qt::LeftButton, {}, RooflineFixture::at(dot.centre));
    REQUIRE(clicked.count() == 1);
    CHECK(clicked[0][0].value<std::size_t>() == dot.kernel);
    const plot::Rect area = f.view.currentPlot().area;
    QTest::mouseClick(&f.view, Qt::LeftButton, {},
                      RooflineFixture::at({area.x + area.w - 4, area.y + area.h - 4}));
    CHECK(clicked.count() == 1);
}

TEST_CASE("hovering over a dot shows its numbers") {
    widgetApp();
    RooflineFixture f;
    const plot::PlacedDot dot = f.topDot();
    QTest::mouseMove(&f.view, RooflineFixture::at(dot.centre));
    const QString text = f.view.hoverText();
    const KernelAnalysis& kernel = f.analysis->kernels[dot.kernel];
    CHECK(text.contains(QString::fromStdString(kernel.name).toHtmlEscaped()));
    CHECK(text.contains(roofscope::gui::text(dot.rate)));
    CHECK(text.contains(roofscope::gui::text(dot.intensity)));
    CHECK(text.contains(verdictText(kernel.verdict).toHtmlEscaped()));
    const plot::Rect area = f.view.currentPlot().area;
    QTest::mouseMove(&f.view, RooflineFixture::at({area.x + area.w - 4, area.y + area.h - 4}));
    CHECK(f.view.hoverText().isEmpty());
}

TEST_CASE("wheel, drag, keys and double-click move the view") {
    widgetApp();
    RooflineFixture f;
    const plot::Viewport fitted = f.viewport();
    const plot::Rect area = f.view.currentPlot().area;
    const QPointF cursor(area.x + area.w * 0.25, area.y + area.h * 0.75);

    const plot::Point before = f.view.currentPlot().toLog({cursor.x(), cursor.y()});
    QWheelEvent wheel(cursor, f.view.mapToGlobal(cursor), {}, {0, 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&f.view, &wheel);
    CHECK(f.viewport().xMax - f.viewport().xMin < fitted.xMax - fitted.xMin);
    const plot::Point after = f.view.currentPlot().toLog({cursor.x(), cursor.y()});
    CHECK(after.x == Approx(before.x));
    CHECK(after.y == Approx(before.y));

    const plot::Viewport zoomedIn = f.viewport();
    const QPoint from = RooflineFixture::at({area.x + area.w - 60, area.y + area.h - 60});
    QTest::mousePress(&f.view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&f.view, from + QPoint(-50, 0));
    QTest::mouseRelease(&f.view, Qt::LeftButton, {}, from + QPoint(-50, 0));
    CHECK(same(f.viewport(), panned(zoomedIn, -50 / area.w, 0)));

    QTest::keyClick(&f.view, Qt::Key_0);
    CHECK(same(f.viewport(), fitted));
    QTest::keyClick(&f.view, Qt::Key_Plus);
    CHECK(f.viewport().yMax - f.viewport().yMin < fitted.yMax - fitted.yMin);
    QTest::keyClick(&f.view, Qt::Key_Minus);
    CHECK(same(f.viewport(), fitted));
    QTest::keyClick(&f.view, Qt::Key_Right);
    CHECK(f.viewport().xMin > fitted.xMin);
    QTest::mouseDClick(&f.view, Qt::LeftButton, {}, from);
    CHECK(same(f.viewport(), fitted));
}

TEST_CASE("levels, filter and selection reach the layout") {
    widgetApp();
    RooflineFixture f;
    const auto levels = [&] {
        std::set<Level> shown;
        for (const plot::PlacedDot& dot : f.view.currentPlot().dots) shown.insert(dot.level);
        return shown;
    };
    CHECK(levels().count(Level::L2) == 1);
    f.view.setLevelShown(Level::L2, false);
    CHECK(levels().count(Level::L2) == 0);
    CHECK(levels().count(Level::Dram) == 1);
    f.view.setLevelShown(Level::L2, true);

    const plot::Viewport before = f.viewport();
    const std::size_t gelu = kernelNamed(*f.analysis, "gelu_vec4");
    f.view.setVisibleKernels(std::vector{gelu});
    REQUIRE_FALSE(f.view.currentPlot().dots.empty());
    for (const plot::PlacedDot& dot : f.view.currentPlot().dots) CHECK(dot.kernel == gelu);
    CHECK(same(f.viewport(), before));

    // Everything is filtered out: no kernel can be hit or is drawn.
    f.view.setVisibleKernels(std::vector<std::size_t>{});
    QSignalSpy clicked(&f.view, &RooflineView::kernelClicked);
    f.view.setVisibleKernels(std::nullopt);
    CHECK(f.view.currentPlot().dots.size() > 1);
}

TEST_CASE("dots of tensor cores can be switched off, and say their type") {
    widgetApp();
    SyntheticProfile p;
    p.launch(p.kernel("product"), {132, 1, 1}, {128, 1, 1})
        .counterDurationUs(100)
        .set("dram__bytes_read.sum", 1e8)
        .set("dram__bytes_write.sum", 1e8)
        .set("sm__ops_path_tensor_src_int8.sum", 6e10);
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    RooflineView view;
    view.resize(800, 560);
    view.setAnalysis(analysis);
    REQUIRE(view.currentPlot().dots.size() == 1);
    const QString tip = rooflineTooltip(*analysis, view.currentPlot().dots[0]);
    CHECK(tip.contains("INT8 tensor rate"));
    CHECK(tip.contains(QString::fromUtf8("600\u00a0TOP/s")));
    CHECK(tip.contains(QString::fromUtf8("300\u00a0OP/B")));
    view.setTensorCoresShown(false);
    CHECK(view.currentPlot().dots.empty());
    CHECK_FALSE(view.options().tensorCores);
}

TEST_CASE("an empty view paints and takes events") {
    widgetApp();
    RooflineView view;
    view.resize(300, 240);
    view.show();
    REQUIRE(QTest::qWaitForWindowExposed(&view));
    QTest::mouseClick(&view, Qt::LeftButton);
    QTest::keyClick(&view, Qt::Key_Plus);
    QTest::keyClick(&view, Qt::Key_Left);
    view.zoomAt({10, 10}, 2);
    CHECK_FALSE(view.grab().isNull());
}
