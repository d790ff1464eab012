// SPDX-License-Identifier: Apache-2.0
#include "gui/views/recording/record_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>

#include "gui/app/main_window.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/fake_roofscope.h"
#include "tests/gui/fake_ssh.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QPushButton* button(const QWidget& dialog, const QString& text) {
    for (QPushButton* found : dialog.findChildren<QPushButton*>())
        if (found->text().remove(QLatin1Char('&')) == text) return found;
    return nullptr;
}

struct DialogFixture {
    FakeRoofscope fake;
    RecordDialog dialog{nullptr, fake.path()};
    QSignalSpy recorded{&dialog, &RecordDialog::recorded};

    DialogFixture() {
        REQUIRE(writeProfile(sampleProfile(), fake.in("profile").toStdString()).ok());
    }
    void show() {
        dialog.show();
        REQUIRE(
            waitFor([&] { return !dialog.machineText().contains(QStringLiteral("Checking")); }));
    }
    void ask(const char* behaviour) {
        RecordingRequest request;
        request.program = QStringLiteral("./app");
        request.folder = fake.folder();
        request.environment =
            QStringLiteral("FAKE=%1\nPROFILE=%2").arg(QLatin1String(behaviour), fake.in("profile"));
        dialog.setRequest(request);
    }
};

}  // namespace

TEST_CASE("the dialog leaves room for its title bar and can be made low") {
    widgetApp();
    DialogFixture f;
    f.show();
    const QSize screen = f.dialog.screen()->availableSize();
    CHECK(f.dialog.height() <= screen.height() - 40);
    // On a screen of 1366 x 768, with the answer of doctor, the buttons are in view.
    CHECK(f.dialog.minimumSizeHint().height() <= 680);
    f.dialog.resize(800, 680);
    CHECK(f.dialog.height() == 680);
    const QPushButton* close = button(f.dialog, QStringLiteral("Close"));
    REQUIRE(close);
    CHECK(close->mapTo(&f.dialog, QPoint(0, close->height())).y() <= f.dialog.height());
}

TEST_CASE("Record is possible once a program is named, and shows its command") {
    widgetApp();
    DialogFixture f;
    f.show();
    QPushButton* record = button(f.dialog, QStringLiteral("Record"));
    REQUIRE(record);
    CHECK_FALSE(record->isEnabled());
    CHECK(record->toolTip().contains("Program"));
    f.ask("whole");
    CHECK(record->isEnabled());
    CHECK(f.dialog.commandText().contains("record --out"));
    button(f.dialog, QStringLiteral("Copy"))->click();
    CHECK(QApplication::clipboard()->text() == f.dialog.commandText());
    record->click();
    REQUIRE(waitFor([&] { return f.recorded.count() > 0; }));
    CHECK(f.recorded[0][0].toString() == f.fake.in("app.roofscope.json"));
    CHECK(f.recorded[0][1].toBool());
    CHECK(f.dialog.statusText() == "Recorded.");
}

TEST_CASE("Enter in a field records, and the dialog begins with the form the next time") {
    widgetApp();
    DialogFixture f;
    f.show();
    f.ask("whole");
    QPushButton* record = button(f.dialog, QStringLiteral("Record"));
    REQUIRE(waitFor([&] { return record->isEnabled(); }));
    QLineEdit* program = nullptr;
    for (auto* line : f.dialog.findChildren<QLineEdit*>())
        if (line->accessibleName() == QLatin1String("Program")) program = line;
    REQUIRE(program);
    program->setFocus();
    QTest::keyClick(program, Qt::Key_Return);
    REQUIRE(waitFor([&] { return f.recorded.count() > 0; }));
    auto* tabs = f.dialog.findChild<QTabWidget*>();
    CHECK(tabs->currentIndex() == 1);
    f.dialog.hide();
    f.dialog.show();
    CHECK(tabs->currentIndex() == 0);
    CHECK(f.dialog.statusText().isEmpty());
    // A long command is fully visible.
    auto* command = f.dialog.findChild<QPlainTextEdit*>("command");
    REQUIRE(command);
    RecordingRequest request = f.dialog.request();
    request.options = QStringLiteral("--nvtx ") + QString(300, QLatin1Char('x'));
    const int before = command->height();
    f.dialog.setRequest(request);
    QTest::qWait(20);
    CHECK(command->height() > before);
    CHECK(command->verticalScrollBar()->maximum() == 0);
}

TEST_CASE("without a GPU the command can be built, and Record says why it is off") {
    widgetApp();
    DialogFixture f;
    f.fake.doctor(kNoGpu);
    f.show();
    f.ask("whole");
    QPushButton* record = button(f.dialog, QStringLiteral("Record"));
    CHECK_FALSE(record->isEnabled());
    CHECK(record->toolTip().contains("NVIDIA driver"));
    CHECK(f.dialog.machineText().contains("docker run --gpus all IMAGE"));
    CHECK(f.dialog.commandText().contains("./app"));
    CHECK(button(f.dialog, QStringLiteral("Copy"))->isEnabled());
    f.dialog.record();
    CHECK_FALSE(f.dialog.recording().busy());
}

