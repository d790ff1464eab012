// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/source_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QTest>
#include <fstream>
#include <set>

#include "gui/views/details/details_view.h"
#include "gui/views/details/memory_chart_view.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/data_table_view.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

std::shared_ptr<const Analysis> analysed(const SyntheticProfile& p) {
    return std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
}

/// A profile with two files: gather.cu, lines 4 and 8, and inc.cuh, line 2.
std::shared_ptr<const Analysis> twoFiles() {
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("LDG.E R2, [R4]", "/src/gather.cu", 8)
        .executed(10)
        .sectors(500, 100)
        .instruction("FADD R1, R2, R3", "/src/inc.cuh", 2)
        .executed(70)
        .instruction("LDG.E R3, [R6]", "/src/gather.cu", 8)
        .executed(10)
        .sectors(700, 100)
        .instruction("LDG.E R3, [R5]", "/src/gather.cu", 4)
        .executed(10)
        .sectors(300, 100)
        .instruction("NOP")
        .executed(0)
        .text("/src/gather.cu", 4, {"a = x[i];", "", "", "", "b = y[i];"})
        .text("/src/inc.cuh", 1, {"float f(float a) {", "    return a + 1;", "}"});
    return analysed(p);
}

std::set<int> selectedRows(const DataTableView& table) {
    std::set<int> rows;
    for (const QModelIndex& index : table.selectionModel()->selectedRows())
        rows.insert(index.row());
    return rows;
}

QString selectedPlace(const DataTableView& table) {
    const QModelIndex index = table.currentIndex().siblingAtColumn(SourceTableModel::kPlace);
    QString place = index.data().toString();
    return place.remove(QString::fromUtf8("▸ "));
}

struct SourceFixture {
    SourceView view;
    explicit SourceFixture(const std::shared_ptr<const Analysis>& analysis) {
        widgetApp();
        view.resize(1000, 300);
        view.show();
        REQUIRE(QTest::qWaitForWindowExposed(&view));
        view.setKernel(analysis, 0);
    }
};

}  // namespace

TEST_CASE("the hottest line is selected with its instructions") {
    widgetApp();
    SourceFixture f(twoFiles());
    CHECK(f.view.files()->currentText() == "gather.cu");
    CHECK(selectedPlace(*f.view.lines()) == "8");  // 1,000 of 1,200 excess sectors
    CHECK(selectedRows(*f.view.instructions()) == std::set<int>{0, 2});
    CHECK(f.view.instructions()->currentIndex().row() == 2);  // the worse of the two
}

TEST_CASE("columns of the source have room for the longest number, whatever their headings") {
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("copy(float*)"), {8, 1, 1}, {64, 1, 1});
    p.sourcePass(launch)
        .instruction("LDG.E R2, [R4]", "/src/copy.cu", 1)
        .executed(524'288)
        .sectors(524'288, 524'288)
        .text("/src/copy.cu", 1, {"a = x[i];"});
    widgetApp();
    SourceFixture f(analysed(p));
    std::size_t numbers = 0;
    for (const DataTableView* table : f.view.findChildren<DataTableView*>())
        for (int column = 0; column < SourceTableModel::kCode; ++column) {
            const QModelIndex cell = table->model()->index(0, column);
            const QString text = cell.data().toString();
            if (table->isColumnHidden(column) || text != "524,288") continue;
            ++numbers;
            QFont bold = table->font();
            bold.setBold(true);
            CAPTURE(column);
            CHECK(table->columnWidth(column) >= QFontMetrics(bold).horizontalAdvance(text) + 12);
        }
    CHECK(numbers >= 4);
}

TEST_CASE("next hot line goes round by what makes lines hot") {
    widgetApp();
    SourceFixture f(twoFiles());
    f.view.moveHot(1);
    CHECK(selectedPlace(*f.view.lines()) == "4");
    CHECK(selectedRows(*f.view.instructions()) == std::set<int>{3});
    f.view.moveHot(1);  // only two lines have excess
    CHECK(selectedPlace(*f.view.lines()) == "8");
    f.view.moveHot(-1);
    CHECK(selectedPlace(*f.view.lines()) == "4");
    f.view.setHeat(SourceNumber::Executed);
    f.view.moveHot(-1);  // by instructions 4 and 8 are third and second; first is the other file
    f.view.moveHot(-1);
    CHECK(f.view.files()->currentText() == "inc.cuh");
    CHECK(selectedPlace(*f.view.lines()) == "2");
    f.view.setHeat(SourceNumber::Samples);  // there are no samples: nothing changes
    CHECK(selectedPlace(*f.view.lines()) == "2");
}

TEST_CASE("an instruction selects its line, in whichever file") {
    widgetApp();
    SourceFixture f(twoFiles());
    DataTableView* sass = f.view.instructions();
    sass->setCurrentIndex(sass->model()->index(1, 0));
    CHECK(f.view.files()->currentText() == "inc.cuh");
    CHECK(selectedPlace(*f.view.lines()) == "2");
    CHECK(selectedRows(*sass) == std::set<int>{1});  // a single one, not all of the line
    sass->setCurrentIndex(sass->model()->index(4, 0));
    CHECK_FALSE(f.view.selectedLine().has_value());
    sass->setCurrentIndex(sass->model()->index(0, 0));
    CHECK(selectedPlace(*f.view.lines()) == "8");
    CHECK(selectedRows(*sass) == std::set<int>{0});
}

