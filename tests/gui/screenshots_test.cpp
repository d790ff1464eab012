// SPDX-License-Identifier: Apache-2.0
// Screenshots of every screen, to look at after a change. Without a folder only a few are taken and
// checked for not being blank. With a folder all are taken, in three sizes, both themes and both
// languages:
//   QT_QPA_PLATFORM=offscreen ROOFSCOPE_LOOK=/tmp/look build/bin/test_gui_views "every screen*"
// Screens that need user actions (typing, choosing, opening, messages) are named "use-…".
#include <QAbstractButton>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/app/translation.h"
#include "gui/app/workspace.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/picture.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QString sampleFile(const char* name) {
    return QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_%1.roofscope.json.gz")
        .arg(QLatin1String(name));
}
QString recordedFile(const char* name) {
    return QStringLiteral(ROOFSCOPE_SOURCE_DIR "/tests/frameworks/recorded/%1.roofscope.json.gz")
        .arg(QLatin1String(name));
}

/// What is opened, and how the window starts with it.
struct Screen {
    const char* name;
    QString file, kernel, tab, baseline = {};
    bool overview = false;
};

std::vector<Screen> screens() {
    const QString bundled = sampleFile("bundled"),
                  decode = QStringLiteral("lightningDecodeSharedConflict");
    return {
        {.name = "empty"},
        {.name = "overview", .file = recordedFile("torch_copies"), .overview = true},
        {.name = "kernels", .file = bundled, .kernel = decode},
        {.name = "comparison",
         .file = sampleFile("triton_source"),
         .kernel = "AUnaryFunctor",
         .baseline = sampleFile("torch_triton")},
        {.name = "source",
         .file = sampleFile("triton_source"),
         .kernel = "add_kernel",
         .tab = "source"},
        {.name = "memory", .file = bundled, .kernel = decode, .tab = "memory"},
        {.name = "over-time",
         .file = QStringLiteral(ROOFSCOPE_SOURCE_DIR
                                "/tests/data/over_time/h200_phases.roofscope.json.gz"),
         .kernel = "alternating",
         .tab = "over-time"},
        {.name = "timeline", .file = recordedFile("torch_copies"), .tab = "timeline"},
    };
}

/// A window with a screen in it.
class Looked {
public:
    Looked(const Screen& screen, QSize size, ThemeChoice theme)
        : m_window({.persistent = false,
                    .theme = theme,
                    .kernel = screen.kernel,
                    .baseline = screen.baseline,
                    .details = screen.tab}) {
        if (!screen.file.isEmpty()) {
            m_window.documents().open({screen.file});
            if (!screen.baseline.isEmpty()) m_window.documents().open({screen.baseline});
            REQUIRE(waitFor([&] {
                return m_window.documents().document() && !m_window.documents().loader().busy() &&
                       (screen.baseline.isEmpty() || m_window.documents().comparison());
            }));
            m_window.views().showOverview(screen.overview);
        }
        m_window.resize(size);
        m_window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&m_window));
        QTest::qWait(30);  // for the layout
    }
    MainWindow* operator->() { return &m_window; }
    MainWindow& window() { return m_window; }

private:
    MainWindow m_window;
};

/// Where screenshots are stored.
class Pictures {
public:
    explicit Pictures(QString folder) : m_folder(std::move(folder)) {
        REQUIRE(QDir().mkpath(m_folder));
    }
    void take(QWidget& widget, const QString& name) {
        QTest::qWait(80);  // a larger font reaches the last line only after several layout rounds
        const QImage image = widget.grab().toImage();
        INFO(name.toStdString());
        CHECK(coloursIn(image, 0, 0, 1, 1) > 8);
        REQUIRE(image.save(m_folder + QLatin1Char('/') + name + QStringLiteral(".png")));
    }

private:
    QString m_folder;
};

/// How a window is shown.
struct Appearance {
    QSize size;
    ThemeChoice theme = ThemeChoice::Light;
    Language language = Language::En;

    [[nodiscard]] QString name() const {
        return QStringLiteral("%1x%2-%3-%4")
            .arg(size.width())
            .arg(size.height())
            .arg(QLatin1String(theme == ThemeChoice::Dark ? "dark" : "light"),
                 QLatin1String(language == test::kZh ? "zh" : "en"));
    }
};