TEST_CASE("without the right to read counters durations can still be recorded") {
    widgetApp();
    DialogFixture f;
    f.fake.doctor(kNotPermitted);
    f.show();
    f.ask("whole");
    CHECK(button(f.dialog, QStringLiteral("Record"))->isEnabled());
    CHECK(f.dialog.machineText().contains("sudo one"));
}

TEST_CASE("a recording is cancelled by its button, twice to kill it") {
    widgetApp();
    DialogFixture f;
    f.show();
    f.ask("stubborn");
    f.dialog.record();
    REQUIRE(waitFor([&] { return f.fake.has("started"); }));
    button(f.dialog, QStringLiteral("Cancel"))->click();
    QPushButton* kill = button(f.dialog, QStringLiteral("Kill"));
    REQUIRE(kill);
    kill->click();
    REQUIRE(waitFor([&] { return !f.dialog.recording().busy(); }));
    CHECK(f.dialog.statusText().contains("cancelled"));
    CHECK(f.recorded.count() == 0);
}

TEST_CASE("without a roofscope program the dialog says so") {
    widgetApp();
    RecordDialog dialog(nullptr, QString());
    dialog.show();
    CHECK(dialog.obstacle().contains("was found neither"));
    CHECK(dialog.machineText().contains("was found neither"));
}

TEST_CASE("another machine is looked at through ssh, and records") {
    widgetApp();
    DialogFixture f;
    const FakeSsh ssh(f.fake.folder());
    RecordDialog dialog(nullptr, QString());  // no local roofscope is needed
    QSignalSpy recorded(&dialog, &RecordDialog::recorded);
    dialog.show();
    CHECK(dialog.obstacle().contains("was found neither"));
    RecordingRequest request;
    request.host = QStringLiteral("gpu1");
    request.program = QStringLiteral("./app");
    request.environment = QStringLiteral("FAKE=whole\nPROFILE=") + f.fake.in("profile");
    request.output = f.fake.in("got.roofscope.json");
    dialog.setRequest(request);
    CHECK(dialog.machineText().contains("on gpu1"));
    REQUIRE(waitFor([&] { return dialog.machineText().contains("can be read on gpu1."); }));
    CHECK(dialog.obstacle() == "");
    CHECK(dialog.commandText().contains("BatchMode=yes"));
    CHECK(dialog.commandText().contains("-- gpu1 "));
    button(dialog, QStringLiteral("Record"))->click();
    REQUIRE(waitFor([&] { return recorded.count() > 0; }));
    CHECK(recorded[0][0].toString() == f.fake.in("got.roofscope.json"));
    CHECK(dialog.statusText().contains("gpu1"));
    CHECK(readProfile(f.fake.in("got.roofscope.json").toStdString()).ok());
}

TEST_CASE("what another machine lacks is said before anything is recorded") {
    widgetApp();
    DialogFixture f;
    RecordingRequest request;
    request.host = QStringLiteral("gpu1");
    request.program = QStringLiteral("./app");
    const auto obstacle = [&](const char* part) {
        REQUIRE(waitFor([&] { return f.dialog.obstacle().contains(QLatin1String(part)); }));
        CHECK(f.dialog.machineText().contains(QLatin1String(part)));
        QPushButton* record = button(f.dialog, QStringLiteral("Record"));
        CHECK_FALSE(record->isEnabled());
        CHECK(record->toolTip().contains(QLatin1String(part)));
    };
    f.show();
    SECTION("a machine that does not answer") {
        const FakeSsh ssh;
        FakeSsh::goDown();
        f.dialog.setRequest(request);
        obstacle("Connection refused");
    }
    SECTION("a roofscope") {
        const FakeSsh ssh;
        f.dialog.setRequest(request);
        obstacle("not in the PATH");
    }
    SECTION("a GPU") {
        f.fake.doctor(kNoGpu);
        const FakeSsh ssh(f.fake.folder());
        f.dialog.setRequest(request);
        obstacle("NVIDIA driver");
    }
    SECTION("ssh here") {
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nonexistent");
        f.dialog.setRequest(request);
        obstacle("ssh was not found");
        qputenv("PATH", path);
    }
    SECTION("a name") {
        request.host = QStringLiteral("-oProxyCommand=touch pwned");
        f.dialog.setRequest(request);
        CHECK(f.dialog.obstacle().contains("Machine"));
        CHECK_FALSE(button(f.dialog, QStringLiteral("Record"))->isEnabled());
    }
    // Back to this machine.
    request.host.clear();
    f.fake.doctor(R"({"counters_readable": true, "exit_code": 0, "checks": []})");
    f.dialog.setRequest(request);
    CHECK(waitFor([&] { return f.dialog.obstacle().isEmpty(); }));
}