TEST_CASE("a source file that was not recorded is found by hand, and a place in it shown") {
    widgetApp();
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("LDG.E R2, [R4]", "/gone/gather.cu", 2)
        .executed(10)
        .sectors(500, 100)
        .instruction("LDG.E R3, [R5]", "/gone/gather.cu", 3)
        .executed(10)
        .sectors(300, 100);
    SourceFixture f(analysed(p));
    QPushButton* find = nullptr;
    for (QPushButton* button : f.view.findChildren<QPushButton*>())
        if (button->text().contains("Find the file")) find = button;
    REQUIRE(find);
    CHECK(find->isVisible());
    CHECK(f.view.note().contains("No source text"));
    CHECK_FALSE(f.view.locate("/nonexistent.cu"));
    const TemporaryFolder folder;
    std::ofstream(folder.file("gather.cu")) << "// first\na = x[i];\nb = y[i];\n";
    REQUIRE(f.view.locate(QString::fromStdString(folder.file("gather.cu").string())));
    CHECK_FALSE(find->isVisible());
    CHECK_FALSE(f.view.note().contains("No source text"));
    CHECK(selectedPlace(*f.view.lines()) == "2");
    const QModelIndex line = f.view.lines()->currentIndex();
    CHECK(line.siblingAtColumn(SourceTableModel::kCode).data().toString() == "a = x[i];");
    f.view.goTo("/gone/gather.cu", 3);
    CHECK(selectedPlace(*f.view.lines()) == "3");
    // Another kernel with code in the same tree needs no second search.
    SyntheticProfile other;
    const auto scatter =
        other.launch(other.kernel("scatter(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    other.sourcePass(scatter).instruction("STG.E [R4], R2", "/gone/scatter.cu", 1).executed(10);
    std::ofstream(folder.file("scatter.cu")) << "y[i] = a;\n";
    f.view.setKernel(analysed(other), 0);
    CHECK_FALSE(find->isVisible());
    CHECK(f.view.lines()->currentIndex().siblingAtColumn(SourceTableModel::kCode).data() ==
          "y[i] = a;");
    CHECK_FALSE(f.view.note().contains("No source text"));
}

TEST_CASE("only the instructions of the selected line") {
    widgetApp();
    SourceFixture f(twoFiles());
    f.view.onlySelected()->setChecked(true);
    CHECK(f.view.instructions()->model()->rowCount() == 2);
    f.view.moveHot(1);
    CHECK(f.view.instructions()->model()->rowCount() == 1);
    f.view.onlySelected()->setChecked(false);
    CHECK(f.view.instructions()->model()->rowCount() == 5);
    CHECK(selectedRows(*f.view.instructions()) == std::set<int>{3});
    // Another kernel while "only selected" is checked.
    f.view.onlySelected()->setChecked(true);
    f.view.setKernel(twoFiles(), 0);
    CHECK(f.view.instructions()->model()->rowCount() == 2);
}

TEST_CASE("lines whose instructions are scattered are gone through at once") {
    widgetApp();
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("k()"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    auto pass = p.sourcePass(launch);
    for (std::uint32_t i = 0; i < 40000; ++i)
        pass.instruction("FADD", "a.cu", 1 + i % 3).executed(1 + i % 3);
    SourceFixture f(analysed(p));
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < 6; ++i) f.view.moveHot(1);
    CHECK(timer.elapsed() < 3000);  // without a limit it takes a minute
    CHECK(selectedPlace(*f.view.lines()) == "3");
}

TEST_CASE("without a line table there are instructions, and why") {
    widgetApp();
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("closed()"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch).instruction("FADD").executed(1).instruction("FMUL").executed(3);
    SourceFixture f(analysed(p));
    CHECK_FALSE(f.view.lines()->isVisible());
    CHECK(f.view.note().contains("-lineinfo"));
    CHECK(f.view.instructions()->currentIndex().row() == 1);
    f.view.moveHot(1);
    CHECK(f.view.instructions()->currentIndex().row() == 0);
}

TEST_CASE("without counters per instruction there is the command that records them") {
    widgetApp();
    SyntheticProfile p;
    p.profile().capture.command = {"./app"};
    p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    SourceFixture f(analysed(p));
    CHECK(f.view.hint()->isVisible());
    CHECK(f.view.hint()->command() == R"(roofscope record --source '\bgather\(' -- ./app)");
    f.view.hint()->copy();
    CHECK(QApplication::clipboard()->text() == f.view.hint()->command());
    f.view.moveHot(1);  // has no effect
    f.view.setKernel(nullptr, std::nullopt);
    CHECK(f.view.hint()->command().isEmpty());
}

TEST_CASE("the details show the source when its next hot line is asked for") {
    widgetApp();
    DetailsView details;
    const auto analysis = twoFiles();
    details.setAnalysis(analysis);
    details.setKernel(analysis, 0);
    details.moveHot(1);
    CHECK(details.currentWidget() == &details.source());
    CHECK(selectedPlace(*details.source().lines()) == "8");  // the hottest line first
    details.moveHot(1);
    CHECK(selectedPlace(*details.source().lines()) == "4");
    details.showTab("memory");
    CHECK(details.currentWidget() == &details.memoryChart());
    details.showTab("no such tab");
    CHECK(details.currentWidget() == &details.memoryChart());
}

TEST_CASE("the memory chart fills the width that there is, and says what is under the mouse") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    MemoryChartView view;
    view.resize(1500, 260);
    view.show();
    REQUIRE(QTest::qWaitForWindowExposed(&view));
    view.setKernel(analysis, kernelNamed(*analysis, "transpose"));
    CHECK(view.shapes().width == view.viewport()->width());
    CHECK(view.tipAt({20, view.shapes().height / 2}).contains("excess"));  // shared memory
    CHECK(view.tipAt({-5, -5}).isEmpty());
    CHECK(view.accessibleDescription().contains("DRAM: "));
    view.resize(300, 260);
    CHECK(view.shapes().width == kLeastChartWidth);
    view.setKernel(nullptr, std::nullopt);
    CHECK(view.shapes().free.empty());
}
