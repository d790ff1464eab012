// SPDX-License-Identifier: Apache-2.0
// A kernel's activity over time in the window: the reports' picture, and a cursor on intervals.
#include "gui/views/details/over_time_page.h"

#include <algorithm>

#include <QImage>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>

#include "gui/app/export.h"
#include "gui/app/main_window.h"
#include "gui/app/translation.h"
#include "gui/app/workspace.h"
#include "gui/models/files/profile_reader.h"
#include "gui/views/details/details_view.h"
#include "gui/views/recording/record_hint.h"
#include "tests/gui/core_app.h"
#include "tests/gui/picture.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr const char* kPhases =
    ROOFSCOPE_SOURCE_DIR "/tests/data/over_time/h200_phases.roofscope.json.gz";

std::shared_ptr<const Analysis> recorded() {
    auto profile = readAnyProfile(kPhases);
    REQUIRE(profile.ok());
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(*std::move(profile))));
}

struct Shown {
    std::shared_ptr<const Analysis> analysis;
    OverTimePage page;
    OverTimeView& view = page.view();

    explicit Shown(const char* kernel, QSize size = {1000, 330}) : analysis(recorded()) {
        page.resize(size);
        page.setKernel(analysis, kernelNamed(*analysis, kernel));
        page.show();
        REQUIRE(QTest::qWaitForWindowExposed(&page));
    }
    const OverTimeAnalysis& life(const char* kernel) {
        return *analysis->kernels[kernelNamed(*analysis, kernel)].overTime;
    }
    /// The middle of an interval, in the top row.
    QPoint placeOf(const OverTimeAnalysis& life, std::size_t interval) {
        const plot::Rect& area = view.picture().area;
        const OverTimeInterval& at = life.curve[interval];
        const double middle = (at.from + at.to).value / 2 / life.curve.back().to.value;
        return {qRound(area.x + area.w * middle), qRound(area.y + 5)};
    }
    QStringList texts() {
        QStringList all;
        for (const plot::Shape& shape : view.picture().shapes.free)
            if (const auto* text = std::get_if<plot::TextShape>(&shape))
                all << QString::fromStdString(text->text);
        return all;
    }
};

}  // namespace

TEST_CASE("the window draws a kernel's time as the reports do, and marks what they name") {
    widgetApp();
    Shown f("alternating");
    REQUIRE(f.page.hasCurve());
    const auto again = plot::layoutOverTime(*f.analysis, kernelNamed(*f.analysis, "alternating"),
                                            {.width = f.view.picture().shapes.width,
                                             .height = f.view.maximumViewportSize().height() * 1.0,
                                             .framed = false});
    CHECK(again.shapes.free.size() == f.view.picture().shapes.free.size());
    CHECK(again.shapes.clipped.size() == f.view.picture().shapes.clipped.size());
    const QStringList texts = f.texts();
    CHECK(texts.contains("alternating: 5 phases of moving data (165 µs), 5 of computing (522 µs)"));
    CHECK(texts.contains("82 % in its 5 phases"));
    CHECK(texts.contains("65 % in its 5 phases"));
    CHECK(texts.contains("moving data"));
    CHECK(texts.contains("computing"));
    CHECK(f.page.findChild<QLabel*>("overTimeWords")->text().startsWith("Over its 715 µs"));
    CHECK(f.view.accessibleDescription().startsWith("Over its 715 µs"));
    CHECK(coloursIn(f.view.grab().toImage(), 0.2, 0.1, 0.7, 0.8) > 10);

    f.page.setKernel(f.analysis, kernelNamed(*f.analysis, "tail"));
    CHECK(f.texts().contains("tail: 100 µs"));
}

TEST_CASE("the mouse and the keys read the numbers of an interval") {
    widgetApp();
    Shown f("tail");
    const OverTimeAnalysis& life = f.life("tail");
    REQUIRE(life.curve.size() > 100);
    CHECK(f.page.words().startsWith("Over its"));
    const std::size_t late = life.curve.size() - 10;
    QTest::mouseMove(f.view.widget(), f.placeOf(life, late));
    REQUIRE(f.view.cursorAt() == late);
    CHECK(f.page.words().contains("(tail: 100 µs)"));
    CHECK(f.page.words().contains("Active SMs: 0.7"));
    CHECK(QToolTip::text().contains("Active SMs: 0.7"));
    CHECK(f.view.accessibleDescription().contains("Active SMs: 0.7"));

    f.view.setFocus();
    QTest::keyClick(&f.view, Qt::Key_Right);
    CHECK(f.view.cursorAt() == late + 1);
    QTest::keyClick(&f.view, Qt::Key_Home);
    CHECK(f.view.cursorAt() == 0U);
    QTest::keyClick(&f.view, Qt::Key_Left);  // already at the start
    CHECK(f.view.cursorAt() == 0U);
    QTest::keyClick(&f.view, Qt::Key_End);
    CHECK(f.view.cursorAt() == life.curve.size() - 1);
    QTest::keyClick(&f.view, Qt::Key_Right);
    CHECK(f.view.cursorAt() == life.curve.size() - 1);
    QTest::keyClick(&f.view, Qt::Key_Escape);
    CHECK_FALSE(f.view.cursorAt());
    CHECK(f.page.words().startsWith("Over its"));
    CHECK(f.view.accessibleDescription().startsWith("Over its"));
    // Each interval can be pointed at; places outside the rows are no interval.
    f.page.resize(1700, 400);
    for (const std::size_t i : {std::size_t(0), std::size_t(1), life.curve.size() / 2})
        CHECK(f.view.intervalAt(f.placeOf(life, i)) == i);
    CHECK_FALSE(f.view.intervalAt({3, 40}));
    f.view.setScale(2);
    CHECK(f.view.intervalAt(f.placeOf(life, 7) * 2) == 7U);
}

