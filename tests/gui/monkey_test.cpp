// SPDX-License-Identifier: Apache-2.0
// Random clicks, keys and opened files. The seed is printed; the same seed and count repeat the
// actions as far as loading threads allow:
//   export QT_QPA_PLATFORM=offscreen ROOFSCOPE_MONKEY_COUNT=10000 ROOFSCOPE_MONKEY_SEED=7
//   build/bin/test_gui_monkey
// If an action hangs, the last ones are printed and the test aborts. For sanitizers (docs/build.md)
// tests/gui/lsan.supp lists leaks that are not ours.
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QTest>
#include <QTimer>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "gui/app/main_window.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
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

unsigned fromEnvironment(const char* name, unsigned otherwise) {
    bool ok = false;
    const unsigned value = qEnvironmentVariable(name).toUInt(&ok);
    return ok ? value : otherwise;
}

/// Prints the last actions and aborts if an action takes too long.
class Watchdog {
public:
    Watchdog() : m_thread([this] { watch(); }) {}
    ~Watchdog() {
        {
            const std::lock_guard lock(m_mutex);
            m_ended = true;
        }
        m_wake.notify_one();
        m_thread.join();
    }
    void note(std::string action) {
        const std::lock_guard lock(m_mutex);
        m_last.push_back(std::move(action));
        if (m_last.size() > kKept) m_last.pop_front();
        ++m_count;
    }

private:
    static constexpr std::size_t kKept = 40;
    static constexpr std::chrono::seconds kPatience{60};

