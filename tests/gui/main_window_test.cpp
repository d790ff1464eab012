// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <fstream>
#include <map>
#include <set>

#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_delegate.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/data_view_setup.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct WindowFixture {
    TemporaryFolder folder;
    std::filesystem::path file = folder.file("run.roofscope.json");
    MainWindow window{{.persistent = false, .theme = ThemeChoice::Light}};

    WindowFixture() { REQUIRE(writeProfile(sampleProfile(), file).ok()); }
    void open(const std::filesystem::path& path) {
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({QString::fromStdString(path.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
    }
    /// Opens a second profile; the first one stays visible.
    std::filesystem::path openOther() {
        const auto other = folder.file("other.roofscope.json");
        Profile profile = sampleProfile();
        for (std::size_t i = 0; i < profile.launches.size(); ++i)
            if (const auto value = profile.counters.value("gpu__time_duration.sum", i))
                profile.counters.set("gpu__time_duration.sum", i, *value * 2);
        REQUIRE(writeProfile(profile, other).ok());
        open(other);
        open(file);
        return other;
    }
    void openAndShow() {
        open(file);
        REQUIRE(window.documents().document());
        window.resize(1280, 800);
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
    }
    const Analysis& analysis() { return *window.documents().document()->analysis; }
};

}  // namespace

TEST_CASE("opening a profile selects the kernel with the most time and names the window") {
    widgetApp();
    WindowFixture f;
    CHECK(f.window.documents().document() == nullptr);
    CHECK(f.window.windowTitle() == "roofscope");
    f.openAndShow();
    CHECK(f.window.windowTitle().contains("run"));
    CHECK(f.window.documents().selectedKernel() == 0U);
    CHECK(f.window.views().kernels().selectedKernel() == 0U);
    CHECK(f.window.views().roofline().options().selected == 0U);
    CHECK(f.window.views().hints().hasReport());
}

TEST_CASE("a click on a dot selects the row, and a row selects the dot") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    RooflineView& plot = f.window.views().roofline();
    const auto& dots = plot.currentPlot().dots;
    const auto other = std::find_if(dots.begin(), dots.end(), [&](const plot::PlacedDot& dot) {
        const auto hit = plot.currentPlot().hitTest(dot.centre);
        return dot.kernel != 0 && hit && dots[*hit].kernel == dot.kernel;
    });
    REQUIRE(other != dots.end());
    const std::size_t kernel = other->kernel;
    QTest::mouseClick(&plot, Qt::LeftButton, {},
                      {qRound(other->centre.x), qRound(other->centre.y)});
    CHECK(f.window.documents().selectedKernel() == kernel);
    CHECK(f.window.views().kernels().selectedKernel() == kernel);
    CHECK(f.window.views().hints().markdown().contains(
        QString::fromStdString(f.analysis().kernels[kernel].name)));

    f.window.views().kernels().table()->setFocus();
    QTest::keyClick(f.window.views().kernels().table(), Qt::Key_Home, Qt::ControlModifier);
    REQUIRE(f.window.documents().selectedKernel());
    CHECK(f.window.documents().selectedKernel() == f.window.views().kernels().selectedKernel());
    CHECK(plot.options().selected == f.window.documents().selectedKernel());
}

TEST_CASE("a bad file is told in the bar, and what is open stays") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const auto before = f.window.documents().document()->analysis;
    const auto bad = f.folder.file("bad.roofscope.json");
    std::ofstream(bad) << "not json";
    f.open(bad);
    CHECK(f.window.documents().document()->analysis == before);
    CHECK(f.window.views().messageBar().message().contains("bad.roofscope.json"));
    CHECK(f.window.views().messageBar().isVisible());
}