TEST_CASE("pointing at a phase says which it is") {
    widgetApp();
    Shown f("alternating");
    const OverTimeAnalysis& life = f.life("alternating");
    const std::vector<Phase>& phases = life.phases->list;
    REQUIRE(phases.size() == 10);
    const Phase& third = phases[2];
    const auto within = std::ranges::find_if(
        life.curve, [&](const OverTimeInterval& at) { return at.from > third.from; });
    // On its bar at the bottom of the picture.
    const auto index = static_cast<std::size_t>(within - life.curve.begin());
    QPoint at = f.placeOf(life, index);
    const plot::Rect& area = f.view.picture().area;
    at.setY(qRound(area.y + area.h) - 20);
    QTest::mouseMove(f.view.widget(), at);
    REQUIRE(f.view.cursorAt() == index);
    CHECK(f.page.words().contains("(phase 3 of 10: moving data, "));
    CHECK(QToolTip::text().contains("phase 3 of 10"));
    CHECK(f.view.accessibleDescription().contains("phase 3 of 10"));
}

TEST_CASE("a curve is read in small and large panes, light and dark, in both languages") {
    widgetApp();
    for (const QSize size : {QSize(420, 120), QSize(1000, 330), QSize(2500, 900)}) {
        Shown f("alternating", size);
        const plot::DrawList& shapes = f.view.picture().shapes;
        CHECK(f.view.widget()->height() >= int(shapes.height));
        CHECK(shapes.height >= 16 * 4);
        // No horizontal scroll bar.
        CHECK(f.view.widget()->width() <= std::max(480, f.view.viewport()->width()));
        const QImage light = f.page.grab().toImage();
        f.page.setTheme(plot::Theme::Dark);
        CHECK(f.page.grab().toImage() != light);
    }
    REQUIRE(useLanguage(test::kZh).ok());
    {
        Shown f("alternating");
        CHECK(f.texts().contains("活动的 SM"));
        CHECK(f.page.words().startsWith("在其 715 µs 内"));
    }
    REQUIRE(useLanguage(Language::En).ok());
}

TEST_CASE("without a curve the tab says how to record one") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    OverTimePage page;
    page.setKernel(analysis, kernelNamed(*analysis, "transpose"));
    CHECK_FALSE(page.hasCurve());
    CHECK(page.hint().command().startsWith("roofscope record --over-time "));
    CHECK(page.hint().command().contains("transpose"));
    page.setKernel(analysis, std::nullopt);
    CHECK(page.hint().command().isEmpty());
    page.view().setCursorAt(3);
    CHECK_FALSE(page.view().cursorAt());
}

TEST_CASE("the window exports a kernel's time as the command line does") {
    widgetApp();
    const TemporaryFolder folder;
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
    window.documents().open({QString::fromUtf8(kPhases)});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    const Analysis& analysis = *window.documents().document()->analysis;
    window.documents().selectKernel(kernelNamed(analysis, "tail"));
    window.views().details().showTab("over-time");
    CHECK(window.views().details().currentWidget() == &window.views().details().overTime());
    for (const char* name : {"life.svg", "life.png", "life.pdf"}) {
        const auto path = QString::fromStdString(folder.file(name).string());
        REQUIRE(window.files().exportTo(path, Picture::OverTime).ok());
    }
    const std::string svg = readText(folder.file("life.svg"));
    CHECK(svg.find("tail: 100 µs") != std::string::npos);
    CHECK(svg.find("tail over time") != std::string::npos);
    CHECK(QImage(QString::fromStdString(folder.file("life.png").string())).width() > 1500);
    CHECK(firstOverTime(analysis) < analysis.kernels.size());

    const ProfileDocument other = sampleDocument();
    const auto none = exportDocument(other, QString::fromStdString(folder.file("no.svg").string()),
                                     {.picture = Picture::OverTime});
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().advice.find("--over-time") != std::string::npos);
}
