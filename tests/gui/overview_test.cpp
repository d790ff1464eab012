// SPDX-License-Identifier: Apache-2.0
// The page about the whole program: the same sentences as in reports, and their links.
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>
#include <algorithm>
#include <fstream>

#include "gui/app/main_window.h"
#include "gui/app/workspace.h"
#include "gui/models/text/number_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/details/launch_sites_page.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/account_bar.h"
#include "gui/views/overview/action_card.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/widgets/data_table_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "profile/codec/codec.h"
#include "reports/report.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

std::shared_ptr<const Analysis> analysed(Profile profile) {
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
}

/// Two ranks with a GPU each; the second one copies twice as long.
Profile twoRanks() {
    Profile profile = programProfile();
    profile.processes[0].host = "node";  // both on one clock
    profile.processes[0].clockZero = 1'800'000'000'000'000'000;
    Process second = profile.processes[0];
    profile.processes[0].rank = 0;
    second.rank = 1;
    second.pid = 77;
    profile.processes.push_back(second);
    profile.devices.push_back(profile.devices[0]);
    const std::vector<Launch> launches = profile.launches;
    for (Launch launch : launches) {
        launch.device = launch.process = 1;
        profile.launches.push_back(launch);
    }
    profile.counters.resize(profile.launches.size());
    const std::vector<Transfer> transfers = profile.timeline.transfers;
    for (Transfer transfer : transfers) {
        transfer.device = transfer.process = 1;
        profile.timeline.transfers.push_back(transfer);
    }
    return profile;
}

struct Opened : ShownWindow {
    using ShownWindow::ShownWindow;
    void add(const Profile& profile, const std::string& name) {
        const std::filesystem::path path = folder.file(name + ".roofscope.json");
        REQUIRE(writeProfile(profile, path).ok());
        QSignalSpy finished(&window.documents().loader(), &ProfileLoader::finished);
        window.documents().open({QString::fromStdString(path.string())});
        REQUIRE(waitFor([&] { return finished.count() > 0; }));
    }
    const Overview& overview() { return *window.views().overview().overview(); }
    QPushButton* button(const QString& name) {
        for (QPushButton* each : window.views().overview().findChildren<QPushButton*>())
            if (each->accessibleName().contains(name) || each->text() == name) return each;
        FAIL("no button " << name.toStdString());
        return nullptr;
    }
};

}  // namespace

