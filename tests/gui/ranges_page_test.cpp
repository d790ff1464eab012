// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details/ranges_page.h"

#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "gui/views/details/details_view.h"
#include "gui/views/details/occupancy_line.h"
#include "gui/views/recording/record_hint.h"
#include "gui/views/widgets/data_table_view.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"

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
    CHECK(page.currentWidget() == &page.table());
    CHECK(page.table().model()->rowCount() == 3);
    CHECK(page.table().isColumnHidden(int(RangeColumn::Device)));
    page.table().selectRow(0);
    CHECK(page.table().selectedText().contains("step > layer"));

    details.setAnalysis(sampleAnalysis());
    CHECK(title() == "Ranges");
    CHECK(page.currentWidget() == &page.hint());
    CHECK(page.hint().command().startsWith("roofscope record --range 'epoch 1' -- "));
    details.setAnalysis(nullptr);
    CHECK(title() == "Ranges");
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
