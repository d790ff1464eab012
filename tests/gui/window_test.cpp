// SPDX-License-Identifier: Apache-2.0
// The real window on a real X server (Xvfb). Skipped (77) where there is no xvfb-run.
#include <QStandardPaths>
#include <cstdlib>

#include "profile/codec.h"
#include "tests/gui/picture.h"
#include "tests/gui/run_program.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::test;

TEST_CASE("the window opens under an X server and is not blank") {
    const QString xvfb = QStandardPaths::findExecutable("xvfb-run");
    if (xvfb.isEmpty()) {
        std::puts("skipped: xvfb-run is not installed");
        std::exit(77);
    }
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
    const QImage image(file);
    REQUIRE(image.width() >= 1200);
    CHECK(coloursIn(image, 0.0, 0.1, 0.25, 0.4) > 20);
    CHECK(coloursIn(image, 0.35, 0.1, 0.3, 0.5) > 20);
    CHECK(coloursIn(image, 0.72, 0.1, 0.25, 0.5) > 20);
}
