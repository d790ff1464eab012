// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include <QAbstractItemModelTester>

#include "gui/models/kernel_facts.h"
#include "gui/models/kernel_filter_model.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QString cell(const QAbstractItemModel& model, int row, KernelColumn column) {
    return model.index(row, int(column)).data().toString();
}

}  // namespace

TEST_CASE("the kernel table shows one row per kernel and survives resets") {
    coreApp();
    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(model.rowCount() == 0);
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    REQUIRE(model.rowCount() == int(analysis->kernels.size()));
    CHECK(model.columnCount() == kKernelColumns);
    const int transpose = int(kernelNamed(*analysis, "transpose"));
    CHECK(cell(model, transpose, KernelColumn::Name) == "transpose<float, 32>");
    CHECK(cell(model, transpose, KernelColumn::Launches) == "1");
    // 32 load and 1 store wavefronts where 2 would do.
    const QVariant conflict =
        model.index(transpose, int(KernelColumn::Conflict)).data(KernelTableModel::SortRole);
    CHECK(conflict.toDouble() == Approx(31.0 / 33).margin(0.001));
    model.setAnalysis(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("a value that was not measured is a dash, never a zero") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    const int row = int(kernelNamed(*analysis, "unmeasured"));
    for (const KernelColumn column :
         {KernelColumn::TotalTime, KernelColumn::DramBandwidth, KernelColumn::Intensity,
          KernelColumn::Coalescing, KernelColumn::Conflict, KernelColumn::Occupancy}) {
        INFO(int(column));
        CHECK(cell(model, row, column) == QString::fromUtf8("–"));
        CHECK_FALSE(model.index(row, int(column)).data(KernelTableModel::SortRole).isValid());
    }
    const QString why =
        model.index(row, int(KernelColumn::DramBandwidth)).data(Qt::ToolTipRole).toString();
    CHECK(why.contains("not measured"));
}

TEST_CASE("sorting puts missing values last in both directions") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    KernelFilterModel sorted;
    QAbstractItemModelTester tester(&sorted, QAbstractItemModelTester::FailureReportingMode::Fatal);
    sorted.setSourceModel(&model);
    for (int column = 0; column < kKernelColumns; ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            sorted.sort(column, order);
            INFO("column " << column << (order == Qt::AscendingOrder ? " up" : " down"));
            bool missing = false;
            std::optional<double> last;
            for (int row = 0; row < sorted.rowCount(); ++row) {
                const QVariant key = sorted.index(row, column).data(KernelTableModel::SortRole);
                if (!key.isValid()) {
                    missing = true;
                    continue;
                }
                CHECK_FALSE(missing);
                if (key.typeId() != QMetaType::Double) continue;
                if (last)
                    CHECK((order == Qt::AscendingOrder ? *last <= key.toDouble()
                                                       : *last >= key.toDouble()));
                last = key.toDouble();
            }
        }
    }
    sorted.sort(int(KernelColumn::TotalTime), Qt::DescendingOrder);
    CHECK(cell(sorted, sorted.rowCount() - 1, KernelColumn::Name) == "unmeasured");
}

TEST_CASE("a filter narrows the rows, and a wrong one keeps the last right one") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    KernelFilterModel filter;
    QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::Fatal);
    filter.setSourceModel(&model);
    filter.setFilterText("gelu");
    CHECK(filter.rowCount() == 2);
    CHECK(filter.filtering());
    filter.setFilterText("bw > ");
    CHECK_FALSE(filter.errorText().isEmpty());
    CHECK(filter.rowCount() == 2);
    filter.setFilterText("conflict > 10%");
    CHECK(filter.errorText().isEmpty());
    REQUIRE(filter.visibleKernels().size() == 1);
    CHECK(filter.visibleKernels().front() == kernelNamed(*analysis, "transpose"));
    CHECK(filter.indexOfKernel(kernelNamed(*analysis, "transpose")).row() == 0);
    CHECK_FALSE(filter.indexOfKernel(kernelNamed(*analysis, "copy")).isValid());
    filter.setFilterText("");
    CHECK(filter.rowCount() == model.rowCount());
    CHECK_FALSE(filter.filtering());
}