TEST_CASE(
    "a file that changes is loaded again and keeps the selection; a broken one keeps the old") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const std::size_t chosen = kernelNamed(f.analysis(), "gelu_scalar");
    f.window.documents().selectKernel(chosen);
    const auto first = f.window.documents().document()->analysis;

    Profile changed = sampleProfile();
    for (int i = 0; i < 40; ++i) {  // other kernels take longer, so indices change
        changed.launches.push_back(changed.launches[4]);
        for (const std::string& name : changed.counters.names())
            if (const auto value = changed.counters.value(name, 4))
                changed.counters.set(name, changed.launches.size() - 1, *value);
        changed.counters.resize(changed.launches.size());
    }
    REQUIRE(writeProfile(changed, f.file).ok());
    REQUIRE(waitFor([&] { return f.window.documents().document()->analysis != first; }));
    const auto second = f.window.documents().document()->analysis;
    REQUIRE(f.window.documents().selectedKernel());
    CHECK(second->kernels[*f.window.documents().selectedKernel()].fullName ==
          first->kernels[chosen].fullName);
    CHECK(*f.window.documents().selectedKernel() != chosen);

    std::ofstream(f.file, std::ios::trunc) << "{ half a fi";
    REQUIRE(waitFor([&] { return f.window.views().messageBar().isError(); }));
    CHECK(f.window.documents().document()->analysis == second);
    CHECK(f.window.views().messageBar().message().contains("stays open"));
}

TEST_CASE("several profiles are open side by side") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const auto other = f.folder.file("other.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), other).ok());
    f.open(other);
    CHECK(f.window.documents().document()->title() == "other");
    f.open(f.file);  // already open: shown, not opened twice
    CHECK(f.window.documents().document()->title() == "run");
    f.window.documents().close(0);
    REQUIRE(f.window.documents().document());
    CHECK(f.window.documents().document()->title() == "other");
    f.window.documents().close(0);
    CHECK(f.window.documents().document() == nullptr);
    CHECK_FALSE(f.window.views().hints().hasReport());
}

TEST_CASE("a filter narrows table and plot; a selected kernel that is hidden stays the one shown") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    f.window.views().kernels().setFilterText("gelu");
    for (const plot::PlacedDot& dot : f.window.views().roofline().currentPlot().dots)
        CHECK(f.analysis().kernels[dot.kernel].name.find("gelu") != std::string::npos);
    CHECK_FALSE(f.window.views().kernels().selectedKernel());
    CHECK(f.window.documents().selectedKernel() == 0U);
    f.window.views().kernels().setFilterText("");
    CHECK(f.window.views().kernels().selectedKernel() == 0U);
}

TEST_CASE("every action has a name, and no two share a shortcut") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    std::map<QString, QString> seen;
    int actions = 0;
    for (const QAction* action : f.window.findChildren<QAction*>()) {
        if (action->isSeparator() || action->shortcut().isEmpty()) continue;
        ++actions;
        const QString key = action->shortcut().toString();
        INFO(key.toStdString() << ": " << action->text().toStdString() << " / "
                               << seen[key].toStdString());
        CHECK(seen[key].isEmpty());
        seen[key] = action->text();
    }
    CHECK(actions > 20);
    for (QAction* menu : f.window.menuBar()->actions()) CHECK_FALSE(menu->text().isEmpty());
}

TEST_CASE("the keyboard reaches every part, and every part has a name") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    f.window.activateWindow();
    std::set<QWidget*> reached;
    f.window.views().kernels().table()->setFocus();
    for (int i = 0; i < 60; ++i) {
        if (QWidget* focus = QApplication::focusWidget()) reached.insert(focus);
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &f.window,
                        Qt::Key_Tab);
    }
    CHECK(reached.count(f.window.views().kernels().table()) == 1);
    CHECK(reached.count(&f.window.views().roofline()) == 1);
    CHECK(reached.size() >= 6);
    for (const QWidget* widget : reached) {
        INFO(widget->metaObject()->className());
        const QAccessibleInterface* accessible =
            QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        REQUIRE(accessible);
        CHECK_FALSE(accessible->text(QAccessible::Name).isEmpty());
    }
}

TEST_CASE("dropped files are opened") {
    widgetApp();
    WindowFixture f;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(f.file.string()))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &enter);
    CHECK(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &drop);
    CHECK(waitFor([&] { return f.window.documents().document() != nullptr; }));
}

TEST_CASE("layout, theme and recent files are remembered") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), file).ok());
    {
        MainWindow window({.persistent = true});
        window.look().setTheme(ThemeChoice::Dark);
        window.documents().open({QString::fromStdString(file.string())});
        REQUIRE(waitFor([&] { return window.documents().document() != nullptr; }));
        window.close();
    }
    const QSettings settings;
    CHECK(settings.value("theme").toInt() == int(ThemeChoice::Dark));
    CHECK(settings.value("recent").toStringList().value(0).toStdString() == file.string());
    MainWindow again({.persistent = true});
    again.close();
    CHECK(QSettings().value("theme").toInt() == int(ThemeChoice::Dark));
}