TEST_CASE("a profile with a timeline opens with the program, in the report's words") {
    Opened f(programProfile());
    CHECK(f.window.views().overviewShown());
    CHECK(f.window.views().pages().isVisible());
    CHECK_FALSE(f.window.views().kernels().isVisible());
    CHECK(f.window.views().details().timeline().isVisible());
    const auto report = renderReport(*f.window.documents().document()->analysis, ReportFormat::Text,
                                     {.width = 10'000});
    REQUIRE(report.ok());
    const QString text = QString::fromStdString(*report);
    const Overview& overview = f.overview();
    INFO(*report);
    const QStringList sentences =
        overview.notes + QStringList{overview.window, overview.summary, overview.actions[0].gain,
                                     overview.actions[0].title};
    for (const QString& sentence : sentences) {
        INFO(sentence.toStdString());
        CHECK(text.contains(sentence));
    }
    QStringList shown;
    for (const QLabel* label : f.window.views().overview().findChildren<QLabel*>())
        shown << label->text();
    CHECK(shown.contains(overview.window));
    CHECK(shown.contains("1. Copies through pageable memory, both ways"));
    CHECK(shown.contains(overview.actions[0].gain));
    CHECK(shown.contains(overview.actions[0].edit));
    CHECK(shown.contains(overview.next));
    CHECK(overview.next.contains("--out run-after.roofscope.json"));
    CHECK(overview.next.contains("roofscope compare run.roofscope.json"));
}

TEST_CASE("the account adds up, and each piece of its bar is as long as its share") {
    widgetApp();
    const auto analysis = analysed(programProfile());
    const auto overview = overviewOf(*analysis, analyzeProgram(*analysis), "run.json");
    REQUIRE(overview);
    double sum = 0;
    for (const Overview::Share& share : overview->account.shares) sum += share.share;
    CHECK(sum == Approx(1).epsilon(1e-9));
    CHECK(overview->lanes.empty());
    AccountBar bar(overview->account, plot::Theme::Light);
    bar.resize(1000, 20);
    double before = 0;
    for (std::size_t i = 0; i < overview->account.shares.size(); ++i) {
        const double share = overview->account.shares[i].share;
        if (share > 0.01) CHECK(bar.shareAt(int(1000 * (before + share / 2))) == i);
        before += share;
    }
    CHECK_FALSE(bar.shareAt(1001));
    CHECK(bar.accessibleName().contains(overview->account.shares[0].percent));
}

TEST_CASE("several GPUs have a bar each, by rank") {
    widgetApp();
    const auto analysis = analysed(twoRanks());
    const auto overview = overviewOf(*analysis, analyzeProgram(*analysis), "run.json");
    REQUIRE(overview);
    REQUIRE(overview->lanes.size() == 2);
    CHECK(overview->lanes[0].name.contains("rank"));
    CHECK(overview->notes.contains("Mean over 2 GPUs."));
    OverviewView view;
    view.setOverview(overview);
    CHECK(view.findChildren<AccountBar*>().size() == 3);
}

TEST_CASE("an action leads to its kernels and to its line") {
    Opened f(programProfile());
    const auto& actions = f.overview().actions;
    const auto withKernels =
        std::ranges::find_if(actions, [](const auto& a) { return !a.kernels.empty(); });
    if (withKernels != actions.end()) {
        const auto number = withKernels - actions.begin() + 1;
        f.button(QStringLiteral("kernels of action %1").arg(number))->click();
        CHECK_FALSE(f.window.views().overviewShown());
        CHECK(f.window.views().kernels().isVisible());
        CHECK(f.window.documents().selection().current == withKernels->kernels.front().index);
        CHECK(f.window.documents().selection().all.size() == withKernels->kernels.size());
        f.window.views().showOverview(true);
    }
    REQUIRE(actions[0].places.size() >= 1);
    CHECK(actions[0].places[0].file == "/build/app/train.py");
    f.button("Show train.py:5")->click();
    const LaunchSitesPage& sites = f.window.views().details().launchSites();
    CHECK(sites.isVisible());
    CHECK(sites.code().toPlainText().isEmpty());
    CHECK(sites.code().placeholderText().contains("/build/app/train.py is not on this machine"));
    // Once a file was found, it and others of its tree are shown.
    std::filesystem::create_directories(f.folder.file("app/ops"));
    std::ofstream(f.folder.file("app/train.py")) << "a\nb\nc\nd\nx = x.cuda()\n\n\ny.item()\n";
    std::ofstream(f.folder.file("app/ops/gemm.py")) << "1\n2\na @ b\n";
    auto& page = f.window.views().details().launchSites();
    CHECK(page.locate(QString::fromStdString(f.folder.file("app/train.py").string())));
    CHECK(page.code().textCursor().block().text().contains("x = x.cuda()"));
    page.goTo("/build/app/ops/gemm.py", 3);
    CHECK(page.code().textCursor().block().text().contains("a @ b"));
    CHECK(page.note() == "gemm");
}

TEST_CASE("a kernel of the overview opens its group in the table, sorted by time") {
    Profile profile = programProfile();
    const std::uint32_t gemm = profile.launches[1].kernel;
    bool isSmall = false;
    for (Launch& launch : profile.launches)
        if (launch.kernel == gemm) launch.grid.x = (isSmall = !isSmall) ? 64 : 512;
    Opened f(profile);
    KernelTableView& table = f.window.views().kernels();
    table.table()->sortByColumn(int(KernelColumn::Name), Qt::AscendingOrder);
    f.button("Select gemm")->click();
    CHECK_FALSE(f.window.views().overviewShown());
    CHECK(table.grouping() == KernelGrouping::Name);
    CHECK(f.window.documents().selection().all.size() == 2);
    const QHeaderView& header = *table.table()->header();
    CHECK(header.sortIndicatorSection() == int(KernelColumn::TotalTime));
    CHECK(header.sortIndicatorOrder() == Qt::DescendingOrder);
    const QModelIndex group =
        table.filterModel().indexOfKernel(kernelNamed(f.analysis(), "gemm")).parent();
    REQUIRE(group.isValid());
    CHECK(table.table()->isExpanded(group));
    CHECK(table.selection().all == f.window.documents().selection().all);
}

TEST_CASE("a place's button has file and line in full") {
    widgetApp();
    Overview::Action action;
    action.title = "Small grids";
    const QString place = "a_program_with_a_long_name.py:1077";
    action.places = {{.text = place + " aten::_coalesce_and_a_long_operator [1460, 64], [64, 1460]",
                      .time = "9.68 ms",
                      .file = "/app/a.py",
                      .line = 1077}};
    const ActionCard card(action, 1);
    bool found = false;
    for (const QPushButton* button : card.findChildren<QPushButton*>())
        found = found || (button->text().startsWith(place + " aten::") &&
                          button->text().endsWith(QString::fromUtf8("… · 9.68 ms")));
    CHECK(found);
}

TEST_CASE("launch sites without lines are said to have none") {
    Profile profile = programProfile();
    profile.callSites = {
        {.kernel = profile.launches[1].kernel, .function = "pgain(long)", .count = 12}};
    Opened f(profile);
    f.window.views().details().showTab("sites");
    const LaunchSitesPage& page = f.window.views().details().launchSites();
    CHECK(page.code().isVisible());
    CHECK(page.code().placeholderText().contains("pgain(long)"));
    CHECK(page.code().placeholderText().contains("-g"));
    CHECK(page.note() == "gemm");
}

TEST_CASE("empty pages of the details say what they lack") {
    Profile profile = programProfile();
    profile.callSites.clear();
    profile.issues.clear();
    Opened f(profile);
    DetailsView& details = f.window.views().details();
    details.showTab("sites");
    CHECK_FALSE(details.launchSites().code().isVisible());
    const auto labels = details.launchSites().findChildren<QLabel*>();
    CHECK(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text().contains("--call-sites off");
    }));
    details.showTab("issues");
    const auto tables = details.findChildren<DataTableView*>();
    const auto issues =
        std::ranges::find_if(tables, [](const DataTableView* table) { return table->isVisible(); });
    REQUIRE(issues != tables.end());
    CHECK((*issues)->emptyText() == "Nothing went wrong while this was recorded");
    Opened other(programProfile());
    CHECK(other.window.views().details().launchSites().code().isVisibleTo(
        &other.window.views().details().launchSites()));
}

