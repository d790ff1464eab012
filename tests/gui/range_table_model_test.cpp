// SPDX-License-Identifier: Apache-2.0
#include "gui/models/details/range_table_model.h"

#include <QAbstractItemModelTester>

#include "gui/models/recording/record_again_command.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr auto kStopHere = QAbstractItemModelTester::FailureReportingMode::Fatal;
const QString kNoRange = QString::fromUtf8("–");

QString shown(const QAbstractItemModel& model, int row, RangeColumn column) {
    return model.index(row, int(column)).data().toString().replace(QChar(QChar::Nbsp), QChar(' '));
}

QString tip(const QAbstractItemModel& model, int row, RangeColumn column) {
    return model.index(row, int(column)).data(Qt::ToolTipRole).toString();
}

}  // namespace

TEST_CASE("measured ranges show what the reports say, and a dash where nothing was measured") {
    coreApp();
    RangeTableModel model;
    const QAbstractItemModelTester tester(&model, kStopHere);
    model.setAnalysis(rangesAnalysis());
    REQUIRE(model.rowCount() == 3);
    // Longest total first: 2 × 1 ms, then 0.5 ms, then untimed ones.
    CHECK(shown(model, 0, RangeColumn::Name) == "step > layer");
    CHECK(shown(model, 0, RangeColumn::Occurrences) == "2");
    CHECK(tip(model, 0, RangeColumn::Occurrences).contains("1 of them with counters"));
    CHECK(shown(model, 0, RangeColumn::Launches) == QString::fromUtf8("6–7"));
    CHECK(shown(model, 0, RangeColumn::Duration) == "1.00 ms");
    CHECK(shown(model, 0, RangeColumn::Total) == "2.00 ms");
    CHECK(tip(model, 0, RangeColumn::Total).contains("2 occurrences; from the timing run"));
    // 2 GB in the 1 ms of the only occurrence with counters.
    CHECK(shown(model, 0, RangeColumn::DramBytes) == "2.00 GB");
    CHECK(shown(model, 0, RangeColumn::DramRate) == "2.00 TB/s");
    CHECK(shown(model, 0, RangeColumn::Tensor) == kNoRange);
    CHECK(tip(model, 0, RangeColumn::Tensor).contains("not measured, missing:"));

    CHECK(shown(model, 1, RangeColumn::Name) == "<b>hostile</b>");
    CHECK(tip(model, 1, RangeColumn::Name).contains("&lt;b&gt;hostile"));
    CHECK(shown(model, 1, RangeColumn::Launches) == kNoRange);
    CHECK(shown(model, 1, RangeColumn::DramRate) == kNoRange);
    CHECK(
        tip(model, 1, RangeColumn::DramRate).contains("no occurrence of this range has counters"));

    CHECK(shown(model, 2, RangeColumn::Duration) == kNoRange);
    CHECK(tip(model, 2, RangeColumn::Duration).contains("no duration was measured"));
    CHECK_FALSE(model.index(2, int(RangeColumn::Total)).data(RangeTableModel::SortRole).isValid());
    CHECK(shown(model, 2, RangeColumn::Launches) == "0");  // counted, and there were none

    model.setAnalysis(sampleAnalysis());
    CHECK(model.rowCount() == 0);
    model.setAnalysis(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("ranges sort by number, what is missing last in both directions") {
    coreApp();
    RangeTableModel model;
    CellSortModel sorted;
    const QAbstractItemModelTester tester(&sorted, kStopHere);
    sorted.setSourceModel(&model);
    model.setAnalysis(rangesAnalysis());
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        sorted.sort(int(RangeColumn::Total), order);
        const bool up = order == Qt::AscendingOrder;
        CHECK(shown(sorted, up ? 1 : 0, RangeColumn::Total) == "2.00 ms");
        CHECK(shown(sorted, up ? 0 : 1, RangeColumn::Total) == QString::fromUtf8("500 µs"));
        CHECK(shown(sorted, 2, RangeColumn::Total) == kNoRange);
    }
}

TEST_CASE("the command for ranges names the outermost one, as a glob, for a shell") {
    Profile profile = sampleProfile();
    profile.capture.command = {"./app", "a file"};
    const auto command = [&] {
        return recordRangeCommand(analyze(std::make_shared<const Profile>(profile)));
    };
    CHECK(command() == "roofscope record --range 'epoch 1' -- ./app 'a file'");
    profile.ranges = {"epoch [1]* > step"};
    CHECK(command() == "roofscope record --range 'epoch \\[1]\\*' -- ./app 'a file'");
    for (Launch& launch : profile.launches) launch.range.reset();
    CHECK(command().isEmpty());
}