TEST_CASE("with a baseline every view says what changed, and without one none does") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const QString other = QString::fromStdString(f.openOther().string());
    CHECK(f.window.documents().comparison() == nullptr);
    f.window.documents().setBaseline(other);
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    CHECK_FALSE(f.window.views().kernels().table()->isColumnHidden(int(KernelColumn::Change)));
    REQUIRE_FALSE(f.window.views().roofline().currentPlot().arrows.empty());
    CHECK(f.window.views().hints().hasComparison());
    CHECK(f.window.views().hints().markdown().contains("Since the baseline"));
    f.window.views().hints().showComparison(true);
    CHECK(f.window.views().hints().markdown().contains("other.roofscope.json"));

    // A click on an arrow selects its kernel.
    const plot::PlacedArrow arrow = f.window.views().roofline().currentPlot().arrows.back();
    const auto at = [](plot::Point p) { return QPoint(qRound(p.x), qRound(p.y)); };
    if (!f.window.views().roofline().currentPlot().hitTest(arrow.from)) {
        QTest::mouseClick(&f.window.views().roofline(), Qt::LeftButton, {}, at(arrow.from));
        CHECK(f.window.documents().selectedKernel() == arrow.kernel);
    }

    f.window.documents().setBaseline({});
    CHECK(f.window.documents().comparison() == nullptr);
    CHECK(f.window.views().kernels().table()->isColumnHidden(int(KernelColumn::Change)));
    CHECK(f.window.views().roofline().currentPlot().arrows.empty());
    CHECK_FALSE(f.window.views().hints().hasComparison());
}

TEST_CASE("closing the baseline ends the comparison; the baseline itself has none") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const QString other = QString::fromStdString(f.openOther().string());
    f.window.documents().setBaseline(other);
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    f.open(other.toStdString());
    CHECK(f.window.documents().document()->title() == "other");
    CHECK_FALSE(f.window.views().hints().hasComparison());
    f.window.documents().close(1);
    CHECK(f.window.documents().baseline().isEmpty());
    CHECK(f.window.documents().document()->title() == "run");
    CHECK(f.window.documents().comparison() == nullptr);
    CHECK(f.window.views().roofline().currentPlot().arrows.empty());
}

TEST_CASE("two selected kernels are compared with each other") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const std::size_t scalar = kernelNamed(f.analysis(), "gelu_scalar");
    const std::size_t wide = kernelNamed(f.analysis(), "gelu_vec4");
    f.window.documents().select(
        {.current = wide, .all = {std::min(scalar, wide), std::max(scalar, wide)}});
    CHECK(f.window.views().kernels().selection().all.size() == 2);
    CHECK(f.window.views().kernels().selection().current == wide);
    f.window.documents().compareSelected();
    REQUIRE(f.window.views().hints().hasComparison());
    const QString text = f.window.views().hints().markdown();
    CHECK(text.contains("gelu_scalar"));
    CHECK(text.contains("gelu_vec4"));
    REQUIRE_FALSE(f.window.views().roofline().currentPlot().arrows.empty());
    for (const plot::PlacedArrow& arrow : f.window.views().roofline().currentPlot().arrows)
        CHECK(arrow.kernel == wide);
    f.window.documents().selectKernel(scalar);
    CHECK_FALSE(f.window.views().hints().hasComparison());
    CHECK(f.window.views().roofline().currentPlot().arrows.empty());
}

TEST_CASE("a box in the plot selects its kernels everywhere") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    RooflineView& plot = f.window.views().roofline();
    const plot::Rect area = plot.currentPlot().area;
    std::set<std::size_t> shown;
    for (const plot::PlacedDot& dot : plot.currentPlot().dots) shown.insert(dot.kernel);
    REQUIRE(shown.size() > 2);
    const auto drag = [&](plot::Point from, plot::Point to) {
        const QPoint a(qRound(from.x), qRound(from.y)), b(qRound(to.x), qRound(to.y));
        QTest::mousePress(&plot, Qt::LeftButton, Qt::ShiftModifier, a);
        QMouseEvent move(QEvent::MouseMove, QPointF(b), plot.mapToGlobal(QPointF(b)), Qt::NoButton,
                         Qt::LeftButton, Qt::ShiftModifier);
        QApplication::sendEvent(&plot, &move);
        QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ShiftModifier, b);
    };
    const plot::Viewport before = plot.currentPlot().viewport;
    drag({area.x, area.y}, {area.x + area.w, area.y + area.h});
    CHECK(plot.currentPlot().viewport.xMin == before.xMin);
    CHECK(f.window.documents().selection().all ==
          std::vector<std::size_t>(shown.begin(), shown.end()));
    CHECK(f.window.views().kernels().selection().all == f.window.documents().selection().all);
    CHECK(plot.options().marked == f.window.documents().selection().all);
    // An empty corner selects nothing and keeps the selection.
    const auto all = f.window.documents().selection();
    drag({area.x + area.w - 6, area.y + area.h - 6}, {area.x + area.w, area.y + area.h});
    CHECK(f.window.documents().selection() == all);
}

