// SPDX-License-Identifier: Apache-2.0
// The window in use: narrow and wide, larger letters, panes alone.
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMainWindow>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <QWheelEvent>

#include "gui/app/main_window.h"
#include "gui/app/translation.h"
#include "gui/views/details/details_view.h"
#include "gui/views/details/source_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_column_widths.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/choice_box.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/status_area.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("columns and rows grow with the letters, and come back") {
    widgetApp();
    ShownWindow f;
    f.window.documents().selectKernel(0);
    auto* counters = f.window.views().details().findChild<QTableView*>();
    REQUIRE(counters);
    const QHeaderView& header = *f.window.views().kernels().table()->header();
    constexpr int kShare = int(KernelColumn::Share);
    const int share = header.sectionSize(kShare), row = counters->rowHeight(0);
    const int counter = counters->columnWidth(1);
    f.window.look().setScale(2);
    CHECK(header.sectionSize(kShare) > 1.7 * share);
    CHECK(counters->columnWidth(1) > 1.7 * counter);
    CHECK(counters->rowHeight(0) > counters->fontMetrics().height());
    CHECK(counters->rowHeight(0) > 1.4 * row);
    f.window.look().setScale(1);
    CHECK(std::abs(header.sectionSize(kShare) - share) <= 2);
    CHECK(counters->rowHeight(0) == row);
}

