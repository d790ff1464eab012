// SPDX-License-Identifier: Apache-2.0
// Profiles whose file names are not UTF-8, which Qt's own file classes cannot open.
#include <QAction>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>

#include "gui/app/main_window.h"
#include "gui/app/session.h"
#include "gui/app/workspace.h"
#include "gui/models/text/file_name.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/empty_view.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

const QString kShown = QStringLiteral("r\uFFFDsum\uFFFD");

struct Odd {
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "r\xE9sum\xE9.roofscope.json";
    QString name = fileName(QByteArray::fromStdString(file.string()));

    Odd() {
        widgetApp();
        QSettings().clear();
        REQUIRE(writeProfile(sampleProfile(), file).ok());
    }
    ~Odd() { QSettings().clear(); }
    void open(MainWindow& window) const {
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({name});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        INFO(window.views().messageBar().message().toStdString());
        REQUIRE(window.documents().document());
    }
};

/// Whether an enabled action or button has this name.
template <class Entry>
bool offers(const QObject& in, const QString& name) {
    const auto entries = in.findChildren<Entry*>();
    return std::ranges::any_of(entries, [&](const Entry* entry) {
        return entry->text().contains(name) && entry->isEnabled();
    });
}

}  // namespace

TEST_CASE("a name that is not UTF-8 is shown with replacement characters") {
    const Odd odd;
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    odd.open(window);
    CHECK(window.documents().document()->title() == kShown);
    CHECK(window.windowTitle().contains(kShown));
    CHECK(window.views().tabs().tabText(0).contains(kShown));
    CHECK(window.views().tabs().tabToolTip(0).contains(kShown));
    // The copied command contains the exact file name, whatever its bytes.
    CHECK(window.views().hints().markdown().contains(R"(r\351sum\351)"));
}

TEST_CASE("a profile whose name is not UTF-8 is loaded again when it changed") {
    const Odd odd;
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    odd.open(window);
    const auto first = window.documents().document()->analysis;
    Profile changed = sampleProfile();
    changed.launches.push_back(changed.launches[4]);
    changed.counters.resize(changed.launches.size());
    REQUIRE(writeProfile(changed, odd.file).ok());
    REQUIRE(waitFor([&] { return window.documents().document()->analysis != first; }));
    CHECK(window.views().messageBar().message().contains(kShown));
    const auto second = window.documents().document()->analysis;
    window.documents().reload();
    REQUIRE(waitFor([&] { return window.documents().document()->analysis != second; }));
}

TEST_CASE("files are written beside a profile under a name that is not UTF-8") {
    const Odd odd;
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    odd.open(window);
    for (const char* suffix : {".svg", ".png", ".pdf", ".csv", ".md"}) {
        const std::filesystem::path to = odd.folder.path() / (std::string("\xE9") + suffix);
        INFO(suffix);
        CHECK(window.files().exportTo(fileName(QByteArray::fromStdString(to.string()))).ok());
        CHECK(std::filesystem::exists(to));
    }
    CHECK_FALSE(window.files().exportTo(odd.name).ok());  // must not overwrite the profile itself
    CHECK(readProfile(odd.file).ok());
}

TEST_CASE("recent files of an earlier version are kept") {
    widgetApp();
    for (const QStringList& before :
         {QStringList{"/a.json"}, QStringList{"/a.json", "/b é.json"}}) {
        QSettings().setValue("recent", before);
        const Session session(true);
        CHECK(session.recent() == before);
    }
    QSettings().clear();
}

TEST_CASE("recent files and the last session keep a name that is not UTF-8") {
    const Odd odd;
    {
        MainWindow window({.persistent = true, .theme = ThemeChoice::Light});
        odd.open(window);
        CHECK(offers<QAction>(window, kShown));
        window.close();
    }
    MainWindow again({.persistent = true, .theme = ThemeChoice::Light});
    CHECK(offers<QAction>(again, kShown));
    CHECK(offers<QPushButton>(again.views().empty(), kShown));
    again.openLastSession();
    REQUIRE(waitFor([&] { return again.documents().document() != nullptr; }));
    CHECK(again.documents().document()->path == odd.name);
    again.close();
}
