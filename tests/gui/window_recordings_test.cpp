// SPDX-License-Identifier: Apache-2.0
// The window in use: recordings that it offers.
#include <QAbstractButton>
#include <QTest>
#include <QToolButton>

#include "gui/models/plot/unplotted_kernels.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("a program that was recorded again is offered for comparison") {
    widgetApp();
    Profile profile = sampleProfile();
    profile.capture.command = {"python3", "train.py", "--size", "1"};
    ShownWindow f(profile);
    const auto record = [&](const char* name, std::vector<std::string> command) {
        profile.capture.command = std::move(command);
        const QString path = QString::fromStdString(f.folder.file(name).string());
        REQUIRE(writeProfile(profile, path.toStdString()).ok());
        f.window.recordings().showDialog();
        Q_EMIT f.window.findChild<RecordDialog*>()->recorded(path, true);
        REQUIRE(waitFor([&] { return f.window.documents().document()->path == path; }));
    };
    record("other.roofscope.json", {"python3", "other.py"});
    CHECK(f.window.views().messageBar().message().isEmpty());
    // A profile opened by hand is not a new recording.
    f.window.documents().open({QString::fromStdString(f.file.string())});
    REQUIRE(waitFor([&] { return f.window.documents().document()->title() == "run"; }));
    CHECK(f.window.views().messageBar().message().isEmpty());
    record("after.roofscope.json", {"python3", "train.py", "--size", "2"});
    const QString offer = QStringLiteral("after was recorded with the same program as run.");
    CHECK(f.window.views().messageBar().message() == offer);
    // The offer remains after a change of language.
    f.window.look().setLanguage(test::kZh);
    REQUIRE(waitFor([&] { return f.window.views().messageBar().message() != offer; }));
    CHECK(f.window.views().messageBar().offers());
    f.window.look().setLanguage(Language::En);
    REQUIRE(waitFor([&] { return f.window.views().messageBar().message() == offer; }));
    REQUIRE(waitFor(
        [&] { return visibleButton(f.window.views().messageBar(), "Compare") != nullptr; }));
    visibleButton(f.window.views().messageBar(), "Compare")->click();
    CHECK(f.window.views().messageBar().message().isEmpty());
    CHECK(f.window.documents().baseline() == QString::fromStdString(f.file.string()));
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    // From now on each recording is compared with it; other messages have no such button.
    record("third.roofscope.json", {"python3", "train.py"});
    CHECK(f.window.views().messageBar().message().isEmpty());
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    f.window.views().messageBar().showInfo("something");
    CHECK_FALSE(visibleButton(f.window.views().messageBar(), "Compare"));
}

TEST_CASE("the record dialog is filled in from the open recording, unless something was typed") {
    widgetApp();
    Profile profile = sampleProfile();
    profile.capture.command = {"python3", "train.py", "--size", "1"};
    ShownWindow f(profile);
    f.window.recordings().showDialog();
    auto* dialog = f.window.findChild<RecordDialog*>();
    REQUIRE(dialog);
    CHECK(dialog->request().program == "python3");
    CHECK(dialog->request().arguments == "train.py --size 1");
    dialog->hide();

    profile.capture.command = {"python3", "other.py"};
    const auto other = f.folder.file("other.roofscope.json");
    REQUIRE(writeProfile(profile, other).ok());
    f.window.documents().open({QString::fromStdString(other.string())});
    REQUIRE(waitFor([&] { return f.window.documents().document()->title() == "other"; }));
    f.window.recordings().showDialog();
    CHECK(dialog->request().arguments == "other.py");
    // What the user typed stays.
    RecordingRequest typed = dialog->request();
    typed.arguments = "mine.py";
    dialog->setRequest(typed);
    dialog->hide();
    f.window.recordings().showDialog();
    CHECK(dialog->request().arguments == "mine.py");
}

TEST_CASE("kernels without a dot are named, and the recording that gives them one is filled in") {
    widgetApp();
    ShownWindow f;
    const auto hidden =
        unplottedKernels(f.analysis(), f.window.views().roofline().kernelsOfDevice());
    REQUIRE_FALSE(hidden.empty());
    const auto plotted = f.window.views().roofline().plottedKernels();
    for (const UnplottedKernel& one : hidden) {
        CHECK(std::ranges::find(plotted, one.kernel) == plotted.end());
        CHECK_FALSE(one.reason.isEmpty());
    }
    auto* strip = f.window.views().rooflinePage().findChild<QWidget*>("strip");
    REQUIRE(strip);
    REQUIRE(strip->isVisible());
    auto* chip = strip->findChild<QToolButton*>("chip");
    REQUIRE(chip);
    QTest::mouseClick(chip, Qt::LeftButton);
    CHECK(f.window.documents().selectedKernel() == hidden.front().kernel);
    QAbstractButton* record = visibleButton(*strip, "Record what is missing");
    REQUIRE(record);
    QTest::mouseClick(record, Qt::LeftButton);
    auto* dialog = f.window.findChild<RecordDialog*>();
    REQUIRE(dialog);
    CHECK(dialog->isVisible());
    for (const QString& group : groupsFor(hidden)) CHECK(dialog->request().groups.contains(group));
    dialog->close();
}
