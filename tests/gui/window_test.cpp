// SPDX-License-Identifier: Apache-2.0
// The real window on an X server (Xvfb) and on a Wayland compositor (weston, headless). Each test
// is skipped if its server is not installed.
#include <QStandardPaths>

#include "profile/codec/codec.h"
#include "tests/gui/picture.h"
#include "tests/gui/run_program.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

void checkPicture(const QString& file) {
    const QImage image(file);
    REQUIRE(image.width() >= 1200);
    CHECK(coloursIn(image, 0.0, 0.1, 0.25, 0.4) > 20);
    CHECK(coloursIn(image, 0.35, 0.1, 0.3, 0.5) > 20);
    CHECK(coloursIn(image, 0.72, 0.1, 0.25, 0.5) > 20);
}

}  // namespace

TEST_CASE("the window opens under a Wayland compositor and is not blank", "[needs-weston]") {
    // Without Qt's Wayland plugin (Debian: qt6-wayland) the program lists the available ones.
    if (QStandardPaths::findExecutable("weston").isEmpty()) SKIP_CASE("weston is not installed");
    const TemporaryFolder folder;
    const auto profile = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), profile).ok());
    const QString file = QString::fromStdString(folder.file("window.png").string());
    const QString runtime = QString::fromStdString(folder.path().string());
    const char* script = R"(
cd "$XDG_RUNTIME_DIR" && chmod 700 .
weston --backend=headless-backend.so --socket=roofscope-test --no-config --idle-time=0 \
    > "$XDG_RUNTIME_DIR/weston.log" 2>&1 &
weston=$!
for _ in $(seq 100); do [ -S roofscope-test ] && break; sleep 0.1; done
[ -S roofscope-test ] || { cat weston.log; exit 77; }
timeout 40 "$@"
code=$?
kill $weston
exit $code
)";
    const auto run =
        runProgram("/bin/sh",
                   {"-c", script, "sh", ROOFSCOPE_GUI, QString::fromStdString(profile.string()),
                    "--screenshot", file, "--size", "1280x800"},
                   {"QT_QPA_PLATFORM=wayland", "WAYLAND_DISPLAY=roofscope-test",
                    "XDG_RUNTIME_DIR=" + runtime});
    if (run.code == 77) SKIP_CASE("weston did not start\n" + run.out.toStdString());
    if (run.error.contains("Could not find the Qt platform plugin"))
        SKIP_CASE("Qt's plugin for Wayland is not installed");
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    checkPicture(file);
}

TEST_CASE("the window opens under an X server and is not blank") {
    const QString xvfb = QStandardPaths::findExecutable("xvfb-run");
    if (xvfb.isEmpty()) SKIP_CASE("xvfb-run is not installed");
    const TemporaryFolder folder;
    const auto profile = folder.file("run.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), profile).ok());
    const QString file = QString::fromStdString(folder.file("window.png").string());
    const auto run = runProgram(
        xvfb,
        {"-a", "-s", "-screen 0 1600x1000x24", ROOFSCOPE_GUI,
         QString::fromStdString(profile.string()), "--screenshot", file, "--size", "1280x800"},
        {"QT_QPA_PLATFORM=xcb"});
    INFO(run.error.toStdString());
    REQUIRE(run.code == 0);
    checkPicture(file);
}
