// SPDX-License-Identifier: Apache-2.0
#include "gui/models/files/file_watcher.h"

#include <QSignalSpy>
#include <QThread>
#include <filesystem>
#include <fstream>

#include "tests/gui/core_app.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope::gui;
using namespace roofscope::test;
using namespace std::chrono_literals;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
}

void idle(int milliseconds) {
    waitFor([] { return false; }, milliseconds);
}

}  // namespace

TEST_CASE("a rewritten, a replaced and a returning file are seen, once each") {
    coreApp();
    const TemporaryFolder folder;
    const auto file = folder.file("a.roofscope.json");
    write(file, "one");
    FileWatcher watcher(nullptr, 50ms);
    QSignalSpy changed(&watcher, &FileWatcher::changed);
    watcher.watch(QString::fromStdString(file.string()));
    idle(150);
    CHECK(changed.count() == 0);

    write(file, "rewritten in place");
    REQUIRE(waitFor([&] { return changed.count() == 1; }));

    write(folder.file("b.tmp"), "replaced by a rename");
    std::filesystem::rename(folder.file("b.tmp"), file);
    REQUIRE(waitFor([&] { return changed.count() == 2; }));

    std::filesystem::remove(file);
    idle(250);
    CHECK(changed.count() == 2);  // removal is not new content
    write(file, "back");
    REQUIRE(waitFor([&] { return changed.count() == 3; }));

    write(folder.file("other.json"), "somebody else's");
    idle(250);
    CHECK(changed.count() == 3);
    watcher.forget(QString::fromStdString(file.string()));
    write(file, "not watched any more");
    idle(250);
    CHECK(changed.count() == 3);
}

TEST_CASE("a file that is still growing is reported when it stopped") {
    coreApp();
    const TemporaryFolder folder;
    const auto file = folder.file("a.roofscope.json");
    write(file, "start");
    FileWatcher watcher(nullptr, 100ms);
    QSignalSpy changed(&watcher, &FileWatcher::changed);
    watcher.watch(QString::fromStdString(file.string()));
    for (int i = 0; i < 10; ++i) {
        std::ofstream(file, std::ios::app) << "more and more";
        idle(40);
    }
    CHECK(changed.count() == 0);
    REQUIRE(waitFor([&] { return changed.count() == 1; }));
}