TEST_CASE("in a narrow window name, share or change, and verdict are seen whole") {
    widgetApp();
    ShownWindow f;
    const DataTreeView& table = *f.window.views().kernels().table();
    const QHeaderView& header = *table.header();
    const auto whole = [&](KernelColumn column) {
        const int at = int(column);
        return !header.isSectionHidden(at) && header.sectionViewportPosition(at) >= 0 &&
               header.sectionViewportPosition(at) + header.sectionSize(at) <=
                   table.viewport()->width();
    };
    const auto letters = [&](KernelColumn column) {
        return header.sectionSize(int(column)) / table.fontMetrics().averageCharWidth();
    };
    const auto resize = [&](int width) {
        f.window.resize(width, 700);
        QTest::qWait(20);
    };
    for (const int width : {1024, 1280, 1440, 2560}) {
        resize(width);
        CAPTURE(width);
        for (const KernelColumn column :
             {KernelColumn::Name, KernelColumn::Share, KernelColumn::Verdict})
            CHECK(whole(column));
        CHECK(letters(KernelColumn::Name) >= 14);
        CHECK(letters(KernelColumn::Verdict) >= 14);
    }
    CHECK(whole(KernelColumn::TotalTime));
    resize(1024);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
    // Letters of twice the size leave half the room; the same rule applies.
    f.window.look().setScale(2);
    resize(1600);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
    CHECK(whole(KernelColumn::Share));
    CHECK(whole(KernelColumn::Verdict));
    f.window.look().setScale(1);

    const auto old = f.folder.file("old.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), old).ok());
    QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
    f.window.documents().open({QString::fromStdString(old.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    f.window.documents().setBaseline(QString::fromStdString(f.file.string()));
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    for (const int width : {1024, 1440}) {
        resize(width);
        CAPTURE(width);
        for (const KernelColumn column :
             {KernelColumn::Name, KernelColumn::Change, KernelColumn::Verdict})
            CHECK(whole(column));
    }
    // A column hidden by the user stays hidden.
    for (QAction* action : f.window.views().kernels().columnActions())
        if (action->data().toInt() == int(KernelColumn::TotalTime)) action->setChecked(false);
    resize(2560);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
}

TEST_CASE("with the details beside, the window fits the screen of a laptop") {
    widgetApp();
    for (const Profile& profile : {sampleProfile(), programProfile()}) {
        ShownWindow f(profile);
        f.window.resize(1280, 700);
        f.window.views().setDetailsPlace(Workspace::DetailsPlace::Beside);
        QTest::qWait(50);
        CHECK(f.window.minimumSizeHint().width() <= 1280);
        CHECK(f.window.width() <= 1280);
        // The buttons that undo it are in view.
        const DetailsView& details = f.window.views().details();
        const QPoint right = details.mapTo(&f.window, QPoint(details.width(), 0));
        CHECK(right.x() <= f.window.width());
        CHECK(details.width() >= 280);
    }
}

TEST_CASE("the details get what a high window has beyond the lines of the panes") {
    widgetApp();
    ShownWindow f;
    const DetailsView& details = f.window.views().details();
    const auto shareAt = [&](QSize size) {
        f.window.resize(size);
        QTest::qWait(50);
        // A busy machine lays out later.
        for (int waits = 0; waits < 40 && f.window.views().height() < 0.75 * size.height(); ++waits)
            QTest::qWait(50);
        return double(details.height()) / f.window.height();
    };
    const double usual = shareAt({1280, 800});
    CHECK(usual < 0.4);
    CHECK(shareAt({2560, 1440}) > usual + 0.05);
    CHECK(shareAt({2560, 2160}) < 0.6);
}

TEST_CASE("columns of a narrow table: the time goes first, beside a change the share") {
    const ColumnNeeds roomy{.all = 1000,
                            .leastName = 72,
                            .goodName = 114,
                            .longestName = 300,
                            .leastVerdict = 72,
                            .goodVerdict = 114,
                            .longestVerdict = 180,
                            .time = 86,
                            .share = 72,
                            .others = 100};
    CHECK(planColumns(roomy) == ColumnPlan{.name = 300, .verdict = 180});
    ColumnNeeds narrow = roomy;
    narrow.all = 311;
    const ColumnPlan plan = planColumns(narrow);
    CHECK_FALSE(plan.time);
    CHECK(plan.share);
    CHECK(plan.name + narrow.share + plan.verdict <= narrow.all);
    narrow.change = 100;
    const ColumnPlan compared = planColumns(narrow);
    CHECK_FALSE(compared.time);
    CHECK_FALSE(compared.share);
    CHECK(compared.name + narrow.change + compared.verdict <= narrow.all);
    narrow.all = 250;  // not enough for good widths, only for minimum ones
    const ColumnPlan least = planColumns(narrow);
    CHECK(least.name + narrow.change + least.verdict <= narrow.all);
    CHECK(least.name >= 72);
    // Median and shape are in view where names have room beside them; names take the rest.
    ColumnNeeds next = roomy;
    next.others = 700;
    next.next = 190;
    next.roomyName = 146;
    next.longestName = 900;
    next.all = 630;
    const ColumnPlan wide = planColumns(next);
    CHECK(wide.name + next.time + next.share + wide.verdict + next.next <= next.all);
    next.all = 600;
    const ColumnPlan tight = planColumns(next);
    CHECK(tight.name + next.time + next.share + tight.verdict <= next.all);
    CHECK(tight.name > wide.name);
    next.all = 1900;
    CHECK(planColumns(next).name == 1900 - next.time - next.share - 180 - next.others);
    // Without verdicts the names get their room.
    ColumnNeeds few = roomy;
    few.all = 311;
    few.leastVerdict = few.goodVerdict = 0;
    CHECK(planColumns(few) == ColumnPlan{.name = 130});
}

TEST_CASE("a smaller pane keeps the selected line in sight") {
    widgetApp();
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
    window.documents().open({QStringLiteral(
        ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_triton_source.roofscope.json.gz")});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    window.resize(1440, 1200);
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    window.views().showOverview(false);
    window.documents().selectKernel(
        kernelNamed(*window.documents().document()->analysis, "add_kernel"));
    window.views().showSource({}, 0);
    const QTableView& lines = *window.views().details().source().lines();
    REQUIRE(lines.currentIndex().isValid());
    const auto inSight = [&] {
        return lines.viewport()->rect().intersects(lines.visualRect(lines.currentIndex()));
    };
    window.views().maximise(Workspace::Details);
    REQUIRE(waitFor(inSight));
    window.views().showAll();
    window.resize(1024, 700);
    CHECK(waitFor(inSight, 1000));
}

TEST_CASE("a kernel table that becomes lower keeps the selected row in sight") {
    widgetApp();
    ShownWindow f(manyKernels(30).build());
    const QTreeView& table = *f.window.views().kernels().table();
    const auto inSight = [&] {
        const QRect row = table.visualRect(table.currentIndex());
        return row.top() >= 0 && row.bottom() <= table.viewport()->height();
    };
    f.window.documents().selectKernel(f.analysis().kernels.size() - 1);
    CHECK(inSight());
    const int before = table.viewport()->height();
    f.window.resize(1280, 480);
    REQUIRE(waitFor([&] { return table.viewport()->height() < before; }));
    QTest::qWait(20);
    CHECK(table.verticalScrollBar()->maximum() > 0);
    CHECK(inSight());
    // A user who scrolled away is looking at something else.
    table.verticalScrollBar()->setValue(0);
    REQUIRE_FALSE(inSight());
    f.window.resize(1280, 470);
    QTest::qWait(20);
    CHECK(table.verticalScrollBar()->value() == 0);
}

TEST_CASE("everything can be made larger, and the plot answers the mouse where it is drawn") {
    widgetApp();
    ShownWindow f;
    const double before = QApplication::font().pointSizeF();
    QWheelEvent up({20, 20}, f.window.views().hints().mapToGlobal(QPointF(20, 20)), {}, {0, 120},
                   Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&f.window.views().hints(), &up);
    CHECK(f.window.look().scale() == 1.1);
    f.window.look().setScale(2);
    CHECK(QApplication::font().pointSizeF() == Approx(2 * before));
    // The status bar is as high as its text.
    const auto labels = f.window.status().findChildren<QLabel*>();
    CHECK(waitFor([&] {
        return std::ranges::all_of(labels, [](const QLabel* label) {
            return label->height() >= label->fontMetrics().height();
        });
    }));
    RooflineView& plot = f.window.views().roofline();
    CHECK(plot.currentPlot().shapes.width == Approx(plot.width() / 2.0).margin(1));
    f.window.documents().selectKernel(std::nullopt);  // lays out the plot again
    const auto& dots = plot.currentPlot().dots;
    const auto dot = std::find_if(dots.begin(), dots.end(), [&](const plot::PlacedDot& each) {
        const auto hit = plot.currentPlot().hitTest(each.centre);
        return hit && dots[*hit].kernel == each.kernel;
    });
    REQUIRE(dot != dots.end());
    const std::size_t kernel = dot->kernel;
    QTest::mouseClick(&plot, Qt::LeftButton, {},
                      {qRound(dot->centre.x * 2), qRound(dot->centre.y * 2)});
    CHECK(f.window.documents().selectedKernel() == kernel);
    f.window.look().setScale(1);
    CHECK(QApplication::font().pointSizeF() == Approx(before));
}

TEST_CASE("at twice the size the window still fits on a common screen, in both languages") {
    widgetApp();
    // Lists wide widgets for the failure message.
    const auto wide = [](const QWidget& in) {
        std::string all;
        for (const QWidget* each : in.findChildren<QWidget*>())
            if (each->isVisible() && each->minimumSizeHint().width() > 400)
                all += std::string(each->metaObject()->className()) + ' ' +
                       each->objectName().toStdString() + ' ' +
                       std::to_string(each->minimumSizeHint().width()) + '\n';
        return all;
    };
    for (const Language language : languages()) {
        if (!useLanguage(language).ok()) continue;  // built without this language
        for (const char* sample : {"h200_triton_source", "h200_bundled"}) {
            MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
            window.documents().open(
                {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/%1.roofscope.json.gz")
                     .arg(QLatin1String(sample))});
            REQUIRE(waitFor([&] {
                return window.documents().document() && !window.documents().loader().busy();
            }));
            window.show();
            REQUIRE(QTest::qWaitForWindowExposed(&window));
            window.views().showOverview(false);
            window.look().setScale(2);
            window.documents().selectKernel(0);
            for (int page = 0; page < window.views().details().count(); ++page) {
                window.views().details().setCurrentIndex(page);
                QTest::qWait(10);  // for the layout
                INFO(wide(window));
                CAPTURE(sample, window.views().details().tabText(page).toStdString());
                CHECK(window.minimumSizeHint().width() <= 1440);
            }
            window.resize(1440, 900);
            QTest::qWait(20);
            CHECK(window.width() == 1440);
            window.look().setScale(1);
        }
    }
    REQUIRE(useLanguage(Language::En).ok());
}

TEST_CASE("in a window of the first size charts are seen whole, without scroll bars") {
    widgetApp();
    const auto whole = [](const char* file, const char* kernel, const char* tab) {
        MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
        window.documents().open(
            {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/%1").arg(QLatin1String(file))});
        REQUIRE(waitFor(
            [&] { return window.documents().document() && !window.documents().loader().busy(); }));
        window.resize(MainWindow::firstSize({1920, 1080}));  // the offscreen screen is smaller
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
        window.views().showOverview(false);
        window.documents().selectKernel(
            kernelNamed(*window.documents().document()->analysis, kernel));
        window.views().details().showTab(tab);
        QTest::qWait(30);
        CAPTURE(tab);
        QWidget* const page = window.views().details().currentWidget();
        QList<QScrollArea*> areas = page->findChildren<QScrollArea*>();
        areas << qobject_cast<QScrollArea*>(page);
        for (const QScrollArea* area : areas) {
            if (!area) continue;
            CHECK(area->horizontalScrollBar()->maximum() == 0);
            CHECK(area->verticalScrollBar()->maximum() == 0);
        }
    };
    whole("profile/samples/h200_bundled.roofscope.json.gz", "matmulTiledShared", "memory");
    whole("tests/data/over_time/h200_phases.roofscope.json.gz", "alternating", "over-time");
}

TEST_CASE("a pane alone takes the window, and Escape brings the others back") {
    widgetApp();
    ShownWindow f;
    Workspace& views = f.window.views();
    QTest::qWait(50);
    const int height = f.window.views().details().height();
    const auto heightComesBack = [&] {
        return waitFor([&] { return std::abs(f.window.views().details().height() - height) <= 2; },
                       2000);
    };
    for (const Workspace::Part part : {Workspace::Kernels, Workspace::Details, Workspace::Hints})
        for (int i = 0; i < 2; ++i) {
            views.maximise(part);
            QTest::qWait(20);
            i == 0 ? (void)views.showAll() : views.maximise(part);
            CHECK(heightComesBack());
        }
    views.maximise(Workspace::Roofline);
    CHECK_FALSE(f.window.views().kernels().isVisible());
    CHECK_FALSE(f.window.views().details().isVisible());
    QTest::qWait(50);  // for the layout
    CHECK(f.window.views().roofline().width() > 1200);
    f.window.views().roofline().setFocus();
    QTest::keyClick(&f.window.views().roofline(), Qt::Key_Escape);
    CHECK(f.window.views().kernels().isVisible());
    CHECK(f.window.views().details().isVisible());
    CHECK(f.window.documents().selectedKernel());  // Escape undoes one step at a time
    views.maximise(Workspace::Details);
    CHECK_FALSE(f.window.views().roofline().isVisible());
    QTest::qWait(50);
    CHECK(f.window.views().details().height() > 500);
    views.maximise(Workspace::Details);
    CHECK(f.window.views().roofline().isVisible());

    views.setDetailsPlace(Workspace::DetailsPlace::Beside);
    QTest::qWait(50);
    CHECK(f.window.views().details().height() > 500);
    views.setDetailsPlace(Workspace::DetailsPlace::Below);
    QTest::qWait(50);
    CHECK(f.window.views().details().height() < 500);
}

namespace {

/// Drags the line between the panes and the details below them, up (negative) or down.
void dragDetails(Workspace& views, int by) {
    auto* content = views.findChild<QMainWindow*>();
    auto* dock = views.findChild<QDockWidget*>("details");
    REQUIRE(content);
    REQUIRE(dock);
    const QPoint from(dock->geometry().center().x(), dock->geometry().top() - 2);
    REQUIRE(content->isSeparator(from));
    QTest::mousePress(content, Qt::LeftButton, {}, from);
    const QPoint to = from + QPoint(0, by);
    QMouseEvent move(QEvent::MouseMove, QPointF(to), content->mapToGlobal(QPointF(to)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(content, &move);
    QTest::qWait(20);  // Qt moves the line later
    QTest::mouseRelease(content, Qt::LeftButton, {}, to);
    QTest::qWait(50);  // for the layout
}

}  // namespace

TEST_CASE("details that the user made higher stay so in a larger window") {
    widgetApp();
    ShownWindow f;
    QTest::qWait(50);
    const auto height = [&] { return f.window.views().details().height(); };
    const int before = height();
    dragDetails(f.window.views(), -120);
    const int chosen = height();
    REQUIRE(chosen >= before + 100);
    for (const QSize size : {QSize(1300, 900), QSize(1280, 800), QSize(1500, 1000)}) {
        f.window.resize(1024, 500);  // there is no room for it
        QTest::qWait(50);
        f.window.resize(size);
        QTest::qWait(50);
        CAPTURE(size.height());
        CHECK(waitFor([&] { return std::abs(height() - chosen) <= 2; }));
    }
    // Nor does another profile change it.
    QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
    f.window.documents().reload();
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    QTest::qWait(50);
    CHECK(waitFor([&] { return std::abs(height() - chosen) <= 2; }));
}

TEST_CASE("details that the user made higher are so in the next window") {
    widgetApp();
    QSettings().clear();
    int chosen = 0;
    for (const bool first : {true, false}) {
        ShownWindow f(sampleProfile(), true);
        QTest::qWait(50);
        if (first) dragDetails(f.window.views(), -120);
        const int height = f.window.views().details().height();
        if (first) chosen = height;
        CHECK(std::abs(height - chosen) <= 2);
        f.window.resize(1280, 1000);
        QTest::qWait(50);
        CHECK(std::abs(f.window.views().details().height() - chosen) <= 2);
        f.window.resize(1280, 800);
        f.window.close();
    }
    QSettings().clear();
}

TEST_CASE("details of default size keep their share of the window, also in another language") {
    widgetApp();
    ShownWindow f;
    QTest::qWait(50);
    const auto height = [&] { return f.window.views().details().height(); };
    const int before = height();
    f.window.resize(1280, 1100);
    CHECK(waitFor([&] { return height() > before + 60; }));
    f.window.look().setLanguage(test::kZh);
    QTest::qWait(50);
    f.window.resize(1280, 800);
    CHECK(waitFor([&] { return std::abs(height() - before) <= 8; }, 2000));
    f.window.look().setLanguage(Language::En);
    QTest::qWait(50);
}

TEST_CASE("the first window fits the screen, with room for its frame") {
    CHECK(MainWindow::firstSize({1920, 1050}) == QSize(1280, 800));
    for (const QSize screen : {QSize(1366, 768), QSize(1280, 720), QSize(1024, 600)}) {
        const QSize size = MainWindow::firstSize(screen);
        CHECK(size.width() <= screen.width() - 16);
        CHECK(size.height() <= screen.height() - 40);
    }
}

TEST_CASE("with many open profiles each tab keeps a readable width") {
    widgetApp();
    ShownWindow f;
    QStringList paths;
    for (int i = 0; i < 20; ++i) {
        const auto file = f.folder.file("profile_number_" + std::to_string(i) + ".roofscope.json");
        REQUIRE(writeProfile(sampleProfile(), file).ok());
        paths << QString::fromStdString(file.string());
    }
    f.window.documents().open(paths);
    REQUIRE(waitFor([&] { return f.window.views().tabs().count() == 21; }));
    const QTabBar& tabs = f.window.views().tabs();
    QTest::qWait(0);
    for (int i = 0; i < tabs.count(); ++i) CHECK(tabs.tabRect(i).width() >= 72);
}

TEST_CASE("a drop-down shows all of its entries in full") {
    widgetApp();
    ShownWindow f;
    f.window.views().showOverview(false);
    for (QComboBox* box : f.window.findChildren<QComboBox*>()) {
        if (!box->isVisible() || box->count() == 0) continue;
        INFO(box->accessibleName().toStdString());
        CHECK(box->maxVisibleItems() >= 40);
        CHECK(qobject_cast<ChoiceBox*>(box));
        box->showPopup();
        REQUIRE(waitFor([&] { return box->view()->isVisible(); }));
        CHECK(box->view()->viewport()->width() >= box->view()->sizeHintForColumn(0));
        int height = 0;
        for (int row = 0; row < box->count(); ++row) height += box->view()->sizeHintForRow(row);
        CHECK(box->view()->viewport()->height() >= height);
        box->hidePopup();
    }
}
