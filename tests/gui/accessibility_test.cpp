// SPDX-License-Identifier: Apache-2.0
// What people with weak sight, without a mouse or with a screen reader need: contrast, names,
// roles.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <set>

#include "gui/app/main_window.h"
#include "gui/app/workspace.h"
#include "gui/views/activity_colours.h"
#include "gui/views/details_view.h"
#include "gui/views/draw_list_painter.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/theme.h"
#include "profile/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr double kText = 4.5, kSeen = 3;

void checkContrast(const QColor& colour, const QColor& ground, double least) {
    INFO(colour.name().toStdString() << " on " << ground.name().toStdString());
    CHECK(contrast(colour, ground) >= least);
}

}  // namespace

TEST_CASE("contrast is that of WCAG") {
    CHECK(contrast(Qt::black, Qt::white) == Approx(21));
    CHECK(contrast(Qt::white, Qt::white) == Approx(1));
    CHECK(contrast(QColor("#767676"), Qt::white) == Approx(4.54).epsilon(0.01));
}

TEST_CASE("all colours of both themes keep to WCAG AA") {
    for (const plot::Theme theme : {plot::Theme::Light, plot::Theme::Dark}) {
        const ThemeColours& c = themeColours(theme);
        for (const QColor& ground : {c.window, c.base, c.alternate, c.bar, c.code}) {
            for (const QColor& text : {c.text, c.muted, c.error, c.better, c.focus})
                checkContrast(text, ground, kText);
            checkContrast(c.outline, ground, kSeen);
        }
        for (const QColor& ground : {c.errorGround, c.infoGround})
            checkContrast(c.text, ground, kText);
        checkContrast(c.onAccent, c.accent, kText);
        for (const QColor& ground : {c.window, c.base, c.alternate})
            checkContrast(c.accent, ground, kSeen);
        // The pieces of the account, and the numbers in them.
        const QColor paper = roleColour(plot::Role::Background, theme);
        for (const TimeClass cls : kTimeClasses) {
            checkContrast(roleColour(roleOf(cls), theme), c.base, kSeen);
            checkContrast(paper, roleColour(roleOf(cls), theme), kText);
        }
    }
}

TEST_CASE("words that stand in an empty field can be read") {
    widgetApp();
    for (const plot::Theme theme : {plot::Theme::Dark, plot::Theme::Light}) {
        applyTheme(*qApp, theme);
        QLineEdit line;
        QPlainTextEdit text;
        for (QWidget* field : {static_cast<QWidget*>(&line), static_cast<QWidget*>(&text)}) {
            field->ensurePolished();
            const QColor words = field->palette().color(QPalette::PlaceholderText);
            CHECK(words.alpha() == 255);
            checkContrast(words, themeColours(theme).base, kText);
        }
    }
}

TEST_CASE("every control of the window has a name and a role") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(programProfile(), file).ok());
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.loader(), &ProfileLoader::finished);
    window.open({QString::fromStdString(file.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    const auto check = [&] {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
            // What Qt's widgets have of their own.
            if (widget->objectName().startsWith("qt_")) continue;
            QAccessibleInterface* known =
                QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            REQUIRE(known);
            INFO(widget->metaObject()->className()
                 << " \"" << widget->objectName().toStdString() << "\" in "
                 << widget->parentWidget()->metaObject()->className());
            CHECK_FALSE(known->text(QAccessible::Name).isEmpty());
            CHECK(known->role() != QAccessible::NoRole);
        }
    };
    check();
    window.showOverview(false);
    for (int i = 0; i < window.details().count(); ++i) {
        window.details().setCurrentIndex(i);
        QTest::qWait(5);
        check();
    }
}

TEST_CASE("tab reaches every part of the window, and something shows where it is") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(programProfile(), file).ok());
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.loader(), &ProfileLoader::finished);
    window.open({QString::fromStdString(file.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    window.activateWindow();
    window.showOverview(false);
    std::set<Workspace::Part> reached;
    for (int i = 0; i < 200; ++i) {
        QWidget* focus = window.focusWidget();
        REQUIRE(focus);
        if (const auto part = window.workspace().partOf(focus)) reached.insert(*part);
        QTest::keyClick(focus, Qt::Key_Tab);
    }
    CHECK(reached == std::set<Workspace::Part>{Workspace::Kernels, Workspace::Roofline,
                                               Workspace::Hints, Workspace::Details});
}
