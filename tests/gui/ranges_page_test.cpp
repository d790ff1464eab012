// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/ranges_page.h"

#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <algorithm>

#include "gui/models/text/number_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/details/occupancy_line.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/widgets/data_table_view.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

TEST_CASE("details have a tab for measured ranges, which says how many there are") {
    widgetApp();
    DetailsView details;
    RangesPage& page = details.ranges();
    const auto title = [&] { return details.tabText(details.indexOf(&page)); };
    details.setAnalysis(rangesAnalysis());
    details.showTab(QStringLiteral("ranges"));
    CHECK(details.currentWidget() == &page);
    CHECK(title() == "Ranges (3)");
    CHECK(page.currentWidget() != &page.hint());
    CHECK(page.summary().isHidden());
    CHECK(page.table().model()->rowCount() == 3);
    CHECK(page.table().isColumnHidden(int(RangeColumn::Device)));
    page.table().selectRow(0);
    INFO(page.table().selectedText().toStdString());
    CHECK(page.table().selectedText().contains("step > layer"));

    details.setAnalysis(sampleAnalysis());
    CHECK(title() == "Ranges");
    CHECK(page.currentWidget() == &page.hint());
    CHECK(page.hint().command().startsWith("roofscope record --range 'epoch 1' -- "));
    details.setAnalysis(nullptr);
    CHECK(title() == "Ranges");
}

TEST_CASE("recorded ranges have a summary, whether or not they were measured as a whole") {
    widgetApp();
    DetailsView details;
    details.resize(1000, 400);
    RangesPage& page = details.ranges();
    SyntheticProgram p;
    for (int i = 0; i < 4; ++i) {
        p.push("step")
            .launch("gemm", 500)
            .sync()
            .work(i == 2 ? 900 : 300)
            .launch("add", 100)
            .sync();
        p.push("log").work(50).pop().pop();
    }
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    details.setAnalysis(analysis);
    CHECK(details.tabText(details.indexOf(&page)) == "Ranges (2)");
    details.showTab(QStringLiteral("ranges"));
    details.show();
    CHECK(page.table().isHidden());
    const QAbstractItemModel& rows = *page.summary().model();
    REQUIRE(rows.rowCount() == 2);
    const auto cell = [&](int row, SummaryColumn column) {
        return rows.index(row, int(column)).data().toString();
    };
    CHECK(cell(0, SummaryColumn::Name) == "step");
    CHECK(cell(0, SummaryColumn::Count) == "4");
    CHECK(cell(0, SummaryColumn::Gpu) == gui::text(Seconds{2.4e-3}));
    CHECK(cell(1, SummaryColumn::Name) == "step > log");
    CHECK(cell(1, SummaryColumn::Total) == gui::text(Seconds{200e-6}));
    CHECK(cell(1, SummaryColumn::Mean) == gui::text(Seconds{50e-6}));
    // Of a range without work on the GPU nothing is known about the GPU.
    CHECK(cell(1, SummaryColumn::Idle) == QString::fromUtf8("–"));
    page.summary().sortByColumn(int(SummaryColumn::Idle), Qt::AscendingOrder);
    CHECK(cell(1, SummaryColumn::Name) == "step > log");

    // A double click shows the longest occurrence.
    Q_EMIT page.summary().doubleClicked(rows.index(0, 0));
    CHECK(details.currentWidget() == &details.timeline());
    REQUIRE(details.timeline().range());
    const auto& spans = analysis->profile->timeline.ranges;
    CHECK(*details.timeline().range() ==
          std::ranges::max_element(spans, {}, [](const RangeSpan& s) {
              return s.time.length();
          })->time);
}

TEST_CASE("the what-if line answers as its numbers change, and goes back") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    OccupancyLine line;
    line.setKernel(analysis, kernelNamed(*analysis, "gelu_vec4"));
    const QString before = line.answer();
    REQUIRE(before.contains("per SM"));
    const auto boxes = line.findChildren<QSpinBox*>();
    REQUIRE(boxes.size() == 3);
    boxes[1]->setValue(255);
    CHECK(line.answer() != before);
    CHECK(line.answer().contains("limited by registers"));
    QTest::mouseClick(line.findChild<QPushButton*>(), Qt::LeftButton);
    CHECK(line.answer() == before);
    line.setKernel(nullptr, std::nullopt);
    CHECK(line.isHidden());
}
