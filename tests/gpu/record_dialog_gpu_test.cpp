// SPDX-License-Identifier: Apache-2.0
// The record dialog of the real window with the real roofscope, on a GPU; skipped without one.
// ROOFSCOPE_PICTURES=FOLDER keeps screenshots.
#include <QAction>
#include <QDir>
#include <QFile>
#include <QPixmap>
#include <QPushButton>
#include <QSignalSpy>

#include "gui/app/main_window.h"
#include "gui/views/recording/record_dialog.h"
#include "tests/gui/core_app.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr int kRecordingMs = 60000;

void picture(QWidget& of, const char* name) {
    const QString folder = qEnvironmentVariable("ROOFSCOPE_PICTURES");
    if (!folder.isEmpty()) of.grab().save(QDir(folder).filePath(QLatin1String(name)));
}

QPushButton* button(const QWidget& in, const char* text) {
    for (QPushButton* found : in.findChildren<QPushButton*>())
        if (found->text().remove(QLatin1Char('&')) == QLatin1String(text)) return found;
    return nullptr;
}

/// The window with its dialog open, as after File > Record….
struct Fixture {
    TemporaryFolder folder;
    MainWindow window{{.persistent = false, .theme = ThemeChoice::Light}};
    RecordDialog* dialog = nullptr;

    Fixture() {
        window.resize(1280, 800);
        window.show();
        for (QAction* action : window.findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_R)) action->trigger();
        dialog = window.findChild<RecordDialog*>();
        REQUIRE(dialog);
        REQUIRE(waitFor([&] { return !dialog->machineText().contains("Looking"); }, 30000));
        INFO(dialog->machineText().toStdString());
        REQUIRE(dialog->obstacle().contains("program", Qt::CaseInsensitive));  // the only obstacle
    }
    void ask(const char* mode) {
        RecordingRequest request;
        request.program = QStringLiteral(ROOFSCOPE_GUEST_PROGRAM);
        request.arguments = QLatin1String(mode);
        request.folder = QString::fromStdString(folder.path().string());
        dialog->setRequest(request);
        REQUIRE(dialog->obstacle().isEmpty());
    }
};

}  // namespace

TEST_CASE("the dialog records a program on the GPU, and the window shows its kernels") {
    widgetApp();
    Fixture f;
    f.ask("plain");
    picture(*f.dialog, "record-form.png");
    QSignalSpy recorded(f.dialog, &RecordDialog::recorded);
    button(*f.dialog, "Record")->click();
    REQUIRE(waitFor([&] { return recorded.count() > 0; }, kRecordingMs));
    picture(*f.dialog, "record-done.png");
    CHECK(recorded[0][1].toBool());
    CHECK(f.dialog->statusText() == "Recorded.");
    REQUIRE(waitFor([&] { return f.window.documents().document() != nullptr; }));
    const Analysis& analysis = *f.window.documents().document()->analysis;
    REQUIRE(analysis.kernels.size() == 1);
    CHECK(analysis.kernels[0].group.launches.size() == 3);
    // guest_program: 1 Mi floats, read and written once.
    REQUIRE(analysis.kernels[0].quantities.loads.sectors.has());
    CHECK(*analysis.kernels[0].quantities.loads.sectors > 0);
    f.dialog->hide();
    QCoreApplication::processEvents();
    picture(f.window, "record-window.png");
}

TEST_CASE("a program that hangs is cancelled, and what it measured is opened") {
    widgetApp();
    Fixture f;
    f.ask("hang");
    QSignalSpy recorded(f.dialog, &RecordDialog::recorded);
    button(*f.dialog, "Record")->click();
    // The program's timing run never ends.
    QElapsedTimer timer;
    timer.start();
    (void)waitFor([&] { return timer.elapsed() > 6000; }, 7000);
    REQUIRE(f.dialog->recording().busy());
    picture(*f.dialog, "record-running.png");
    button(*f.dialog, "Cancel")->click();
    REQUIRE(waitFor([&] { return !f.dialog->recording().busy(); }, kRecordingMs));
    picture(*f.dialog, "record-cancelled.png");
    CHECK(f.dialog->statusText().contains("cancelled"));
    REQUIRE(waitFor(
        [&] { return recorded.count() > 0 && f.window.documents().document() != nullptr; }));
    CHECK_FALSE(recorded[0][1].toBool());
    const Analysis& analysis = *f.window.documents().document()->analysis;
    REQUIRE(analysis.kernels.size() == 1);
    CHECK(analysis.kernels[0].group.launches.size() == 3);
}
