// SPDX-License-Identifier: Apache-2.0
// The window in use: what it tells the user.
#include <QLabel>
#include <fstream>

#include "gui/views/kernels/hints_view.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("what was done is said, with room to be read beside the summary") {
    widgetApp();
    ShownWindow f;
    f.window.resize(1024, 700);
    f.window.views().hints().copyForAssistant();
    CHECK(f.window.status().said().contains("Copied the report"));
    const auto* said = f.window.findChild<QLabel*>("statusSaid");
    REQUIRE(said);
    CHECK(said->isVisible());
    CHECK(said->width() > 300);
    CHECK(said->toolTip().contains("Copied"));
    const auto svg = f.folder.file("plot.svg");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(svg.string())).ok());
}

TEST_CASE("a file that changed on disk says what was replaced, until it is dismissed") {
    widgetApp();
    ShownWindow f;
    const auto first = f.window.documents().document()->analysis;
    Profile changed = sampleProfile();
    changed.launches.push_back(changed.launches[4]);
    changed.counters.resize(changed.launches.size());
    REQUIRE(writeProfile(changed, f.file).ok());
    REQUIRE(waitFor([&] { return f.window.documents().document()->analysis != first; }));
    const QString message = f.window.views().messageBar().message();
    INFO(message.toStdString());
    CHECK(message.contains("changed on disk"));
    CHECK(message.contains(QString::number(changed.launches.size()) + " launches"));
    CHECK(message.contains("Before: "));
    CHECK_FALSE(f.window.views().messageBar().isError());
    f.window.views().hints().copyForAssistant();  // does not hide the message
    CHECK(f.window.views().messageBar().message() == message);
}

TEST_CASE("a program that failed is told when its profile is opened") {
    widgetApp();
    Profile failed = sampleProfile();
    failed.capture.exitCode = 1;
    ShownWindow f(failed);
    const QString message = f.window.views().messageBar().message();
    INFO(message.toStdString());
    CHECK(message.startsWith("run: "));
    CHECK(message.contains("exit code 1"));
    CHECK(message.contains("If it failed"));
    CHECK_FALSE(f.window.views().messageBar().isError());

    Profile fine = sampleProfile();
    fine.capture.exitCode = 0;
    ShownWindow other(fine);
    CHECK(other.window.views().messageBar().message().isEmpty());
}

TEST_CASE("an error goes when the next thing succeeds") {
    widgetApp();
    ShownWindow f;
    f.window.views().messageBar().showError("cannot write");
    f.window.views().hints().copyForAssistant();
    CHECK(f.window.views().messageBar().message().isEmpty());
}

TEST_CASE("several files that cannot be read are a list, until something else is opened") {
    widgetApp();
    ShownWindow f;
    QStringList paths;
    for (const char* name : {"one", "two", "good", "three"}) {
        const auto file = f.folder.file(std::string(name) + ".roofscope.json");
        if (name == std::string("good"))
            REQUIRE(writeProfile(sampleProfile(), file).ok());
        else
            std::ofstream(file) << "no profile";
        paths << QString::fromStdString(file.string());
    }
    QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
    f.window.documents().open(paths);
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    const QString message = f.window.views().messageBar().message();
    INFO(message.toStdString());
    CHECK(message.contains("one.roofscope.json"));
    CHECK(message.contains("two.roofscope.json"));
    CHECK(message.contains("three.roofscope.json"));
    CHECK_FALSE(message.contains("good.roofscope.json"));
    CHECK(message.count(u'\n') == 2);
    CHECK(f.window.documents().document()->title() == "good");
    // The next one that fails begins a new list.
    f.window.documents().open({paths[1]});
    REQUIRE(waitFor([&] { return finished.count() > 1; }));
    CHECK_FALSE(f.window.views().messageBar().message().contains("one.roofscope.json"));
    CHECK(f.window.views().messageBar().message().contains("two.roofscope.json"));
}