std::vector<Appearance> appearances(bool all) {
    if (!all) return {{.size = {1024, 700}}};
    std::vector<Appearance> result;
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900), QSize(2560, 1440)})
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark})
            for (const Language language : windowLanguages())
                result.push_back({.size = size, .theme = theme, .language = language});
    return result;
}

/// Screens that need user actions, in the order in which a user meets them.
void takeInteractiveScreens(Pictures& pictures, const Appearance& manner) {
    const auto& [size, theme, language] = manner;
    const auto take = [&](QWidget& widget, const char* name) {
        pictures.take(widget, QStringLiteral("use-%1-%2").arg(QLatin1String(name), manner.name()));
    };
    const Screen bundled = screens()[2];
    {
        const TemporaryFolder folder;
        const auto file = folder.file("run.roofscope.json");
        Profile profile = sampleProfile();
        REQUIRE(writeProfile(profile, file).ok());
        Looked f({.name = "said", .file = QString::fromStdString(file.string())}, size, theme);
        const auto first = f->documents().document()->analysis;
        profile.launches.push_back(profile.launches[4]);
        profile.counters.resize(profile.launches.size());
        REQUIRE(writeProfile(profile, file).ok());
        REQUIRE(waitFor([&] { return f->documents().document()->analysis != first; }));
        f->views().hints().copyForAssistant();
        take(f.window(), "said");
    }
    {
        Looked f({.name = "tensor", .file = sampleFile("torch_tensor"), .kernel = "gemm"}, size,
                 theme);
        take(f.window(), "tensor-roofs");
        f->views().maximise(Workspace::Roofline);
        take(f.window(), "roofline-alone");
    }
    {
        Looked f(bundled, size, theme);
        f->documents().selectKernel(std::nullopt);
        take(f.window(), "nothing-selected");
        f->views().kernels().setFilterText("lightning bw >");
        f->documents().selectKernel(
            kernelNamed(*f->documents().document()->analysis, "lightningDecodeShared"));
        take(f.window(), "half-typed");
        QMenu* menu = nullptr;
        QTimer::singleShot(100, f.window().window(), [&] {
            menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            take(*menu, "row-menu");
            menu->close();
        });
        const QTreeView& table = *f->views().kernels().table();
        Q_EMIT f->views().kernels().table()->customContextMenuRequested(
            table.visualRect(table.model()->index(0, 0)).center());
        CHECK(menu);
    }
    {
        Looked f(bundled, size, theme);
        f->views().kernels().toggleCounter("dram__bytes_read.sum");
        f->views().maximise(Workspace::Kernels);
        take(f.window(), "counter-column");
        f->views().showAll();
        f->look().setScale(2);
        take(f.window(), "200-percent");
        f->look().setScale(1);
        f->recordings().showDialog();
        auto* dialog = f->findChild<RecordDialog*>();
        REQUIRE(dialog);
        take(*dialog, "record");
        dialog->close();
        trigger(f.window(), QKeySequence::HelpContents);
        auto* help = f->findChild<QDialog*>("help");
        REQUIRE(help);
        take(*help, "help");
        help->close();
    }
    {
        Looked f(screens()[4], size, theme);
        f->views().maximise(Workspace::Details);
        take(f.window(), "source-alone");
    }
}

}  // namespace

TEST_CASE("every screen of a session can be looked at") {
    widgetApp();
    const QString wanted = qEnvironmentVariable("ROOFSCOPE_LOOK");
    const TemporaryFolder folder;
    Pictures pictures(wanted.isEmpty() ? QString::fromStdString(folder.path().string()) : wanted);
    for (const Appearance& manner : appearances(!wanted.isEmpty())) {
        REQUIRE(useLanguage(manner.language).ok());
        for (const Screen& screen : screens()) {
            Looked shown(screen, manner.size, manner.theme);
            pictures.take(
                shown.window(),
                QStringLiteral("screen-%1-%2").arg(QLatin1String(screen.name), manner.name()));
        }
        if (!wanted.isEmpty()) takeInteractiveScreens(pictures, manner);
    }
    REQUIRE(useLanguage(Language::En).ok());
}
