// SPDX-License-Identifier: Apache-2.0
// All texts of the window, for a profile whose texts all try to look like something else.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QTextEdit>
#include <set>

#include "gui/app/export.h"
#include "gui/app/main_window.h"
#include "gui/models/details/memory_chart_layout.h"
#include "gui/models/plot/roofline_tooltip.h"
#include "gui/models/text/plain_tip.h"
#include "gui/models/text/shown_text.h"
#include "gui/models/timeline/timeline.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/widgets/data_view_setup.h"
#include "gui/views/widgets/message_bar.h"
#include "profile/codec/codec.h"
#include "profile/text/utf8.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/hostile_names.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

/// Right-to-left override, zero-width space, bell, a terminal code, a C1 control. "%1" is what
/// QString::arg() replaces. No blanks, because a kernel's short name starts after the last one.
const std::string kEvil =
    "a\xE2\x80\xAE"
    "b\xE2\x80\x8B"
    "c\x07\x1b[31mred\xC2\x9B"
    "1m%1%2";
const QString kClean = QStringLiteral("abcred%1%2");

/// The first character that is invisible or changes how others look; line ends and tabs are the
/// window's own.
std::optional<char32_t> hiddenIn(const QString& text) {
    for (const uint c : text.toUcs4())
        if (c != U'\n' && c != U'\t' && utf8::isHidden(c)) return c;
    return std::nullopt;
}

/// Collects what is shown and where, and fails on forbidden characters.
class TextCollector {
public:
    void see(const QString& where, const QString& text) {
        if (text.contains(kClean)) m_quoted.insert(where.section(' ', 0, 0));
        const auto hidden = hiddenIn(text);
        if (!hidden) return;
        INFO(where.toStdString() << ": U+" << std::hex << std::uint32_t(*hidden) << " in "
                                 << text.left(200).toStdString());
        CHECK_FALSE(hidden);
    }
    void see(const QString& where, const QAbstractItemModel& model,
             const QModelIndex& parent = {}) {
        for (int row = 0; row < model.rowCount(parent); ++row)
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole),
                                       int(Qt::StatusTipRole), int(Qt::AccessibleTextRole)})
                    see(QStringLiteral("%1 role %2").arg(where).arg(role),
                        index.data(role).toString());
                if (column == 0) see(where, model, index);
            }
    }
    void see(const plot::DrawList& shapes) {
        for (const auto* list : {&shapes.clipped, &shapes.free})
            for (const plot::Shape& shape : *list)
                if (const auto* text = std::get_if<plot::TextShape>(&shape))
                    see("plot", QString::fromStdString(text->text));
    }
    void see(QWidget& widget) {
        const QString name = QLatin1String(widget.metaObject()->className());
        for (const QString& text :
             {widget.windowTitle(), widget.windowFilePath(), widget.toolTip(), widget.statusTip(),
              widget.whatsThis(), widget.accessibleName(), widget.accessibleDescription()})
            see(name, text);
        if (const auto* label = qobject_cast<QLabel*>(&widget)) see(name, label->text());
        if (const auto* button = qobject_cast<QAbstractButton*>(&widget)) see(name, button->text());
        if (const auto* edit = qobject_cast<QTextEdit*>(&widget)) see(name, edit->toPlainText());
        if (const auto* box = qobject_cast<QComboBox*>(&widget)) see(name, *box->model());
        if (const auto* tabs = qobject_cast<QTabBar*>(&widget))
            for (int tab = 0; tab < tabs->count(); ++tab) {
                see(name, tabs->tabText(tab));
                see(name, tabs->tabToolTip(tab));
            }
        if (auto* view = qobject_cast<QAbstractItemView*>(&widget); view && view->model()) {
            see(QLatin1String(view->model()->metaObject()->className()), *view->model());
            view->selectAll();
            see("clipboard", selectedRowsText(*view));  // the text for Ctrl+C
        }
        for (const QAction* action : widget.actions()) {
            see("QAction", action->text());
            see("QAction", action->toolTip());
        }
    }
    void seeAll(QWidget& window) {
        see(window);
        for (QWidget* widget : window.findChildren<QWidget*>()) see(*widget);
    }
    [[nodiscard]] bool quotedBy(const char* where) const {
        return m_quoted.count(QLatin1String(where)) > 0;
    }

private:
    std::set<QString> m_quoted;  ///< places where the cleaned hostile name was seen
};