TEST_CASE("an action is copied with the command that measures it") {
    Opened f(programProfile());
    f.button("Copy action 1 with the next command")->click();
    const QString copied = QApplication::clipboard()->text();
    CHECK(copied.startsWith("Copies through pageable memory, both ways: at most"));
    CHECK(copied.contains("train.py:5"));
    CHECK(copied.contains("roofscope record --out"));
    f.button("Copy command")->click();
    CHECK(QApplication::clipboard()->text() == f.overview().next + "\n");
}

TEST_CASE("a profile without a timeline has no overview, and another one brings it back") {
    Opened f(sampleProfile());
    CHECK_FALSE(f.window.views().overviewShown());
    CHECK_FALSE(f.window.views().pages().isVisible());
    CHECK_FALSE(f.window.views().overview().overview());
    CHECK(f.window.views().kernels().isVisible());
    f.add(programProfile(), "program");
    CHECK(f.window.views().overviewShown());
    f.window.views().tabs().setCurrentIndex(0);
    CHECK_FALSE(f.window.views().overviewShown());
    f.window.views().tabs().setCurrentIndex(1);
    CHECK(f.window.views().overviewShown());
    // Stays until the user goes to the kernels.
    f.window.views().pages().setCurrentIndex(1);
    f.window.views().tabs().setCurrentIndex(0);
    f.window.views().tabs().setCurrentIndex(1);
    CHECK_FALSE(f.window.views().overviewShown());
    QTest::keyClick(&f.window, Qt::Key_F3);
    CHECK(f.window.views().overviewShown());
}

