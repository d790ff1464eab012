// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>

#include "gui/app/main_window.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace roofscope::test {

/// A window that shows a profile.
struct ShownWindow {
    QApplication& app = widgetApp();
    TemporaryFolder folder;
    std::filesystem::path file = folder.file("run.roofscope.json");
    gui::MainWindow window;

    explicit ShownWindow(const Profile& profile = sampleProfile(), bool persistent = false)
        : window({.persistent = persistent, .theme = gui::ThemeChoice::Light}) {
        REQUIRE(writeProfile(profile, file).ok());
        QSignalSpy finished(&window.documents().loader(), &gui::ProfileLoader::finished);
        window.documents().open({QString::fromStdString(file.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        REQUIRE(window.documents().document());
        window.resize(1280, 800);
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
    }
    const Analysis& analysis() { return *window.documents().document()->analysis; }
};

/// The visible button with this text; null if there is none.
inline QAbstractButton* visibleButton(QWidget& in, const QString& text) {
    for (QAbstractButton* each : in.findChildren<QAbstractButton*>())
        if (each->text().contains(text) && each->isVisible()) return each;
    return nullptr;
}

}  // namespace roofscope::test