TEST_CASE("a selected group stands for its kernels, and grouping keeps the selection") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const std::size_t chosen = kernelNamed(f.analysis(), "repeated");
    f.window.documents().selectKernel(chosen);
    f.window.views().kernels().setGrouping(KernelGrouping::Range);
    CHECK(f.window.documents().selectedKernel() == chosen);
    CHECK(f.window.views().kernels().selectedKernel() == chosen);
    const QModelIndex group = f.window.views()
                                  .kernels()
                                  .filterModel()
                                  .indexOfKernel(kernelNamed(f.analysis(), "copy"))
                                  .parent();
    REQUIRE(group.isValid());
    f.window.views().kernels().table()->selectionModel()->setCurrentIndex(
        group, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    CHECK(f.window.documents().selection().all.size() == f.analysis().kernels.size() - 1);
}

TEST_CASE("the convention of Nsight Compute changes what is shown at L2, and back") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    const std::size_t chosen = kernelNamed(f.analysis(), "gelu_scalar");
    f.window.documents().selectKernel(chosen);
    f.window.documents().setConvention(Convention::Ncu);
    REQUIRE(waitFor([&] { return f.analysis().convention == Convention::Ncu; }));
    CHECK(f.window.documents().selectedKernel() == chosen);
    CHECK(f.window.views().hints().markdown().contains("--convention ncu"));
    f.window.documents().setConvention(Convention::Roofscope);
    REQUIRE(waitFor([&] { return f.analysis().convention == Convention::Roofscope; }));
}

TEST_CASE("groups are collapsed at first; a button expands and collapses them all") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    f.window.views().showOverview(false);
    KernelTableView& view = f.window.views().kernels();
    auto* fold = view.findChild<QToolButton*>(QStringLiteral("foldGroups"));
    REQUIRE(fold);
    CHECK_FALSE(fold->isVisible());
    view.setGrouping(KernelGrouping::Name);
    CHECK(fold->isVisible());
    view.setGrouping(KernelGrouping::Range);  // groups by name have one kernel each here
    const auto expanded = [&] {
        int count = 0;
        for (int row = 0; row < view.filterModel().rowCount(); ++row)
            count += view.table()->isExpanded(view.filterModel().index(row, 0));
        return count;
    };
    CHECK(expanded() == 0);
    CHECK(fold->isChecked());
    const std::size_t chosen = kernelNamed(f.analysis(), "copy");
    f.window.documents().selectKernel(chosen);
    CHECK(expanded() == 1);  // shows the kernel
    fold->click();
    CHECK(expanded() == view.filterModel().rowCount());
    f.window.resize(f.window.width(), f.window.height() - 20);
    fold->click();
    QTest::qWait(20);  // a new size keeps the current row in view, but expands no group
    CHECK(expanded() == 0);
    CHECK(f.window.documents().selectedKernel() == chosen);
    CHECK(view.selectedKernel() == chosen);
    view.setFilterText("copy");  // shows what it found
    CHECK(expanded() == view.filterModel().rowCount());
    CHECK_FALSE(fold->isChecked());
    view.setFilterText({});
    fold->click();
    fold->click();
    CHECK(expanded() == view.filterModel().rowCount());
    view.setGrouping(KernelGrouping::None);
    CHECK_FALSE(fold->isVisible());
}

