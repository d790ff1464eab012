// SPDX-License-Identifier: Apache-2.0
// The window in use: messages, selection, filters, enlarging and searching.
#include <QAbstractButton>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>

#include "gui/app/main_window.h"
#include "gui/app/translation.h"
#include "gui/app/workspace.h"
#include "gui/models/kernels/hidden_kernels.h"
#include "gui/views/details/details_view.h"
#include "gui/views/details/source_view.h"
#include "gui/views/kernels/answer_card.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_columns.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/plot/roofline_view.h"
#include "gui/views/recording/record_dialog.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/draw_list_painter.h"
#include "gui/views/widgets/message_bar.h"
#include "gui/views/widgets/status_area.h"
#include "profile/codec/codec.h"
#include "reports/answer/answer_words.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

struct Shown {
    TemporaryFolder folder;
    std::filesystem::path file = folder.file("run.roofscope.json");
    MainWindow window;

    explicit Shown(const Profile& profile = sampleProfile(), bool persistent = false)
        : window({.persistent = persistent, .theme = ThemeChoice::Light}) {
        widgetApp();
        REQUIRE(writeProfile(profile, file).ok());
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({QString::fromStdString(file.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        REQUIRE(window.documents().document());
        window.resize(1280, 800);
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
    }
    const Analysis& analysis() { return *window.documents().document()->analysis; }
};

/// A place in the plot area without a dot or arrow.
QPoint emptyPlace(const RooflineView& view) {
    const plot::RooflinePlot& plot = view.currentPlot();
    for (double y = plot.area.y + 5; y < plot.area.y + plot.area.h; y += 7)
        for (double x = plot.area.x + 5; x < plot.area.x + plot.area.w; x += 7)
            if (!plot.hitTest({x, y}, 12) && !plot.hitTestArrow({x, y}, 12))
                return {int(x), int(y)};
    FAIL("no empty place");
    return {};
}

QAbstractButton* button(QWidget& in, const QString& text) {
    for (QAbstractButton* each : in.findChildren<QAbstractButton*>())
        if (each->text().contains(text) && each->isVisible()) return each;
    return nullptr;
}

}  // namespace

TEST_CASE("what was done is said, with room to be read beside the summary") {
    widgetApp();
    Shown f;
    f.window.resize(1024, 700);
    f.window.views().hints().copyForAssistant();
    CHECK(f.window.status().said().contains("Copied the report"));
    const auto* said = f.window.findChild<QLabel*>("statusSaid");
    REQUIRE(said);
    CHECK(said->isVisible());
    CHECK(said->width() > 300);
    CHECK(said->toolTip().contains("Copied"));
    const auto svg = f.folder.file("plot.svg");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(svg.string())).ok());
}

TEST_CASE("a file that changed on disk says what was replaced, until it is dismissed") {
    widgetApp();
    Shown f;
    const auto first = f.window.documents().document()->analysis;
    Profile changed = sampleProfile();
    changed.launches.push_back(changed.launches[4]);
    changed.counters.resize(changed.launches.size());
    REQUIRE(writeProfile(changed, f.file).ok());
    REQUIRE(waitFor([&] { return f.window.documents().document()->analysis != first; }));
    const QString message = f.window.views().messageBar().message();
    INFO(message.toStdString());
    CHECK(message.contains("changed on disk"));
    CHECK(message.contains(QString::number(changed.launches.size()) + " launches"));
    CHECK(message.contains("Before: "));
    CHECK_FALSE(f.window.views().messageBar().isError());
    f.window.views().hints().copyForAssistant();  // does not hide the message
    CHECK(f.window.views().messageBar().message() == message);
}

TEST_CASE("what is looked for beside a profile is looked for in its folder") {
    widgetApp();
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch).instruction("LDG.E R2, [R4]", "/gone/gather.cu", 2).executed(10);
    QString began, name;
    const auto ask = [&](Shown& f, const char* tab, const char* what) {
        f.window.views().details().showTab(tab);
        began.clear();
        QTimer::singleShot(0, &f.window, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog) return;
            began = dialog->directory().absolutePath();
            name = dialog->findChild<QLineEdit*>()->text();
            dialog->reject();
        });
        QAbstractButton* find = button(f.window, what);
        REQUIRE(find);
        find->click();
        CHECK(began == QString::fromStdString(f.folder.path().string()));
    };
    Shown source(p.build());
    ask(source, "source", "Find the file");
    CHECK(name == "gather.cu");
    ask(source, "source", "Save");
    CHECK(name == "hints.md");
    Shown program(programProfile());
    ask(program, "sites", "Find the file");
    CHECK(name == "train.py");
}