Profile evilProfile(double microseconds) {
    SyntheticProfile p;
    const auto kernel = p.kernel(kEvil + "<int>(int*)");
    auto launch = p.launch(kernel, {1024, 1, 1}, {128, 1, 1})
                      .set("dram__bytes_read.sum", 1e8)
                      .set("dram__bytes_write.sum", 1e8)
                      .set("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e9)
                      .set("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0)
                      .set("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0)
                      .set(kEvil + ".sum", 1)
                      .counterDurationUs(microseconds)
                      .durationUs(microseconds)
                      .range(kEvil + " > inner");
    launch.launch().start = Seconds{0};
    p.sourcePass(launch)
        .text("/src/" + kEvil + ".cu", 1, {"// " + kEvil})
        .instruction("IADD3 " + kEvil, "/src/" + kEvil + ".cu", 1)
        .executed(10)
        .set("smsp__pcsamp_warps_issue_stalled_" + kEvil, 5);
    for (const std::string& name : hostileNames())
        p.launch(p.kernel(name.empty() ? "k" : name), {1, 1, 1}, {32, 1, 1})
            .set("dram__bytes_read.sum", 1e6)
            .counterDurationUs(5);
    p.issue(Severity::Error, kEvil, kEvil + " happened", "do " + kEvil);
    Profile& profile = p.profile();
    profile.devices[0].name = "GPU " + kEvil;
    profile.processes[0].host = kEvil;
    profile.capture.command = {"./" + kEvil, "--name", kEvil};
    profile.ranges.push_back("range " + kEvil);
    profile.rangeMeasurements = {{.range = std::uint32_t(profile.ranges.size() - 1),
                                  .launches = 3,
                                  .duration = Seconds{1e-3}}};
    profile.rangeCounters.resize(1);
    return p.build();
}

}  // namespace

TEST_CASE("a text of a profile is cleaned of what would change the look of others") {
    CHECK(shownText(std::string_view(kEvil)) == kClean);
    CHECK(shownText(QString::fromStdString(kEvil)) == kClean);
    CHECK(shownText(std::string_view("gemm<float, 32>")) == QStringLiteral("gemm<float, 32>"));
    CHECK(shownText(std::string_view("矩阵 µ")) == QString::fromUtf8("矩阵 µ"));
    CHECK(shownText(std::string_view("two\nlines")) == QStringLiteral("two lines"));
    CHECK(shownText(std::string_view("abcdef"), 3) == QString::fromUtf8("ab…"));
    CHECK(shownLines(QStringLiteral("one\n") + QString::fromStdString(kEvil)) ==
          QStringLiteral("one\n") + kClean);
    for (const std::string& name : hostileNames()) {
        CHECK_FALSE(hiddenIn(shownText(std::string_view(name))));
        CHECK_FALSE(hiddenIn(plainTip(QString::fromStdString(name))));
        CHECK(shownText(std::string_view(name)).size() <= qsizetype(kLongestShown));
    }
}

TEST_CASE("no text of a profile reaches the window with a character that hides or reverses") {
    widgetApp();
    const TemporaryFolder folder;
    const auto file = folder.file("\xE2\x80\xAEnur.roofscope.json");
    const auto before = folder.file("before.roofscope.json");
    REQUIRE(writeProfile(evilProfile(50), file).ok());
    REQUIRE(writeProfile(evilProfile(80), before).ok());
    MainWindow window({.persistent = false,
                       .theme = ThemeChoice::Light,
                       .baseline = QString::fromStdString(before.string())});
    QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
    window.documents().open(
        {QString::fromStdString(file.string()), QString::fromStdString(before.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0 && !window.documents().comparing(); }));
    REQUIRE(window.documents().document());
    REQUIRE(window.documents().comparison());
    window.resize(1200, 800);
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));

    const auto analysis = window.documents().document()->analysis;
    const std::size_t evil = kernelNamed(*analysis, "<int>(int*)");
    TextCollector looker;
    for (const KernelGrouping grouping : {KernelGrouping::None, KernelGrouping::Name,
                                          KernelGrouping::Range, KernelGrouping::Stream}) {
        window.views().kernels().setGrouping(grouping);
        window.documents().selectKernel(evil);
        looker.seeAll(window);
    }
    looker.see(window.views().roofline().currentPlot().shapes);
    for (const plot::PlacedDot& dot : window.views().roofline().currentPlot().dots)
        looker.see("tooltip", rooflineTooltip(*analysis, dot));
    for (const plot::PlacedArrow& arrow : window.views().roofline().currentPlot().arrows)
        looker.see("tooltip", arrowTooltip(*analysis, *window.documents().comparison(), arrow));
    const auto chart = memoryChart(*analysis, evil);
    REQUIRE(chart);
    looker.see("chart", chart->kernel);
    looker.see(layoutMemoryChart(*chart, 800, chart->kernel).shapes);
    looker.see("title", QString::fromStdString(plotTitle(*window.documents().document(), 0)));
    const gui::Timeline timeline = buildTimeline(*analysis);
    REQUIRE_FALSE(timeline.empty());
    looker.see("timeline", timelineTooltip(*analysis, timeline.rows[0], {}));

    // The names really were in all these places, so the checks above mean something.
    for (const char* where : {"roofscope::gui::KernelFilterModel", "roofscope::gui::PropertyModel",
                              "roofscope::gui::IssueModel", "roofscope::gui::CellSortModel",
                              "roofscope::gui::CounterFilterModel",
                              "roofscope::gui::SourceLineModel", "roofscope::gui::InstructionModel",
                              "clipboard", "tooltip", "chart", "title", "timeline", "plot"}) {
        INFO(where);
        CHECK(looker.quotedBy(where));
    }
    CHECK(window.windowTitle().startsWith("nur"));
}

TEST_CASE("a message about a file is cleaned, too") {
    widgetApp();
    MessageBar bar;
    bar.showError(QString::fromStdString(kEvil) + "\nsecond line");
    CHECK(bar.message() == kClean + "\nsecond line");
    CHECK_FALSE(hiddenIn(bar.accessibleName()));
}

TEST_CASE("a name is found as it is shown") {
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(evilProfile(50))));
    const ProfileDocument document{.analysis = analysis};
    CHECK(document.findNamed(kClean) == kernelNamed(*analysis, "<int>(int*)"));
}