TEST_CASE("a narrow overview stands in one column, and nothing in it widens the window") {
    Opened f(programProfile());
    OverviewView& view = f.window.views().overview();
    const auto cards = [&] {
        QList<QFrame*> all;
        for (QFrame* frame : view.findChildren<QFrame*>())
            if (frame->objectName() == "card") all << frame;
        return all;
    };
    const auto left = [&](QWidget* widget) {
        return widget->mapTo(view.widget(), QPoint(0, 0)).x();
    };
    const auto* bar = view.findChild<AccountBar*>();
    f.window.resize(2560, 1440);
    QTest::qWait(20);
    REQUIRE_FALSE(cards().isEmpty());
    CHECK(left(cards()[0]) > bar->width());
    f.window.resize(760, 700);
    QTest::qWait(20);
    CHECK(waitFor([&] { return left(cards()[0]) < 40; }));
    CHECK(waitFor([&] { return view.widget()->width() <= view.viewport()->width(); }));
}

TEST_CASE("long places do not make the overview wider than its page") {
    // Three lines with operators and shapes.
    Opened f(test::profileIn(ROOFSCOPE_SOURCE_DIR
                             "/tests/frameworks/recorded/gpt2_decode_again.roofscope.json.gz"));
    const OverviewView& view = f.window.views().overview();
    for (const int width : {1400, 1000, 760}) {
        f.window.resize(width, 900);
        QTest::qWait(20);
        CAPTURE(width);
        CHECK(waitFor([&] { return view.widget()->width() <= view.viewport()->width(); }));
    }
    const auto buttons = view.findChildren<QPushButton*>();
    CHECK(std::ranges::any_of(buttons, [](const QPushButton* button) {
        return button->accessibleName() ==
                   "Show gpt2_decode.py:10 aten::mm [1, 768], [768, 50257] in its file" &&
               button->toolTip().contains("aten::mm [1, 768], [768, 50257]");
    }));
}

TEST_CASE("the window's kernels stand below the account, and a click shows them") {
    Opened f(programProfile());
    const auto& functions = f.overview().functions;
    REQUIRE(functions.size() == 2);
    CHECK(functions[0].name == "gemm");
    CHECK(functions[0].launches == "× 1");
    CHECK(functions[1].launches == "× 20");
    CHECK(functions[1].time == gui::text(Seconds{20 * 25e-6}));
    const Program& program = *f.window.documents().document()->program;
    CHECK(functions[0].share == gui::text(Ratio{4e-3 / program.window.seconds.value}));
    CHECK(functions[0].shapes.isEmpty());
    f.button("Select gemm")->click();
    CHECK_FALSE(f.window.views().overviewShown());
    CHECK(f.window.documents().selectedKernel() ==
          kernelNamed(*f.window.documents().document()->analysis, "gemm"));
}

TEST_CASE("operators stand below the kernels, in the report's words") {
    constexpr const char* kGemm = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT";
    SyntheticProgram p;
    for (int i = 0; i < 6; ++i) p.push("step").launch(kGemm, 1000).sync().pop();
    Profile profile = p.build();
    profile.callSites.push_back({.kernel = 0,
                                 .file = "/a/train.py",
                                 .line = 7,
                                 .op = "aten::mm",
                                 .sizes = "[8192, 4096], [4096, 8192]",
                                 .count = 6});
    Opened f(std::move(profile));
    const OperatorList& operators = f.overview().operators;
    REQUIRE(operators.rows.size() == 1);
    CHECK(operators.rows[0].size() == operators.headings.size());
    CHECK(operators.rows[0].contains("aten::mm [8192, 4096], [4096, 8192]"));
    CHECK(operators.rows[0].contains("train.py:7"));
    CHECK(operators.rows[0].contains("550 GFLOP"));
    QStringList shown;
    for (const QLabel* label : f.window.views().overview().findChildren<QLabel*>())
        shown << label->text();
    CHECK(shown.contains("Operators"));
    CHECK(shown.contains("550 GFLOP"));
    CHECK(shown.contains(operators.note));
    // Without operators there is no such part.
    Opened without(programProfile());
    CHECK(without.overview().operators.rows.empty());
    for (const QLabel* label : without.window.views().overview().findChildren<QLabel*>())
        CHECK(label->text() != "Operators");
}

