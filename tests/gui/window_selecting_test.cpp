// SPDX-License-Identifier: Apache-2.0
// The window in use: selection, filters, and the way back.
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QTreeView>

#include "gui/app/translation.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// A place in the plot area without a dot or arrow.
QPoint emptyPlace(const RooflineView& view) {
    const plot::RooflinePlot& plot = view.currentPlot();
    for (double y = plot.area.y + 5; y < plot.area.y + plot.area.h; y += 7)
        for (double x = plot.area.x + 5; x < plot.area.x + plot.area.w; x += 7)
            if (!plot.hitTest({x, y}, 12) && !plot.hitTestArrow({x, y}, 12))
                return {int(x), int(y)};
    FAIL("no empty place");
    return {};
}

}  // namespace

TEST_CASE("Escape and a click on nothing select nothing, and the GPU stays") {
    widgetApp();
    Profile profile = sampleProfile();
    profile.devices.push_back(profile.devices.front());
    profile.devices.back().name = "Other GPU";
    profile.devices.back().chip = "AD102";
    for (std::size_t i = 0; i < profile.launches.size(); i += 2) profile.launches[i].device = 1;
    ShownWindow f(profile);
    std::optional<std::size_t> second;
    for (std::size_t i = 0; i < f.analysis().kernels.size(); ++i)
        if (f.analysis().kernels[i].group.device == 1) second = i;
    REQUIRE(second);
    f.window.documents().selectKernel(second);
    REQUIRE(f.window.views().roofline().options().device == 1U);
    QTest::mouseClick(&f.window.views().roofline(), Qt::LeftButton, {},
                      emptyPlace(f.window.views().roofline()));
    CHECK_FALSE(f.window.documents().selectedKernel());
    CHECK(f.window.views().kernels().selection().all.empty());
    CHECK_FALSE(f.window.views().hints().hasReport());
    CHECK(f.window.views().roofline().options().device == 1U);

    for (QWidget* focus : {static_cast<QWidget*>(&f.window.views().roofline()),
                           static_cast<QWidget*>(f.window.views().kernels().table())}) {
        f.window.documents().selectKernel(second);
        focus->setFocus();
        QTest::keyClick(focus, Qt::Key_Escape);
        CHECK_FALSE(f.window.documents().selectedKernel());
    }
}

TEST_CASE("a right click on a row filters by its name or verdict, said in words") {
    widgetApp();
    for (const Language language : windowLanguages()) {
        REQUIRE(useLanguage(language).ok());
        ShownWindow f;
        QStringList texts;
        QTimer::singleShot(0, &f.window, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            for (const QAction* action : menu->actions()) texts << action->text();
            menu->actions().at(2)->trigger();
            menu->close();
        });
        const QTreeView& table = *f.window.views().kernels().table();
        Q_EMIT f.window.views().kernels().table()->customContextMenuRequested(
            table.visualRect(table.model()->index(0, 0)).center());
        REQUIRE(texts.size() > 6);
        CHECK(texts[0].endsWith("transpose"));
        CHECK(texts[2].endsWith(language == test::kZh ? "接近屋顶" : "near-roof"));
        CHECK(f.window.views().kernels().filterText() == "verdict = near-roof");
        for (const std::size_t kernel : f.window.views().kernels().filterModel().visibleKernels())
            CHECK(f.analysis().kernels[kernel].verdict.cls == VerdictClass::NearRoof);
    }
    REQUIRE(useLanguage(Language::En).ok());
}

TEST_CASE("a half-typed filter keeps the last valid one, and Escape clears it") {
    widgetApp();
    ShownWindow f;
    KernelTableView& table = f.window.views().kernels();
    auto* line = table.findChild<QLineEdit*>();
    REQUIRE(line);
    line->setFocus();
    QTest::keyClicks(line, "gelu");
    const auto shown = table.filterModel().visibleKernels();
    REQUIRE_FALSE(shown.empty());
    for (const char letter : std::string(" bw > 0")) {
        QTest::keyClick(line, letter);
        INFO(line->text().toStdString());
        CHECK_FALSE(table.filterModel().visibleKernels().empty());
    }
    QTest::keyClick(line, Qt::Key_Escape);
    CHECK(line->text().isEmpty());
    CHECK_FALSE(table.filterModel().filtering());
    // Tab completes fields and verdicts one after the other, then leaves the line.
    line->setFocus();
    QTest::keyClicks(line, "co");
    for (const char* wanted : {"conflict > ", "coalescing > "}) {
        QTest::keyClick(line, Qt::Key_Tab);
        CHECK(line->text() == wanted);
        CHECK(line->hasFocus());
    }
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "coalescing > ");
    CHECK_FALSE(line->hasFocus());
    line->setFocus();
    line->setText({});
    QTest::keyClicks(line, "gelu oc");
    const auto* message = table.findChild<QLabel*>("errorText");
    REQUIRE(message);
    CHECK(message->text().contains("Tab completes: occupancy"));
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "gelu occupancy > ");
    QTest::keyClicks(line, "0 verdict = ne");
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "gelu occupancy > 0 verdict = near-roof");
    CHECK(table.filterModel().errorText().isEmpty());
    line->clear();
    // A word that does not start a comparison may match nothing.
    table.setFilterText("nosuchkernel");
    CHECK(table.filterModel().visibleKernels().empty());
}

TEST_CASE("a word with a minus leaves kernels out") {
    widgetApp();
    ShownWindow f;
    f.window.views().kernels().addToFilter("-gelu");
    const auto shown = f.window.views().kernels().filterModel().visibleKernels();
    REQUIRE_FALSE(shown.empty());
    CHECK(shown.size() < f.analysis().kernels.size());
    for (const std::size_t kernel : shown)
        CHECK(f.analysis().kernels[kernel].fullName.find("gelu") == std::string::npos);
}

TEST_CASE("exports write what the filter shows") {
    widgetApp();
    ShownWindow f;
    f.window.views().kernels().setFilterText("gelu");
    const auto shown = f.window.views().kernels().filterModel().visibleKernels();
    const auto csv = f.folder.file("table.csv");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(csv.string())).ok());
    const std::string text = readText(csv);
    CHECK(text.find("gelu") != std::string::npos);
    CHECK(text.find("transpose") == std::string::npos);
    f.window.views().kernels().setFilterText("nosuchkernel");
    CHECK_FALSE(f.window.files().exportTo(QString::fromStdString(csv.string())).ok());
    CHECK(readText(csv) == text);
}

TEST_CASE("back and forward go through what was selected and filtered") {
    widgetApp();
    ShownWindow f;
    const std::size_t one = kernelNamed(f.analysis(), "gelu_scalar");
    const std::size_t two = kernelNamed(f.analysis(), "transpose");
    f.window.documents().selectKernel(one);
    f.window.views().kernels().addToFilter("transpose");
    f.window.documents().selectKernel(two);
    f.window.history().go(-1);
    CHECK(f.window.documents().selectedKernel() == one);
    CHECK(f.window.views().kernels().filterText() == "transpose");
    f.window.history().go(-1);
    CHECK(f.window.views().kernels().filterText().isEmpty());
    f.window.history().go(1);
    f.window.history().go(1);
    CHECK(f.window.documents().selectedKernel() == two);
    f.window.history().go(1);  // there is no later entry
    CHECK(f.window.documents().selectedKernel() == two);
}