TEST_CASE("collapsing all groups keeps the current one in its place") {
    widgetApp();
    SyntheticProfile p;
    for (int name = 0; name < 40; ++name) {
        const auto kernel = p.kernel("kernel_" + std::to_string(name) + "(float*)");
        for (const std::uint32_t grid : {8U, 16U, 32U})
            p.launch(kernel, {grid, 1, 1}, {64, 1, 1}).durationUs(100 - name);
    }
    KernelTableView view;
    view.resize(600, 300);
    view.show();
    REQUIRE(QTest::qWaitForWindowExposed(&view));
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    view.setAnalysis(analysis);
    view.setGrouping(KernelGrouping::Name);
    view.setExpanded(true);
    const KernelSelection chosen = KernelSelection::of(kernelNamed(*analysis, "kernel_20"));
    view.select(chosen);
    const QModelIndex row = view.table()->currentIndex();
    const int before = view.table()->visualRect(row).top();
    view.setExpanded(false);
    CHECK(std::abs(view.table()->visualRect(row.parent()).top() - before) < 3);
    CHECK(view.selection() == chosen);
    view.setExpanded(true);
    CHECK(view.selection() == chosen);
    CHECK(view.table()->viewport()->rect().intersects(view.table()->visualRect(row)));
}

TEST_CASE("in a narrow table long names are cut so that they differ") {
    widgetApp();
    SyntheticProfile p;
    for (const char* tile : {"128x128x32", "128x64x32", "64x128x32", "64x64x32", "256x64x32"})
        p.launch(p.kernel(std::string("sm90_xmma_wgrad_implicit_gemm_tf32f32_f32_tilesize") + tile +
                          "_segment_k_off_kernel__5x_cudnn"),
                 {30, 4, 1}, {384, 1, 1})
            .durationUs(10);
    KernelTableView view;
    view.resize(500, 300);
    view.show();
    REQUIRE(QTest::qWaitForWindowExposed(&view));
    view.setAnalysis(
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build()))));
    const auto* delegate = qobject_cast<const KernelDelegate*>(view.table()->itemDelegate());
    REQUIRE(delegate);
    std::set<QString> shown;
    for (int row = 0; row < 5; ++row) {
        const QModelIndex index = view.filterModel().index(row, 0);
        QStyleOptionViewItem option;
        option.initFrom(view.table());
        option.widget = view.table();
        option.rect = view.table()->visualRect(index);
        const QString text = delegate->shownIn(option, index);
        INFO(text.toStdString());
        CHECK(text.contains(QChar(0x2026)));
        CHECK(shown.insert(text).second);
        CHECK(index.data(KernelTableModel::NameRole).toString().endsWith("cudnn"));
    }
}

TEST_CASE("without a baseline no column of changes is offered or copied") {
    widgetApp();
    WindowFixture f;
    f.openAndShow();
    KernelTableView& view = f.window.views().kernels();
    for (const QAction* action : view.columnActions())
        CHECK(action->isVisible() == (action->data().toInt() != int(KernelColumn::Change) &&
                                      action->data().toInt() != int(KernelColumn::Moved)));
    f.window.documents().selectKernel(kernelNamed(f.analysis(), "copy"));
    const QString copied = selectedRowsText(*view.table());
    CHECK(copied.contains("copy"));
    CHECK_FALSE(copied.contains("Change"));
}

TEST_CASE("columns, their choice and the grouping are remembered") {
    widgetApp();
    KernelTableView first;
    first.setGrouping(KernelGrouping::Name);
    for (QAction* action : first.columnActions())
        if (action->data().toInt() == int(KernelColumn::Intensity)) action->setChecked(false);
    KernelTableView second;
    second.restoreState(first.saveState());
    CHECK(second.grouping() == KernelGrouping::Name);
    CHECK(second.table()->isColumnHidden(int(KernelColumn::Intensity)));
    CHECK_FALSE(second.table()->isColumnHidden(int(KernelColumn::Verdict)));
    second.restoreState("nonsense");
    CHECK(second.grouping() == KernelGrouping::Name);
}

TEST_CASE("a requested kernel that no profile has is reported once") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), file).ok());
    for (const char* kernel : {"nosuch", "transpose", ""}) {
        MainWindow window({.persistent = false,
                           .theme = ThemeChoice::Light,
                           .kernel = QString::fromLatin1(kernel)});
        window.show();
        const auto open = [&] {
            QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
            window.documents().open({QString::fromStdString(file.string())});
            REQUIRE(waitFor([&] { return finished.count() > 0; }));
        };
        open();
        INFO(kernel);
        CHECK(window.views().messageBar().message().contains("nosuch") == (kernel[0] == 'n'));
        open();
        CHECK(window.views().messageBar().message().isEmpty());
    }
}
