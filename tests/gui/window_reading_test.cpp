// SPDX-License-Identifier: Apache-2.0
// The window in use: what is read in it, and looked for beside a profile.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "gui/views/details/details_view.h"
#include "gui/views/kernels/answer_view.h"
#include "gui/views/kernels/hints_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/widgets/data_tree_view.h"
#include "gui/views/widgets/status_area.h"
#include "reports/answer/answer_words.h"
#include "tests/gui/sample.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/widget_test.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("what is looked for beside a profile is looked for in its folder") {
    widgetApp();
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch).instruction("LDG.E R2, [R4]", "/gone/gather.cu", 2).executed(10);
    QString began, name;
    const auto ask = [&](ShownWindow& f, const char* tab, const char* what) {
        f.window.views().details().showTab(tab);
        began.clear();
        QTimer::singleShot(0, &f.window, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog) return;
            began = dialog->directory().absolutePath();
            name = dialog->findChild<QLineEdit*>()->text();
            dialog->reject();
        });
        QAbstractButton* find = visibleButton(f.window, what);
        REQUIRE(find);
        find->click();
        CHECK(began == QString::fromStdString(f.folder.path().string()));
    };
    ShownWindow source(p.build());
    ask(source, "source", "Find the file");
    CHECK(name == "gather.cu");
    ask(source, "source", "Save");
    CHECK(name == "hints.md");
    ShownWindow program(programProfile());
    ask(program, "sites", "Find the file");
    CHECK(name == "train.py");
}

TEST_CASE(
    "the answer begins with verdict and headroom, then a bar per resource and a card per fix") {
    widgetApp();
    ShownWindow f;
    const std::size_t kernel = kernelNamed(f.analysis(), "transpose");
    f.window.documents().selectKernel(kernel);
    const auto& answer = f.window.views().hints().answerView().answer();
    REQUIRE(answer);
    CHECK_FALSE(answer->verdict.isEmpty());
    // As in the reports, so an estimate is never called a bound.
    const KernelAnalysis& shown = f.analysis().kernels[kernel];
    const KernelAnswer decided = roofscope::answerOf(f.analysis(), shown);
    const QString said = QString::fromStdString(headroomSentence(decided, Language::En).plain() +
                                                jointGainSentence(decided, Language::En).plain());
    CHECK(QString(answer->headroom).remove(' ') == QString(said).remove(' '));
    REQUIRE_FALSE(answer->bars.empty());
    for (std::size_t i = 1; i < answer->bars.size(); ++i)
        CHECK(answer->bars[i - 1].share >= answer->bars[i].share);
    REQUIRE_FALSE(answer->fixes.empty());
    const KernelAnswerText::Fix& fix = answer->fixes.front();
    const Finding* first = &f.analysis().kernels[kernel].findings.front();
    CHECK(fix.rule.toStdString() == first->ruleId);
    CHECK_FALSE(fix.edit.isEmpty());
    CHECK(fix.fault.indexOf('{') < 0);
    // The first card is on the first screen; one click copies its edit.
    QAbstractButton* copy = visibleButton(f.window.views().hints(), "Copy edit");
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

TEST_CASE("a counter's column stands beside the names, where it is seen, and it is said") {
    widgetApp();
    ShownWindow f;
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

TEST_CASE("every column says what it means") {
    widgetApp();
    ShownWindow f;
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