TEST_CASE("in a low window only the first actions are open, and all titles are in view") {
    Opened f(test::profileIn(ROOFSCOPE_SOURCE_DIR
                             "/tests/frameworks/recorded/torch_copies.roofscope.json.gz"));
    OverviewView& view = f.window.views().overview();
    const auto cards = [&] { return view.findChildren<ActionCard*>(); };
    REQUIRE(f.overview().actions.size() == 5);
    const auto open = [&] { return std::ranges::count_if(cards(), &ActionCard::isOpen); };
    const auto inView = [&](const ActionCard* card) {
        return card->mapTo(view.viewport(), QPoint(0, 30)).y() <= view.viewport()->height();
    };
    f.window.resize(1366, 768);
    CHECK(waitFor([&] { return open() < cards().size(); }));
    CHECK(cards()[0]->isOpen());
    CHECK(waitFor([&] { return std::ranges::all_of(cards(), inView); }));
    // A click opens one, which stays open; the button folds it.
    ActionCard* last = cards().last();
    REQUIRE_FALSE(last->isOpen());
    QTest::mouseClick(last, Qt::LeftButton);
    CHECK(last->isOpen());
    f.window.resize(1366, 770);
    QTest::qWait(20);
    CHECK(last->isOpen());
    last->findChild<QToolButton*>()->click();
    CHECK_FALSE(last->isOpen());
    f.window.resize(1920, 1800);
    CHECK(waitFor([&] { return open() == cards().size() - 1; }));
    // In one column the account comes first, so folding would not help.
    f.window.resize(700, 600);
    QTest::qWait(20);
    CHECK(open() == cards().size() - 1);
}

TEST_CASE("the overview says once how to see lines of compiled code") {
    Profile profile = programProfile();
    REQUIRE_FALSE(profile.callSites.empty());
    for (CallSite& site : profile.callSites) {
        site.file.clear();
        site.line = 0;
        site.module = "/home/a/app";
    }
    const auto labels = [](Opened& f) {
        return std::ranges::count_if(
            f.window.views().overview().findChildren<QLabel*>(),
            [](const QLabel* label) { return label->text().contains("would show the lines"); });
    };
    Opened without(profile);
    CHECK(labels(without) == 1);
    for (CallSite& site : profile.callSites) {
        site.file = "app.cu";
        site.line = 7;
    }
    Opened with(profile);
    CHECK(labels(with) == 0);
}

TEST_CASE("an action's lines have their part of its bound") {
    widgetApp();
    const auto analysis = analysed(programProfile());
    const Program program = analyzeProgram(*analysis);
    const auto overview = overviewOf(*analysis, program, "run.json");
    REQUIRE(overview);
    const Action& action = program.actions[0];
    REQUIRE_FALSE(action.sites.empty());
    CHECK(overview->actions[0].places[0].time == gui::text(action.sites[0].bound));
}

TEST_CASE("since the baseline, the overview says how the window's time moved") {
    Opened f(programProfile());
    Profile slower = programProfile();
    f.add(slower, "before");
    f.window.views().tabs().setCurrentIndex(0);
    f.window.documents().setBaseline(
        QString::fromStdString(f.folder.file("before.roofscope.json").string()));
    REQUIRE(waitFor([&] { return f.window.documents().comparison() != nullptr; }));
    CHECK(f.overview().since.startsWith("Since the baseline: "));
    REQUIRE(f.overview().change);
    CHECK(f.overview().change->comparable);
    f.window.documents().setBaseline({});
    CHECK(f.overview().since.isEmpty());
    CHECK_FALSE(f.overview().change);
}

