// SPDX-License-Identifier: Apache-2.0
// The window in use: what the next one remembers.
#include <QSettings>
#include <QSignalSpy>

#include "gui/app/main_window.h"
#include "gui/views/details/details_view.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("files, tab, selection and filter come back with the next window") {
    widgetApp();
    QSettings().clear();
    std::size_t chosen = 0;
    TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    {
        ShownWindow f(sampleProfile(), true);
        std::filesystem::copy(f.file, file);
        QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
        f.window.documents().open({QString::fromStdString(file.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        chosen = kernelNamed(f.analysis(), "transpose");
        f.window.documents().selectKernel(chosen);
        f.window.views().details().showTab("memory");
        f.window.close();
    }
    // One of the two files no longer exists.
    MainWindow again({.persistent = true, .theme = ThemeChoice::Light});
    again.openLastSession();
    REQUIRE(waitFor([&] { return again.documents().document() != nullptr; }));
    CHECK(again.documents().document()->path.toStdString() == file.string());
    CHECK(again.documents().selectedKernel() == chosen);
    CHECK(again.views().details().currentWidget()->objectName() == "memory");
    again.close();
    QSettings().clear();
}

TEST_CASE("of several files the one that was shown is shown again") {
    widgetApp();
    QSettings().clear();
    const TemporaryFolder folder;
    QStringList files;
    for (const char* name : {"a", "b", "c"}) {
        const auto file = folder.file(std::string(name) + ".roofscope.json");
        REQUIRE(writeProfile(sampleProfile(), file).ok());
        files << QString::fromStdString(file.string());
    }
    const auto loaded = [](MainWindow& window) {
        return waitFor([&] {
            return window.documents().all().size() == 3 && !window.documents().loader().busy();
        });
    };
    {
        MainWindow window({.persistent = true, .theme = ThemeChoice::Light});
        window.documents().open(files);
        REQUIRE(loaded(window));
        window.documents().selectKernel(2);
        window.documents().setCurrent(1);
        window.documents().selectKernel(3);
        window.close();
    }
    MainWindow again({.persistent = true, .theme = ThemeChoice::Light});
    again.openLastSession();
    REQUIRE(loaded(again));
    CHECK(again.documents().document()->title() == "b");
    CHECK(again.documents().selectedKernel() == 3U);
    CHECK(again.documents().all()[2].selection.current == 2U);
    // A file that the user opens is shown, as ever.
    again.documents().open(files.mid(2));
    REQUIRE(waitFor([&] { return again.documents().document()->title() == "c"; }));
    again.close();
    QSettings().clear();
}