TEST_CASE("a program that was recorded again is offered for comparison") {
    widgetApp();
    Profile profile = sampleProfile();
    profile.capture.command = {"python3", "train.py", "--size", "1"};
    Shown f(profile);
    const auto record = [&](const char* name, std::vector<std::string> command) {
        profile.capture.command = std::move(command);
        const QString path = QString::fromStdString(f.folder.file(name).string());
        REQUIRE(writeProfile(profile, path.toStdString()).ok());
        f.window.recordings().showDialog();
        Q_EMIT f.window.findChild<RecordDialog*>()->recorded(path, true);
        REQUIRE(waitFor([&] { return f.window.documents().document()->path == path; }));
    };
    record("other.roofscope.json", {"python3", "other.py"});
    CHECK(f.window.views().messageBar().message().isEmpty());
    // A profile opened by hand is not a new recording.
    f.window.documents().open({QString::fromStdString(f.file.string())});
    REQUIRE(waitFor([&] { return f.window.documents().document()->title() == "run"; }));
    CHECK(f.window.views().messageBar().message().isEmpty());
    record("after.roofscope.json", {"python3", "train.py", "--size", "2"});
    const QString offer = QStringLiteral("after was recorded with the same program as run.");
    CHECK(f.window.views().messageBar().message() == offer);
    // The offer remains after a change of language.
    f.window.look().setLanguage(test::kZh);
    REQUIRE(waitFor([&] { return f.window.views().messageBar().message() != offer; }));
    CHECK(f.window.views().messageBar().offers());
    f.window.look().setLanguage(Language::En);
    REQUIRE(waitFor([&] { return f.window.views().messageBar().message() == offer; }));
    REQUIRE(waitFor([&] { return button(f.window.views().messageBar(), "Compare") != nullptr; }));
    button(f.window.views().messageBar(), "Compare")->click();
    CHECK(f.window.views().messageBar().message().isEmpty());
    CHECK(f.window.documents().baseline() == QString::fromStdString(f.file.string()));
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    // From now on each recording is compared with it; other messages have no such button.
    record("third.roofscope.json", {"python3", "train.py"});
    CHECK(f.window.views().messageBar().message().isEmpty());
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    f.window.views().messageBar().showInfo("something");
    CHECK_FALSE(button(f.window.views().messageBar(), "Compare"));
}

TEST_CASE("an error goes when the next thing succeeds") {
    widgetApp();
    Shown f;
    f.window.views().messageBar().showError("cannot write");
    f.window.views().hints().copyForAssistant();
    CHECK(f.window.views().messageBar().message().isEmpty());
}

TEST_CASE("Escape and a click on nothing select nothing, and the GPU stays") {
    widgetApp();
    Profile profile = sampleProfile();
    profile.devices.push_back(profile.devices.front());
    profile.devices.back().name = "Other GPU";
    profile.devices.back().chip = "AD102";
    for (std::size_t i = 0; i < profile.launches.size(); i += 2) profile.launches[i].device = 1;
    Shown f(profile);
    std::optional<std::size_t> second;
    for (std::size_t i = 0; i < f.analysis().kernels.size(); ++i)
        if (f.analysis().kernels[i].group.device == 1) second = i;
    REQUIRE(second);
    f.window.documents().selectKernel(second);
    REQUIRE(f.window.views().roofline().options().device == 1U);
    QTest::mouseClick(&f.window.views().roofline(), Qt::LeftButton, {},
                      emptyPlace(f.window.views().roofline()));
    CHECK_FALSE(f.window.documents().selectedKernel());
    CHECK(f.window.views().kernels().selection().all.empty());
    CHECK_FALSE(f.window.views().hints().hasReport());
    CHECK(f.window.views().roofline().options().device == 1U);

    for (QWidget* focus : {static_cast<QWidget*>(&f.window.views().roofline()),
                           static_cast<QWidget*>(f.window.views().kernels().table())}) {
        f.window.documents().selectKernel(second);
        focus->setFocus();
        QTest::keyClick(focus, Qt::Key_Escape);
        CHECK_FALSE(f.window.documents().selectedKernel());
    }
}

TEST_CASE("columns and rows grow with the letters, and come back") {
    widgetApp();
    Shown f;
    f.window.documents().selectKernel(0);
    auto* counters = f.window.views().details().findChild<QTableView*>();
    REQUIRE(counters);
    const QHeaderView& header = *f.window.views().kernels().table()->header();
    constexpr int kShare = int(KernelColumn::Share);
    const int share = header.sectionSize(kShare), row = counters->rowHeight(0);
    const int counter = counters->columnWidth(1);
    f.window.look().setScale(2);
    CHECK(header.sectionSize(kShare) > 1.7 * share);
    CHECK(counters->columnWidth(1) > 1.7 * counter);
    CHECK(counters->rowHeight(0) > counters->fontMetrics().height());
    CHECK(counters->rowHeight(0) > 1.4 * row);
    f.window.look().setScale(1);
    CHECK(std::abs(header.sectionSize(kShare) - share) <= 2);
    CHECK(counters->rowHeight(0) == row);
}

