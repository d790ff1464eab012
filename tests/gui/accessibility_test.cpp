// SPDX-License-Identifier: Apache-2.0
// What people with low vision, without a mouse or with a screen reader need: contrast, names,
// roles.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "gui/app/main_window.h"
#include "gui/app/workspace.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/activity_colours.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/theme.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// Contrast of two opaque colours as WCAG defines it, from 1 to 21.
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& colour) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

constexpr double kText = 4.5, kSeen = 3;

void checkContrast(const QColor& colour, const QColor& ground, double least) {
    INFO(colour.name().toStdString() << " on " << ground.name().toStdString());
    CHECK(contrast(colour, ground) >= least);
}

/// The name that a screen reader gets for a control, as opposed to the control's value.
QString nameOf(QWidget& widget) {
    QAccessibleInterface* known = QAccessible::queryAccessibleInterface(&widget);
    REQUIRE(known);
    CHECK(known->role() != QAccessible::NoRole);
    // Qt names a combo box by its value and a field by its hint; neither tells its purpose.
    const bool held = qobject_cast<QComboBox*>(&widget) || qobject_cast<QLineEdit*>(&widget);
    if (!held) return known->text(QAccessible::Name);
    if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
    for (const auto& [label, relation] : known->relations(QAccessible::Label))
        if (relation & QAccessible::Label) return label->text(QAccessible::Name);
    return {};
}

/// Controls of a window without a name: their type and place. With `hidden` also those not shown
/// yet.
QStringList withoutName(QWidget& window, bool hidden = false) {
    QStringList nameless;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus) continue;
        if (!hidden && !widget->isVisible()) continue;
        if (const auto* label = qobject_cast<QLabel*>(widget); label && label->text().isEmpty())
            continue;  // says nothing yet
        // Parts of Qt's widgets: the field of a spin box, the list of a combo box.
        const QWidget* parent = widget->parentWidget();
        if (widget->objectName().startsWith("qt_") ||
            qobject_cast<const QAbstractSpinBox*>(parent) ||
            (parent && parent->inherits("QComboBoxPrivateContainer")))
            continue;
        if (nameOf(*widget).isEmpty())
            nameless << QStringLiteral("%1 \"%2\" in %3")
                            .arg(
                                QLatin1String(widget->metaObject()->className()),
                                widget->objectName(),
                                QLatin1String(parent ? parent->metaObject()->className() : "none"));
    }
    return nameless;
}

std::string listOf(const QStringList& nameless) { return nameless.join('\n').toStdString(); }

}  // namespace

TEST_CASE("a control is not named by its value") {
    widgetApp();
    QWidget window;
    auto* box = new QComboBox(&window);
    box->addItem("a value");
    auto* field = new QLineEdit(&window);
    field->setPlaceholderText("a hint");
    CHECK(withoutName(window, true).size() == 2);
    box->setAccessibleName("What is shown");
    QLabel label("Where", &window);
    label.setBuddy(field);
    CHECK(listOf(withoutName(window, true)) == "");
}

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
        // The parts of the account and the numbers in them.
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
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    CHECK(listOf(withoutName(window)) == "");  // the empty page
    // Two profiles, one of them the baseline; two GPUs; source; a curve over time.
    const auto file = folder.file("run.roofscope.json"), other = folder.file("old.roofscope.json");
    Profile profile = programProfile();
    profile.devices.push_back(profile.devices.front());
    profile.devices.back().chip = "AD102";
    for (std::size_t i = 0; i < profile.launches.size(); i += 2) profile.launches[i].device = 1;
    REQUIRE(writeProfile(profile, file).ok());
    REQUIRE(writeProfile(programProfile(), other).ok());
    const QString source = QStringLiteral(ROOFSCOPE_SOURCE_DIR
                                          "/profile/samples/h200_triton_source.roofscope.json.gz");
    const QString curve =
        QStringLiteral(ROOFSCOPE_SOURCE_DIR "/tests/data/over_time/h200_phases.roofscope.json.gz");
    for (const QString& path : {QString::fromStdString(other.string()), source, curve,
                                QString::fromStdString(file.string())}) {
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({path});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        CHECK(listOf(withoutName(window)) == "");  // the overview
        window.views().showOverview(false);
        window.documents().selectKernel(0);
        for (int i = 0; i < window.views().details().count(); ++i) {
            window.views().details().setCurrentIndex(i);
            QTest::qWait(5);
            INFO(path.toStdString() << ", " << window.views().details().tabText(i).toStdString());
            CHECK(listOf(withoutName(window)) == "");
        }
    }
    window.documents().setBaseline(QString::fromStdString(other.string()));
    REQUIRE(waitFor([&] { return !window.documents().comparing(); }));
    CHECK(listOf(withoutName(window)) == "");
    // Hidden controls may be shown later.
    CHECK(listOf(withoutName(window, true)) == "");
}

TEST_CASE("every control of the dialogs has a name") {
    widgetApp();
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    window.show();
    trigger(window, QKeySequence::HelpContents);
    window.recordings().showDialog();
    int seen = 0;
    for (QDialog* dialog : window.findChildren<QDialog*>()) {
        ++seen;
        INFO(dialog->windowTitle().toStdString());
        CHECK(listOf(withoutName(*dialog, true)) == "");
        dialog->close();
    }
    CHECK(seen == 2);
}

TEST_CASE("tab reaches every part of the window, and something shows where it is") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(programProfile(), file).ok());
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
    window.documents().open({QString::fromStdString(file.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    window.activateWindow();
    window.views().showOverview(false);
    std::set<Workspace::Part> reached;
    for (int i = 0; i < 200; ++i) {
        QWidget* focus = window.focusWidget();
        REQUIRE(focus);
        if (const auto part = window.views().partOf(focus)) reached.insert(*part);
        QTest::keyClick(focus, Qt::Key_Tab);
    }
    CHECK(reached == std::set<Workspace::Part>{Workspace::Kernels, Workspace::Roofline,
                                               Workspace::Hints, Workspace::Details});
}
