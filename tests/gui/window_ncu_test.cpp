// SPDX-License-Identifier: Apache-2.0
// The window in use: a report that ncu has to convert, where ncu does not answer.
#include <QElapsedTimer>
#include <QLabel>

#include "gui/app/main_window.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/fake_ncu.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// A window that waits for ncu.
struct Waiting {
    QApplication& app = widgetApp();
    HangingNcu ncu;
    QString report = QString::fromStdString(ncu.report("run.ncu-rep").string());
    std::unique_ptr<MainWindow> window = std::make_unique<MainWindow>(
        MainWindow::Setup{.persistent = false, .theme = ThemeChoice::Light});

    Waiting() { window->show(); }
    void open() {
        ncu.hang();
        window->documents().open({report});
        REQUIRE(waitFor([&] { return ncu.hangs(); }));
    }
    [[nodiscard]] QString step() const {
        const ProgressLine& line = window->views().progress();
        return line.isVisible() ? line.findChild<QLabel*>()->text() : QString();
    }
    [[nodiscard]] bool ended() const {
        return waitFor([&] { return !ncu.runs(); }, 1000);
    }
};

}  // namespace

TEST_CASE("while ncu does not answer, the window says so and opens other profiles") {
    Waiting f;
    const int narrowest = f.window->minimumSizeHint().width();
    f.open();
    CHECK(f.window->minimumSizeHint().width() <= narrowest);
    CHECK(f.step().contains("run.ncu-rep"));
    CHECK(f.step().contains("; ncu converts"));
    const auto other = f.ncu.file("other.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), other).ok());
    f.window->documents().open({QString::fromStdString(other.string())});
    REQUIRE(waitFor([&] { return f.window->documents().document() != nullptr; }));
    CHECK(f.ncu.runs());
    CHECK(f.step().contains("run.ncu-rep"));

    QAbstractButton* cancel = visibleButton(f.window->views().progress(), "Cancel");
    REQUIRE(cancel);
    cancel->click();
    CHECK(f.ended());
    CHECK(f.step().isEmpty());
    CHECK(f.window->status().said().contains("run.ncu-rep"));
    CHECK(f.window->documents().document()->title() == "other");
}

TEST_CASE("a window that is closed while ncu does not answer ends at once, and ncu with it") {
    Waiting f;
    f.open();
    QElapsedTimer timer;
    timer.start();
    f.window->close();
    f.window.reset();
    CHECK(timer.elapsed() < 1000);
    CHECK(f.ended());
}

TEST_CASE("a tab that is closed while ncu reads its report again ends ncu") {
    Waiting f;
    f.window->documents().open({f.report});
    REQUIRE(waitFor([&] { return f.window->documents().document() != nullptr; }));
    f.ncu.hang();
    f.window->documents().reload();
    REQUIRE(waitFor([&] { return f.ncu.hangs(); }));
    f.window->documents().close(0);
    CHECK(f.ended());
    CHECK_FALSE(f.window->documents().loader().busy());
    CHECK(f.window->documents().document() == nullptr);
}