TEST_CASE("in a narrow window name, share or change, and verdict are seen whole") {
    widgetApp();
    Shown f;
    const DataTreeView& table = *f.window.views().kernels().table();
    const QHeaderView& header = *table.header();
    const auto whole = [&](KernelColumn column) {
        const int at = int(column);
        return !header.isSectionHidden(at) && header.sectionViewportPosition(at) >= 0 &&
               header.sectionViewportPosition(at) + header.sectionSize(at) <=
                   table.viewport()->width();
    };
    const auto letters = [&](KernelColumn column) {
        return header.sectionSize(int(column)) / table.fontMetrics().averageCharWidth();
    };
    const auto resize = [&](int width) {
        f.window.resize(width, 700);
        QTest::qWait(20);
    };
    for (const int width : {1024, 1280, 1440, 2560}) {
        resize(width);
        CAPTURE(width);
        for (const KernelColumn column :
             {KernelColumn::Name, KernelColumn::Share, KernelColumn::Verdict})
            CHECK(whole(column));
        CHECK(letters(KernelColumn::Name) >= 14);
        CHECK(letters(KernelColumn::Verdict) >= 14);
    }
    CHECK(whole(KernelColumn::TotalTime));
    resize(1024);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
    // Letters of twice the size leave half the room; the same rule applies.
    f.window.look().setScale(2);
    resize(1600);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
    CHECK(whole(KernelColumn::Share));
    CHECK(whole(KernelColumn::Verdict));
    f.window.look().setScale(1);

    const auto old = f.folder.file("old.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), old).ok());
    QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
    f.window.documents().open({QString::fromStdString(old.string())});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    f.window.documents().setBaseline(QString::fromStdString(f.file.string()));
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    for (const int width : {1024, 1440}) {
        resize(width);
        CAPTURE(width);
        for (const KernelColumn column :
             {KernelColumn::Name, KernelColumn::Change, KernelColumn::Verdict})
            CHECK(whole(column));
    }
    // A column hidden by the user stays hidden.
    for (QAction* action : f.window.views().kernels().columnActions())
        if (action->data().toInt() == int(KernelColumn::TotalTime)) action->setChecked(false);
    resize(2560);
    CHECK(header.isSectionHidden(int(KernelColumn::TotalTime)));
}

TEST_CASE("columns of a narrow table: the time goes first, beside a change the share") {
    const ColumnNeeds roomy{.all = 1000,
                            .leastName = 72,
                            .goodName = 114,
                            .longestName = 300,
                            .leastVerdict = 72,
                            .goodVerdict = 114,
                            .longestVerdict = 180,
                            .time = 86,
                            .share = 72,
                            .others = 100};
    CHECK(planColumns(roomy) == ColumnPlan{.name = 300, .verdict = 180});
    ColumnNeeds narrow = roomy;
    narrow.all = 311;
    const ColumnPlan plan = planColumns(narrow);
    CHECK_FALSE(plan.time);
    CHECK(plan.share);
    CHECK(plan.name + narrow.share + plan.verdict <= narrow.all);
    narrow.change = 100;
    const ColumnPlan compared = planColumns(narrow);
    CHECK_FALSE(compared.time);
    CHECK_FALSE(compared.share);
    CHECK(compared.name + narrow.change + compared.verdict <= narrow.all);
    narrow.all = 250;  // not enough for good widths, only for minimum ones
    const ColumnPlan least = planColumns(narrow);
    CHECK(least.name + narrow.change + least.verdict <= narrow.all);
    CHECK(least.name >= 72);
    // Without verdicts the names get their room.
    ColumnNeeds few = roomy;
    few.all = 311;
    few.leastVerdict = few.goodVerdict = 0;
    CHECK(planColumns(few) == ColumnPlan{.name = 130});
}

TEST_CASE("a smaller pane keeps the selected line in sight") {
    widgetApp();
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
    window.documents().open({QStringLiteral(
        ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_triton_source.roofscope.json.gz")});
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    window.resize(1440, 1200);
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    window.views().showOverview(false);
    window.documents().selectKernel(
        kernelNamed(*window.documents().document()->analysis, "add_kernel"));
    window.views().showSource({}, 0);
    const QTableView& lines = *window.views().details().source().lines();
    REQUIRE(lines.currentIndex().isValid());
    const auto inSight = [&] {
        return lines.viewport()->rect().intersects(lines.visualRect(lines.currentIndex()));
    };
    window.views().maximise(Workspace::Details);
    REQUIRE(waitFor(inSight));
    window.views().showAll();
    window.resize(1024, 700);
    CHECK(waitFor(inSight, 1000));
}

TEST_CASE("a kernel table that becomes lower keeps the selected row in sight") {
    widgetApp();
    Shown f(manyKernels(30).build());
    const QTreeView& table = *f.window.views().kernels().table();
    const auto inSight = [&] {
        const QRect row = table.visualRect(table.currentIndex());
        return row.top() >= 0 && row.bottom() <= table.viewport()->height();
    };
    f.window.documents().selectKernel(f.analysis().kernels.size() - 1);
    CHECK(inSight());
    const int before = table.viewport()->height();
    f.window.resize(1280, 480);
    REQUIRE(waitFor([&] { return table.viewport()->height() < before; }));
    QTest::qWait(20);
    CHECK(table.verticalScrollBar()->maximum() > 0);
    CHECK(inSight());
    // A user who scrolled away is looking at something else.
    table.verticalScrollBar()->setValue(0);
    REQUIRE_FALSE(inSight());
    f.window.resize(1280, 470);
    QTest::qWait(20);
    CHECK(table.verticalScrollBar()->value() == 0);
}

TEST_CASE("a right click on a row filters by its name or verdict, said in words") {
    widgetApp();
    for (const Language language : windowLanguages()) {
        REQUIRE(useLanguage(language).ok());
        Shown f;
        QStringList texts;
        QTimer::singleShot(0, &f.window, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            for (const QAction* action : menu->actions()) texts << action->text();
            menu->actions().at(2)->trigger();
            menu->close();
        });
        const QTreeView& table = *f.window.views().kernels().table();
        Q_EMIT f.window.views().kernels().table()->customContextMenuRequested(
            table.visualRect(table.model()->index(0, 0)).center());
        REQUIRE(texts.size() > 6);
        CHECK(texts[0].endsWith("transpose"));
        CHECK(texts[2].endsWith(language == test::kZh ? "接近屋顶" : "near-roof"));
        CHECK(f.window.views().kernels().filterText() == "verdict = near-roof");
        for (const std::size_t kernel : f.window.views().kernels().filterModel().visibleKernels())
            CHECK(f.analysis().kernels[kernel].verdict.cls == VerdictClass::NearRoof);
    }
    REQUIRE(useLanguage(Language::En).ok());
}

TEST_CASE("a half-typed filter keeps the last valid one, and Escape clears it") {
    widgetApp();
    Shown f;
    KernelTableView& table = f.window.views().kernels();
    auto* line = table.findChild<QLineEdit*>();
    REQUIRE(line);
    line->setFocus();
    QTest::keyClicks(line, "gelu");
    const auto shown = table.filterModel().visibleKernels();
    REQUIRE_FALSE(shown.empty());
    for (const char letter : std::string(" bw > 0")) {
        QTest::keyClick(line, letter);
        INFO(line->text().toStdString());
        CHECK_FALSE(table.filterModel().visibleKernels().empty());
    }
    QTest::keyClick(line, Qt::Key_Escape);
    CHECK(line->text().isEmpty());
    CHECK_FALSE(table.filterModel().filtering());
    // Tab completes fields and verdicts one after the other, then leaves the line.
    line->setFocus();
    QTest::keyClicks(line, "co");
    for (const char* wanted : {"conflict > ", "coalescing > "}) {
        QTest::keyClick(line, Qt::Key_Tab);
        CHECK(line->text() == wanted);
        CHECK(line->hasFocus());
    }
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "coalescing > ");
    CHECK_FALSE(line->hasFocus());
    line->setFocus();
    line->setText({});
    QTest::keyClicks(line, "gelu oc");
    const auto* message = table.findChild<QLabel*>("errorText");
    REQUIRE(message);
    CHECK(message->text().contains("Tab completes: occupancy"));
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "gelu occupancy > ");
    QTest::keyClicks(line, "0 verdict = ne");
    QTest::keyClick(line, Qt::Key_Tab);
    CHECK(line->text() == "gelu occupancy > 0 verdict = near-roof");
    CHECK(table.filterModel().errorText().isEmpty());
    line->clear();
    // A word that does not start a comparison may match nothing.
    table.setFilterText("nosuchkernel");
    CHECK(table.filterModel().visibleKernels().empty());
}

TEST_CASE("a word with a minus leaves kernels out") {
    widgetApp();
    Shown f;
    f.window.views().kernels().addToFilter("-gelu");
    const auto shown = f.window.views().kernels().filterModel().visibleKernels();
    REQUIRE_FALSE(shown.empty());
    CHECK(shown.size() < f.analysis().kernels.size());
    for (const std::size_t kernel : shown)
        CHECK(f.analysis().kernels[kernel].fullName.find("gelu") == std::string::npos);
}

TEST_CASE("exports write what the filter shows") {
    widgetApp();
    Shown f;
    f.window.views().kernels().setFilterText("gelu");
    const auto shown = f.window.views().kernels().filterModel().visibleKernels();
    const auto csv = f.folder.file("table.csv");
    REQUIRE(f.window.files().exportTo(QString::fromStdString(csv.string())).ok());
    const std::string text = readText(csv);
    CHECK(text.find("gelu") != std::string::npos);
    CHECK(text.find("transpose") == std::string::npos);
    f.window.views().kernels().setFilterText("nosuchkernel");
    CHECK_FALSE(f.window.files().exportTo(QString::fromStdString(csv.string())).ok());
    CHECK(readText(csv) == text);
}

TEST_CASE("back and forward go through what was selected and filtered") {
    widgetApp();
    Shown f;
    const std::size_t one = kernelNamed(f.analysis(), "gelu_scalar");
    const std::size_t two = kernelNamed(f.analysis(), "transpose");
    f.window.documents().selectKernel(one);
    f.window.views().kernels().addToFilter("transpose");
    f.window.documents().selectKernel(two);
    f.window.history().go(-1);
    CHECK(f.window.documents().selectedKernel() == one);
    CHECK(f.window.views().kernels().filterText() == "transpose");
    f.window.history().go(-1);
    CHECK(f.window.views().kernels().filterText().isEmpty());
    f.window.history().go(1);
    f.window.history().go(1);
    CHECK(f.window.documents().selectedKernel() == two);
    f.window.history().go(1);  // there is no later entry
    CHECK(f.window.documents().selectedKernel() == two);
}

TEST_CASE(
    "the answer begins with verdict and headroom, then a bar per resource and a card per fix") {
    widgetApp();
    Shown f;
    const std::size_t kernel = kernelNamed(f.analysis(), "transpose");
    f.window.documents().selectKernel(kernel);
    const auto& answer = f.window.views().hints().answerView().answer();
    REQUIRE(answer);
    CHECK_FALSE(answer->verdict.isEmpty());
    // As in the reports, so an estimate is never called a bound.
    const KernelAnalysis& shown = f.analysis().kernels[kernel];
    const KernelAnswer decided = roofscope::answerOf(f.analysis(), shown);
    const QString said = QString::fromStdString(headroomSentence(decided, Language::En).plain() +
                                                jointSentence(decided, Language::En).plain());
    CHECK(QString(answer->headroom).remove(' ') == QString(said).remove(' '));
    REQUIRE_FALSE(answer->bars.empty());
    for (std::size_t i = 1; i < answer->bars.size(); ++i)
        CHECK(answer->bars[i - 1].share >= answer->bars[i].share);
    REQUIRE_FALSE(answer->fixes.empty());
    const Answer::Fix& fix = answer->fixes.front();
    const Finding* first = &f.analysis().kernels[kernel].findings.front();
    CHECK(fix.rule.toStdString() == first->ruleId);
    CHECK_FALSE(fix.edit.isEmpty());
    CHECK(fix.fault.indexOf('{') < 0);
    // The first card is on the first screen; one click copies its edit.
    QAbstractButton* copy = button(f.window.views().hints(), "Copy edit");
    REQUIRE(copy);
    QTest::mouseClick(copy, Qt::LeftButton);
    CHECK(QApplication::clipboard()->text().contains(fix.edit));
    CHECK(f.window.status().said().contains(fix.title));
    // "About the measurement" is there, folded.
    Fold* about = nullptr;
    for (Fold* fold : f.window.views().hints().findChildren<Fold*>())
        if (fold->button()->text() == "About this measurement") about = fold;
    REQUIRE(about);
    CHECK_FALSE(about->isOpen());
    // The assistant gets the whole report.
    f.window.views().hints().copyForAssistant();
    CHECK(QApplication::clipboard()->text() == f.window.views().hints().markdown());
}

TEST_CASE("kernels without a dot are named, and the recording that gives them one is filled in") {
    widgetApp();
    Shown f;
    const auto hidden = hiddenKernels(f.analysis(), f.window.views().roofline().kernelsOfDevice());
    REQUIRE_FALSE(hidden.empty());
    const auto plotted = f.window.views().roofline().plottedKernels();
    for (const HiddenKernel& one : hidden) {
        CHECK(std::ranges::find(plotted, one.kernel) == plotted.end());
        CHECK_FALSE(one.reason.isEmpty());
    }
    auto* strip = f.window.views().rooflinePage().findChild<QWidget*>("strip");
    REQUIRE(strip);
    REQUIRE(strip->isVisible());
    auto* chip = strip->findChild<QToolButton*>("chip");
    REQUIRE(chip);
    QTest::mouseClick(chip, Qt::LeftButton);
    CHECK(f.window.documents().selectedKernel() == hidden.front().kernel);
    QAbstractButton* record = button(*strip, "Record what is missing");
    REQUIRE(record);
    QTest::mouseClick(record, Qt::LeftButton);
    auto* dialog = f.window.findChild<RecordDialog*>();
    REQUIRE(dialog);
    CHECK(dialog->isVisible());
    for (const QString& group : groupsFor(hidden)) CHECK(dialog->request().groups.contains(group));
    dialog->close();
}

TEST_CASE("everything can be made larger, and the plot answers the mouse where it is drawn") {
    widgetApp();
    Shown f;
    const double before = QApplication::font().pointSizeF();
    QWheelEvent up({20, 20}, f.window.views().hints().mapToGlobal(QPointF(20, 20)), {}, {0, 120},
                   Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&f.window.views().hints(), &up);
    CHECK(f.window.look().scale() == 1.1);
    f.window.look().setScale(2);
    CHECK(QApplication::font().pointSizeF() == Approx(2 * before));
    // The status bar is as high as its text.
    const auto labels = f.window.status().findChildren<QLabel*>();
    CHECK(waitFor([&] {
        return std::ranges::all_of(labels, [](const QLabel* label) {
            return label->height() >= label->fontMetrics().height();
        });
    }));
    RooflineView& plot = f.window.views().roofline();
    CHECK(plot.currentPlot().shapes.width == Approx(plot.width() / 2.0).margin(1));
    f.window.documents().selectKernel(std::nullopt);  // lays out the plot again
    const auto& dots = plot.currentPlot().dots;
    const auto dot = std::find_if(dots.begin(), dots.end(), [&](const plot::PlacedDot& each) {
        const auto hit = plot.currentPlot().hitTest(each.centre);
        return hit && dots[*hit].kernel == each.kernel;
    });
    REQUIRE(dot != dots.end());
    const std::size_t kernel = dot->kernel;
    QTest::mouseClick(&plot, Qt::LeftButton, {},
                      {qRound(dot->centre.x * 2), qRound(dot->centre.y * 2)});
    CHECK(f.window.documents().selectedKernel() == kernel);
    f.window.look().setScale(1);
    CHECK(QApplication::font().pointSizeF() == Approx(before));
}

TEST_CASE("at twice the size the window still fits on a common screen, in both languages") {
    widgetApp();
    // Lists wide widgets for the failure message.
    const auto wide = [](const QWidget& in) {
        std::string all;
        for (const QWidget* each : in.findChildren<QWidget*>())
            if (each->isVisible() && each->minimumSizeHint().width() > 400)
                all += std::string(each->metaObject()->className()) + ' ' +
                       each->objectName().toStdString() + ' ' +
                       std::to_string(each->minimumSizeHint().width()) + '\n';
        return all;
    };
    for (const Language language : languages()) {
        if (!useLanguage(language).ok()) continue;  // built without this language
        for (const char* sample : {"h200_triton_source", "h200_bundled"}) {
            MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
            window.documents().open(
                {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/%1.roofscope.json.gz")
                     .arg(QLatin1String(sample))});
            REQUIRE(waitFor([&] {
                return window.documents().document() && !window.documents().loader().busy();
            }));
            window.show();
            REQUIRE(QTest::qWaitForWindowExposed(&window));
            window.views().showOverview(false);
            window.look().setScale(2);
            window.documents().selectKernel(0);
            for (int page = 0; page < window.views().details().count(); ++page) {
                window.views().details().setCurrentIndex(page);
                QTest::qWait(10);  // for the layout
                INFO(wide(window));
                CAPTURE(sample, window.views().details().tabText(page).toStdString());
                CHECK(window.minimumSizeHint().width() <= 1440);
            }
            window.resize(1440, 900);
            QTest::qWait(20);
            CHECK(window.width() == 1440);
            window.look().setScale(1);
        }
    }
    REQUIRE(useLanguage(Language::En).ok());
}

TEST_CASE("Tab goes through the cards of the overview and of the answer before the next pane") {
    widgetApp();
    MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
    window.documents().open(
        {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/profile/samples/h200_bundled.roofscope.json.gz")});
    REQUIRE(waitFor(
        [&] { return window.documents().document() && !window.documents().loader().busy(); }));
    window.resize(1280, 800);
    window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&window));
    // From a part that has the focus to the first widget outside of it.
    const auto through = [&](QWidget& part) {
        QStringList names;
        for (int i = 0; i < 60; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (!at || !part.isAncestorOf(at)) break;
            if (auto* pressed = qobject_cast<QAbstractButton*>(at)) names << pressed->text();
        }
        return names;
    };
    const auto all = [](const QWidget& part) {
        QStringList names;
        for (const auto* each : part.findChildren<QAbstractButton*>())
            if (each->isVisible() && (each->focusPolicy() & Qt::TabFocus)) names << each->text();
        return names;
    };
    for (int round = 0; round < 2; ++round) {
        window.views().showOverview(true);
        REQUIRE(window.views().overview().hasFocus());
        CHECK(all(window.views().overview()).size() >= 4);
        CHECK(through(window.views().overview()) == all(window.views().overview()));

        window.views().showOverview(false);
        window.documents().selectKernel(
            kernelNamed(*window.documents().document()->analysis, "matmulNaive"));
        AnswerView& answer = window.views().hints().answerView();
        answer.setFocus();
        CHECK(all(answer).size() >= 3);
        CHECK(through(answer) == all(answer));
        CHECK(window.views().partOf(QApplication::focusWidget()) == Workspace::Hints);
        window.look().setTheme(ThemeChoice::Dark);  // rebuilds them
    }
}

TEST_CASE("keys lead to every pane, page of the details and profile, and Enter presses a button") {
    widgetApp();
    Shown f;
    Workspace& views = f.window.views();
    const auto part = [&] { return views.partOf(QApplication::focusWidget()); };
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with) {
        QTest::keyClick(QApplication::focusWidget(), key, with);
    };
    f.window.views().showOverview(false);
    f.window.views().kernels().table()->setFocus();
    for (const Workspace::Part expected :
         {Workspace::Roofline, Workspace::Hints, Workspace::Details, Workspace::Kernels}) {
        press(Qt::Key_F6, Qt::ControlModifier);
        CHECK(part() == expected);
    }
    press(Qt::Key_F6, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(part() == Workspace::Details);
    for (int page = 0; page < f.window.views().details().count(); ++page) {
        f.window.views().kernels().table()->setFocus();
        press(Qt::Key(Qt::Key_1 + page), Qt::AltModifier);
        INFO(f.window.views().details().tabText(page).toStdString());
        CHECK(f.window.views().details().currentIndex() == page);
        CHECK(part() == Workspace::Details);
    }
    // A hidden pane is shown on request, and a maximised one then gives way.
    views.maximise(Workspace::Roofline);
    f.window.views().roofline().setFocus();
    press(Qt::Key_1, Qt::AltModifier);
    CHECK(f.window.views().details().isVisible());
    CHECK(part() == Workspace::Details);
    trigger(f.window, Qt::Key_F11);
    CHECK_FALSE(f.window.views().details().isVisible());
    f.window.views().kernels().table()->setFocus();
    press(Qt::Key_4, Qt::AltModifier);
    CHECK(f.window.views().details().isVisible());

    const auto other = f.folder.file("other.roofscope.json");
    REQUIRE(writeProfile(sampleProfile(), other).ok());
    f.window.documents().open({QString::fromStdString(other.string())});
    REQUIRE(waitFor(
        [&] { return f.window.documents().document()->path.toStdString() == other.string(); }));
    f.window.views().kernels().table()->setFocus();
    press(Qt::Key_PageDown, Qt::ControlModifier);
    CHECK(f.window.documents().document()->path.toStdString() == f.file.string());
    press(Qt::Key_PageUp, Qt::ControlModifier);
    CHECK(f.window.documents().document()->path.toStdString() == other.string());

    f.window.documents().selectKernel(kernelNamed(f.analysis(), "transpose"));
    QAbstractButton* copy = button(f.window.views().hints(), "Copy JSON");
    REQUIRE(copy);
    QApplication::clipboard()->clear();
    copy->setFocus();
    QTest::keyClick(copy, Qt::Key_Return);
    CHECK(QApplication::clipboard()->text().startsWith(QLatin1Char('{')));
}

TEST_CASE("in a window of the first size charts are seen whole, without scroll bars") {
    widgetApp();
    const auto whole = [](const char* file, const char* kernel, const char* tab) {
        MainWindow window({.persistent = false, .theme = ThemeChoice::Light});
        window.documents().open(
            {QStringLiteral(ROOFSCOPE_SOURCE_DIR "/%1").arg(QLatin1String(file))});
        REQUIRE(waitFor(
            [&] { return window.documents().document() && !window.documents().loader().busy(); }));
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
        window.views().showOverview(false);
        window.documents().selectKernel(
            kernelNamed(*window.documents().document()->analysis, kernel));
        window.views().details().showTab(tab);
        QTest::qWait(30);
        CAPTURE(tab);
        QWidget* const page = window.views().details().currentWidget();
        QList<QScrollArea*> areas = page->findChildren<QScrollArea*>();
        areas << qobject_cast<QScrollArea*>(page);
        for (const QScrollArea* area : areas) {
            if (!area) continue;
            CHECK(area->horizontalScrollBar()->maximum() == 0);
            CHECK(area->verticalScrollBar()->maximum() == 0);
        }
    };
    whole("profile/samples/h200_bundled.roofscope.json.gz", "matmulTiledShared", "memory");
    whole("tests/data/over_time/h200_phases.roofscope.json.gz", "alternating", "over-time");
}

TEST_CASE("a counter's column stands beside the names, where it is seen, and it is said") {
    widgetApp();
    Shown f;
    const QHeaderView& header = *f.window.views().kernels().table()->header();
    f.window.resize(1024, 700);
    QTest::qWait(20);
    Q_EMIT f.window.views().details().counterColumnToggled("dram__bytes_read.sum");
    REQUIRE(header.count() == kKernelColumns + 1);
    CHECK(header.visualIndex(kKernelColumns) == 1);
    CHECK(header.sectionViewportPosition(kKernelColumns) > 0);
    CHECK(header.sectionViewportPosition(kKernelColumns) + header.sectionSize(kKernelColumns) <=
          f.window.views().kernels().table()->viewport()->width());
    CHECK(f.window.status().said().contains("dram__bytes_read.sum"));
    Q_EMIT f.window.views().details().counterColumnToggled("dram__bytes_write.sum");
    CHECK(header.visualIndex(kKernelColumns + 1) == 1);
    Q_EMIT f.window.views().details().counterColumnToggled("dram__bytes_read.sum");
    CHECK(header.count() == kKernelColumns + 1);
    CHECK(header.visualIndex(int(KernelColumn::Name)) == 0);
}

TEST_CASE("a pane alone takes the window, and Escape brings the others back") {
    widgetApp();
    Shown f;
    Workspace& views = f.window.views();
    QTest::qWait(50);
    const int height = f.window.views().details().height();
    const auto heightComesBack = [&] {
        return waitFor([&] { return std::abs(f.window.views().details().height() - height) <= 2; },
                       2000);
    };
    for (const Workspace::Part part : {Workspace::Kernels, Workspace::Details, Workspace::Hints})
        for (int i = 0; i < 2; ++i) {
            views.maximise(part);
            QTest::qWait(20);
            i == 0 ? (void)views.showAll() : views.maximise(part);
            CHECK(heightComesBack());
        }
    views.maximise(Workspace::Roofline);
    CHECK_FALSE(f.window.views().kernels().isVisible());
    CHECK_FALSE(f.window.views().details().isVisible());
    QTest::qWait(50);  // for the layout
    CHECK(f.window.views().roofline().width() > 1200);
    f.window.views().roofline().setFocus();
    QTest::keyClick(&f.window.views().roofline(), Qt::Key_Escape);
    CHECK(f.window.views().kernels().isVisible());
    CHECK(f.window.views().details().isVisible());
    CHECK(f.window.documents().selectedKernel());  // Escape undoes one step at a time
    views.maximise(Workspace::Details);
    CHECK_FALSE(f.window.views().roofline().isVisible());
    QTest::qWait(50);
    CHECK(f.window.views().details().height() > 500);
    views.maximise(Workspace::Details);
    CHECK(f.window.views().roofline().isVisible());

    views.setDetailsPlace(Workspace::DetailsPlace::Beside);
    QTest::qWait(50);
    CHECK(f.window.views().details().height() > 500);
    views.setDetailsPlace(Workspace::DetailsPlace::Below);
    QTest::qWait(50);
    CHECK(f.window.views().details().height() < 500);
}

TEST_CASE("files, tab, selection and filter come back with the next window") {
    widgetApp();
    QSettings().clear();
    std::size_t chosen = 0;
    TemporaryFolder folder;
    const auto file = folder.file("run.roofscope.json");
    {
        Shown f(sampleProfile(), true);
        std::filesystem::copy(f.file, file);
        QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
        f.window.documents().open({QString::fromStdString(file.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
        chosen = kernelNamed(f.analysis(), "transpose");
        f.window.documents().selectKernel(chosen);
        f.window.views().details().showTab("memory");
        f.window.close();
    }
    // One of the two files no longer exists.
    MainWindow again({.persistent = true, .theme = ThemeChoice::Light});
    again.openLastSession();
    REQUIRE(waitFor([&] { return again.documents().document() != nullptr; }));
    CHECK(again.documents().document()->path.toStdString() == file.string());
    CHECK(again.documents().selectedKernel() == chosen);
    CHECK(again.views().details().currentWidget()->objectName() == "memory");
    again.close();
    QSettings().clear();
}

TEST_CASE("F1 lists every shortcut of the menus") {
    widgetApp();
    Shown f;
    trigger(f.window, QKeySequence::HelpContents);
    auto* help = f.window.findChild<QDialog*>("help");
    REQUIRE(help);
    const QString text = help->findChild<QTextBrowser*>()->toPlainText();
    for (const QAction* action : f.window.findChildren<QAction*>())
        if (!action->shortcut().isEmpty()) {
            const QString keys = action->shortcut().toString(QKeySequence::NativeText);
            INFO(keys.toStdString());
            CHECK(text.contains(keys));
        }
    // Its menu is named.
    CHECK(text.contains(QString::fromUtf8("Export Plot ▸ As SVG…")));
    help->close();
}

TEST_CASE("every column says what it means") {
    widgetApp();
    Shown f;
    for (const QAbstractItemView* view : f.window.findChildren<QAbstractItemView*>()) {
        const auto* model = view->model();
        if (!model || !view->inherits("QTableView")
                ? !view->inherits("roofscope::gui::DataTreeView")
                : false)
            continue;
        for (int column = 0; column < model->columnCount(); ++column) {
            INFO(model->headerData(column, Qt::Horizontal).toString().toStdString());
            CHECK_FALSE(
                model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
        }
    }
}