    void watch() {
        std::unique_lock lock(m_mutex);
        for (std::size_t seen = m_count; !m_ended; seen = m_count) {
            m_wake.wait_for(lock, kPatience, [this] { return m_ended; });
            if (m_ended || m_count != seen) continue;
            std::fprintf(stderr, "action %zu does not end; the last ones:\n", m_count);
            for (const std::string& action : m_last) std::fprintf(stderr, "  %s\n", action.c_str());
            std::abort();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::string> m_last;
    std::size_t m_count = 0;
    bool m_ended = false;
    std::thread m_thread;  // last, because it uses the other members
};

class Monkey {
public:
    explicit Monkey(unsigned seed) : m_random(seed) {
        REQUIRE(writeProfile(sampleProfile(), m_folder.file("a.roofscope.json")).ok());
        Profile other = sampleProfile();
        other.counters.resize(0);
        other.counters.resize(other.launches.size());
        REQUIRE(writeProfile(other, m_folder.file("empty.roofscope.json")).ok());
        REQUIRE(writeProfile(Profile{}, m_folder.file("nothing.roofscope.json")).ok());
        REQUIRE(writeProfile(sampleProfile(), m_folder.file("b.roofscope.json")).ok());
        REQUIRE(writeProfile(rangesProfile(), m_folder.file("ranges.roofscope.json")).ok());
        REQUIRE(writeProfile(programProfile(), m_folder.file("program.roofscope.json")).ok());
        std::filesystem::copy_file(ROOFSCOPE_SOURCE_DIR
                                   "/profile/samples/h200_triton_source.roofscope.json.gz",
                                   m_folder.file("source.roofscope.json.gz"));
        std::filesystem::copy_file(ROOFSCOPE_SOURCE_DIR
                                   "/tests/data/over_time/h200_phases.roofscope.json.gz",
                                   m_folder.file("over_time.roofscope.json.gz"));
        std::ofstream(m_folder.file("bad.roofscope.json")) << "{ not a pro";
        // Closes dialogs and menus, which would wait for a user.
        QObject::connect(&m_closer, &QTimer::timeout, [] {
            if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
            if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
                dialog->reject();
        });
        m_closer.start(5);
        renew();
    }

    void step() {
        if (!m_window->isVisible()) renew();
        const int what = below(100);
        if (what < 45)
            click();
        else if (what < 80)
            key();
        else if (what < 90)
            command();
        else
            open();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        check();
    }

private:
    void renew() {
        m_window = std::make_unique<MainWindow>(
            MainWindow::Setup{.persistent = false, .theme = ThemeChoice::Light});
        m_window->resize(1000, 700);
        m_window->show();
        REQUIRE(QTest::qWaitForWindowExposed(m_window.get()));
    }

    int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(m_random); }

    Qt::KeyboardModifiers modifiers() {
        constexpr Qt::KeyboardModifiers kSome[] = {Qt::NoModifier, Qt::NoModifier,
                                                   Qt::ShiftModifier, Qt::ControlModifier,
                                                   Qt::ControlModifier | Qt::ShiftModifier};
        return kSome[below(5)];
    }

    QWidget* anyWidget() {
        QList<QWidget*> visible;
        for (QWidget* widget : m_window->findChildren<QWidget*>())
            if (widget->isVisible() && widget->width() > 0 && widget->height() > 0)
                visible << widget;
        // Every second time the plot, as there is most to break.
        if (below(2) == 0 && m_window->views().roofline().isVisible())
            return &m_window->views().roofline();
        return visible.isEmpty() ? m_window.get() : visible[below(int(visible.size()))];
    }

    void click() {
        const QPointer<QWidget> widget = anyWidget();
        const auto at = [&] { return QPoint(below(widget->width()), below(widget->height())); };
        const Qt::MouseButton button = below(8) == 0 ? Qt::RightButton : Qt::LeftButton;
        const Qt::KeyboardModifiers keys = modifiers();
        const int kind = below(4);
        note("mouse %d on %s, button %d, keys %x", kind, widget->metaObject()->className(),
             int(button), unsigned(keys));
        if (kind == 0) return QTest::mouseDClick(widget, button, keys, at());
        const QPoint from = at(), to = at();
        if (kind == 1) return QTest::mouseClick(widget, button, keys, from);
        QTest::mousePress(widget, button, keys, from);
        if (!widget) return note("the press closed it");
        QMouseEvent move(QEvent::MouseMove, QPointF(to), widget->mapToGlobal(QPointF(to)),
                         Qt::NoButton, button, keys);
        QApplication::sendEvent(widget, &move);
        if (widget) QTest::mouseRelease(widget, button, keys, to);
    }

    void key() {
        QWidget* focus = m_window->focusWidget();
        QWidget* target = focus && focus->isVisible() ? focus : m_window.get();
        constexpr int kKeys[] = {Qt::Key_Up,     Qt::Key_Down,  Qt::Key_Left,     Qt::Key_Right,
                                 Qt::Key_Home,   Qt::Key_End,   Qt::Key_Tab,      Qt::Key_Backtab,
                                 Qt::Key_Return, Qt::Key_Space, Qt::Key_Escape,   Qt::Key_Delete,
                                 Qt::Key_Plus,   Qt::Key_Minus, Qt::Key_Backspace};
        const auto press = [&](int key) {
            const Qt::KeyboardModifiers keys = modifiers();
            note("key %x, keys %x, on %s", unsigned(key), unsigned(keys),
                 target->metaObject()->className());
            QTest::keyClick(target, static_cast<Qt::Key>(key), keys);
        };
        if (below(2) == 0)
            press(kKeys[below(int(std::size(kKeys)))]);
        else if (below(2) == 0)
            // Letters, digits and signs: filters, searches and shortcuts (Ctrl+Q closes).
            press(Qt::Key_Space + below(64));
        else
            press(Qt::Key_F1 + below(11));
    }

    void command() {
        constexpr const char* kFilters[] = {"", "gelu", "bw > 1%", "bw >", "nothing", "\"", "<"};
        const int what = below(10);
        note("command %d", what);
        switch (what) {
            case 0:
                return m_window->views().kernels().setFilterText(kFilters[below(7)]);
            case 1:
                return m_window->views().kernels().setGrouping(
                    static_cast<KernelGrouping>(below(4)));
            case 2:
                return m_window->documents().setBaseline(path(below(4)));
            case 3:
                return m_window->documents().compareSelected();
            case 4:
                return m_window->documents().setConvention(static_cast<Convention>(below(2)));
            case 5:
                return m_window->documents().close(below(4));
            case 6:
                return m_window->look().setLanguage(static_cast<Language>(below(2)));
            case 7:
                return m_window->views().hints().setBudget(std::size_t(500) * unsigned(below(3)));
            case 8:
                return m_window->views().details().setCurrentIndex(
                    below(m_window->views().details().count()));
            default:
                m_window->resize(200 + below(1400), 150 + below(900));
        }
    }

    QString path(int which) {
        constexpr const char* kFiles[] = {"a.roofscope.json",           "b.roofscope.json",
                                          "empty.roofscope.json",       "nothing.roofscope.json",
                                          "bad.roofscope.json",         "absent.roofscope.json",
                                          "source.roofscope.json.gz",   ".",
                                          "ranges.roofscope.json",      "program.roofscope.json",
                                          "over_time.roofscope.json.gz"};
        return QString::fromStdString(m_folder.file(kFiles[which]).string());
    }
    void open() {
        const int which = below(11);
        note("open %d", which);
        m_window->documents().open({path(which)});
    }

    template <class... Values>
    void note(const char* format, Values... values) {
        m_watchdog.note(QString::asprintf(format, values...).toStdString());
    }

    void check() {
        if (const ProfileDocument* shown = m_window->documents().document())
            check(*shown->analysis);
        else
            CHECK(m_window->documents().selection().all.empty());
    }

    void check(const Analysis& shown) {
        const KernelSelection& selection = m_window->documents().selection();
        for (const std::size_t kernel : selection.all) REQUIRE(kernel < shown.kernels.size());
        CHECK(selection.current.has_value() == !selection.all.empty());
        CHECK(m_window->views().hints().hasReport() == selection.current.has_value());
        if (const auto since = m_window->documents().comparison())
            for (const KernelComparison& change : since->comparison.kernels)
                REQUIRE(change.match.candidate < shown.kernels.size());
    }

    Watchdog m_watchdog;
    TemporaryFolder m_folder;
    std::mt19937 m_random;
    QTimer m_closer;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace

TEST_CASE("random clicks, keys and opens do no harm") {
    widgetApp();
    const unsigned seed = fromEnvironment("ROOFSCOPE_MONKEY_SEED", 20261121);
    const unsigned count = fromEnvironment("ROOFSCOPE_MONKEY_COUNT", 400);
    std::printf("seed %u, %u actions\n", seed, count);
    std::fflush(stdout);
    Monkey monkey(seed);
    for (unsigned i = 0; i < count; ++i) {
        INFO("seed " << seed << ", action " << i);
        monkey.step();
    }
}