TEST_CASE(
    "beside a baseline, each class of the account has its time before, after and the change") {
    widgetApp();
    const auto program = [](double gemm, const char* gpu) {
        SyntheticProgram p;
        p.profile().devices[0].name = gpu;
        p.launch("init", 1).sync();
        for (int i = 0; i < 6; ++i) p.push("step").launch("gemm", gemm).sync().pop();
        return analyze(std::make_shared<const Profile>(p.build()));
    };
    const auto changeOf = [](const Analysis& before, const Analysis& after) {
        Matching matching = matchKernels(before, after);
        return accountChange(comparePrograms(before, after, matching));
    };
    const Analysis before = program(4000, "GPU A");
    const auto change = changeOf(before, program(3000, "GPU A"));
    REQUIRE(change);
    const AccountChange::Row& kernels = change->rows.front();
    CHECK(kernels.cls == TimeClass::Kernels);
    CHECK(kernels.before == gui::text(Seconds{4e-3}));
    CHECK(kernels.after == gui::text(Seconds{3e-3}));
    CHECK(kernels.change == "-" + gui::text(Seconds{1e-3}));
    CHECK(kernels.moved);
    CHECK_FALSE(change->rows.back().cls);
    // The shorter window has the shorter bar.
    const auto whole = [](const std::vector<AccountChange::Part>& parts) {
        double sum = 0;
        for (const AccountChange::Part& part : parts) sum += part.share;
        return sum;
    };
    CHECK(whole(change->before) == Approx(1));
    CHECK(whole(change->after) == Approx(0.75).epsilon(0.02));

    // On another GPU all numbers are shown, but none of them counts as a change.
    const auto other = changeOf(before, program(3000, "GPU B"));
    REQUIRE(other);
    CHECK_FALSE(other->comparable);
    CHECK(other->rows.front().change == "-" + gui::text(Seconds{1e-3}));
    for (const AccountChange::Row& row : other->rows) CHECK_FALSE(row.moved);
}

TEST_CASE("a phase of the window is judged by itself at a click") {
    SyntheticProgram p;
    for (int i = 0; i < 5; ++i) {
        p.push("iteration").push("roll & out");
        for (int k = 0; k < 60; ++k) p.work(400).launch("act", 5).launch("environment", 5).sync();
        p.pop().push("update");
        for (int k = 0; k < 20; ++k) p.launch("forward", 100).launch("backward", 200);
        p.sync().pop().pop();
    }
    Opened f(p.build());
    const Overview& overview = f.overview();
    REQUIRE(overview.parts.size() == 2);
    CHECK(overview.parts[1].part == "update");
    CHECK(partWords(overview.parts[1]) == "update · " + overview.parts[1].partShare);
    const auto heading = [&] {
        QStringList shown;
        for (const QLabel* label : f.window.views().overview().findChildren<QLabel*>())
            shown << label->text();
        return shown;
    };
    CHECK(heading().contains(overview.window));
    f.button(partWords(overview.parts[1]))->click();
    CHECK(waitFor([&] { return heading().contains(overview.parts[1].window); }));
    CHECK_FALSE(heading().contains(overview.window));
    const auto* bar = f.window.views().overview().findChild<AccountBar*>();
    REQUIRE(bar);
    CHECK(bar->accessibleName() == overview.parts[1].summary);
    CHECK(f.button(partWords(overview.parts[1]))->isChecked());
    // The name of the program's range is no shortcut.
    f.button(partWords(overview.parts[0]).replace("&", "&&"))->click();
    CHECK(waitFor([&] { return heading().contains(overview.parts[0].window); }));
    f.button("All")->click();
    CHECK(waitFor([&] { return heading().contains(overview.window); }));
    // A part stays chosen while the file is read again, or compared with another one.
    f.button(partWords(overview.parts[1]))->click();
    CHECK(waitFor([&] { return heading().contains(f.overview().parts[1].window); }));
    QSignalSpy finished(&f.window.documents().loader(), &ProfileLoader::finished);
    f.window.documents().reload();
    REQUIRE(waitFor([&] { return finished.count() > 0; }));
    CHECK(waitFor([&] { return heading().contains(f.overview().parts[1].window); }));
    CHECK(f.button(partWords(f.overview().parts[1]))->isChecked());
    f.button("All")->click();
    CHECK(waitFor([&] { return heading().contains(f.overview().window); }));
    // Another profile begins with all of it, and one without parts has no buttons.
    f.button(partWords(overview.parts[1]))->click();
    f.add(programProfile(), "other");
    CHECK(waitFor([&] { return heading().contains(f.overview().window); }));
    CHECK(f.overview().parts.empty());
    CHECK(f.window.views().overview().findChildren<QPushButton*>("part").empty());
}
