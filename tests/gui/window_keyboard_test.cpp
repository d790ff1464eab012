// SPDX-License-Identifier: Apache-2.0
// The window in use, with the keyboard alone.
#include <QAbstractButton>
#include <QClipboard>
#include <QDialog>
#include <QTabBar>
#include <QTest>
#include <QTextBrowser>

#include "gui/app/main_window.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/answer_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_panel.h"
#include "gui/views/timeline/timeline_search.h"
#include "gui/views/widgets/data_tree_view.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("Tab goes through the cards of the overview and of the answer before the next pane") {
    widgetApp();
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    window.documents().open(
        {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz")});
    REQUIRE(waitFor(
        [&] { return window.documents().document() && !window.documents().loader().busy(); }));
    window.resize(1280, 800);
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    // From a part that has the focus to the first widget outside of it.
    const auto through = [&](QWidget& part) {
        QStringList names;
        for (int i = 0; i < 60; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (!at || !part.isAncestorOf(at)) break;
            if (auto* pressed = qobject_cast<QAbstractButton*>(at)) names << pressed->text();
        }
        return names;
    };
    const auto all = [](const QWidget& part) {
        QStringList names;
        for (const auto* each : part.findChildren<QAbstractButton*>())
            if (each->isVisible() && (each->focusPolicy() & Qt::TabFocus)) names << each->text();
        return names;
    };
    for (int round = 0; round < 2; ++round) {
        window.views().showOverview(true);
        REQUIRE(window.views().overview().hasFocus());
        CHECK(all(window.views().overview()).size() >= 4);
        CHECK(through(window.views().overview()) == all(window.views().overview()));

        window.views().showOverview(false);
        window.documents().selectKernel(
            kernelNamed(*window.documents().document()->analysis, "matmulNaive"));
        AnswerView& answer = window.views().hints().answerView();
        answer.setFocus();
        CHECK(all(answer).size() >= 3);
        CHECK(through(answer) == all(answer));
        CHECK(window.views().partOf(QApplication::focusWidget()) == Workspace::Hints);
        window.look().setTheme(ThemeChoice::Dark);  // rebuilds them
    }
}

TEST_CASE("keys lead to every pane, page of the details and profile, and Enter presses a button") {
    widgetApp();
    ShownWindow f;
    Workspace& views = f.window.views();
    const auto part = [&] { return views.partOf(QApplication::focusWidget()); };
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with) {
        QTest::keyClick(QApplication::focusWidget(), key, with);
    };
    f.window.views().showOverview(false);
    f.window.views().kernels().table()->setFocus();
    for (const Workspace::Part expected :
         {Workspace::Roofline, Workspace::Hints, Workspace::Details, Workspace::Kernels}) {
        press(Qt::Key_F6, Qt::ControlModifier);
        CHECK(part() == expected);
    }
    press(Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(part() == Workspace::Details);
    for (int page = 0; page < f.window.views().details().count(); ++page) {
        f.window.views().kernels().table()->setFocus();
        press(Qt::Key(Qt::Key_1 + page), Qt::AltModifier);
        INFO(f.window.views().details().tabText(page).toStdString());
        CHECK(f.window.views().details().currentIndex() == page);
        CHECK(part() == Workspace::Details);
    }
    // A hidden pane is shown on request, and a maximised one then gives way.
    views.maximise(Workspace::Roofline);
    f.window.views().roofline().setFocus();
    press(Qt::Key_1, Qt::AltModifier);
    CHECK(f.window.views().details().isVisible());
    CHECK(part() == Workspace::Details);
    trigger(f.window, Qt::Key_F11);
    CHECK_FALSE(f.window.views().details().isVisible());
    f.window.views().kernels().table()->setFocus();
    press(Qt::Key_4, Qt::AltModifier);
    CHECK(f.window.views().details().isVisible());

    const auto other = f.folder.file("other.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), other).ok());
    f.window.documents().open({QString::fromStdString(other.string())});
    REQUIRE(waitFor(
        [&] { return f.window.documents().document()->path.toStdString() == other.string(); }));
    f.window.views().kernels().table()->setFocus();
    press(Qt::Key_PageDown, Qt::ControlModifier);
    CHECK(f.window.documents().document()->path.toStdString() == f.file.string());
    press(Qt::Key_PageUp, Qt::ControlModifier);
    CHECK(f.window.documents().document()->path.toStdString() == other.string());

    f.window.documents().selectKernel(kernelNamed(f.analysis(), "transpose"));
    QAbstractButton* copy = visibleButton(f.window.views().hints(), "Copy JSON");
    REQUIRE(copy);
    QApplication::clipboard()->clear();
    copy->setFocus();
    QTest::keyClick(copy, Qt::Key_Return);
    CHECK(QApplication::clipboard()->text().startsWith(QLatin1Char('{')));
}

TEST_CASE("Ctrl+F searches in the pane that has the focus, also if it is alone") {
    widgetApp();
    ShownWindow f(programProfile());
    Workspace& views = f.window.views();
    DetailsView& details = views.details();
    const auto find = [&] {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier);
    };
    for (const bool alone : {false, true}) {
        CAPTURE(alone);
        details.showTab(QStringLiteral("timeline"));
        details.timeline().view().setFocus();
        if (alone) trigger(f.window, Qt::Key_F12);
        find();
        CHECK(details.timeline().search().isVisible());
        CHECK(details.isVisible());
        details.showTab(QStringLiteral("counters"));
        details.tabBar()->setFocus();
        find();
        CHECK(details.isVisible());
        CHECK(QApplication::focusWidget()->accessibleName() == "Search counters");
    }
    CHECK_FALSE(views.kernels().isVisible());
    // A tab without a search: the kernels, which then must be shown.
    details.showTab(QStringLiteral("memory"));
    details.tabBar()->setFocus();
    find();
    CHECK(views.kernels().isVisible());
    CHECK(views.partOf(QApplication::focusWidget()) == Workspace::Kernels);
}

TEST_CASE("Ctrl+Shift+C copies what is seen") {
    widgetApp();
    ShownWindow f(programProfile());
    Workspace& views = f.window.views();
    f.window.documents().selectKernel(0);
    const auto copied = [&] {
        QApplication::clipboard()->clear();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_C,
                        Qt::ControlModifier | Qt::ShiftModifier);
        return QApplication::clipboard()->text();
    };
    views.showOverview(true);
    REQUIRE(views.overviewShown());
    const QString overview = copied();
    REQUIRE(views.overview().overview());
    CHECK(overview.startsWith("# " + views.overview().overview()->window));
    REQUIRE_FALSE(views.overview().overview()->actions.empty());
    CHECK(overview.contains(views.overview().overview()->actions[0].heading));
    CHECK(overview.contains("roofscope record"));

    TimelinePage& timeline = views.details().timeline();
    views.details().showTab(QStringLiteral("timeline"));
    REQUIRE(waitFor([&] { return timeline.accountsReady(); }));
    timeline.chooseRange({0, 1'000'000});
    timeline.view().setFocus();
    REQUIRE(timeline.panel().range());
    CHECK(copied() == timeline.panel().range()->forAssistant);

    views.showOverview(false);
    CHECK(copied() == views.hints().markdown());
}

TEST_CASE("F1 lists every shortcut of the menus") {
    widgetApp();
    ShownWindow f;
    trigger(f.window, QKeySequence::HelpContents);
    auto* help = f.window.findChild<QDialog*>("help");
    REQUIRE(help);
    const QString text = help->findChild<QTextBrowser*>()->toPlainText();
    for (const QAction* action : f.window.findChildren<QAction*>())
        if (!action->shortcut().isEmpty()) {
            const QString keys = action->shortcut().toString(QKeySequence::NativeText);
            INFO(keys.toStdString());
            CHECK(text.contains(keys));
        }
    // The list names the menu of an entry.
    CHECK(text.contains(QString::fromUtf8("Export Plot ▸ As SVG…")));
    help->close();
}
