// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>

#include "analyzer/counters/counter_names.h"
#include "gui/models/details/counter_table_model.h"
#include "gui/models/details/issue_model.h"
#include "gui/models/details/property_model.h"
#include "gui/models/kernels/counter_unit.h"
#include "gui/models/kernels/kernel_table_model.h"
#include "gui/models/text/number_text.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

int rowOf(const QAbstractItemModel& model, const char* text) {
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, 0).data().toString() == QLatin1String(text)) return row;
    return -1;
}

}  // namespace

TEST_CASE("counters show median, extremes and how many launches were measured") {
    coreApp();
    const auto analysis = sampleAnalysis();
    CounterTableModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setKernel(analysis, kernelNamed(*analysis, "repeated"));
    const int reads = rowOf(model, "dram__bytes_read.sum");
    REQUIRE(reads >= 0);
    const auto cell = [&](int row, CounterTableColumn column) {
        return model.index(row, int(column)).data().toString();
    };
    CHECK(cell(reads, CounterTableColumn::Median) == "200,000,000");
    CHECK(cell(reads, CounterTableColumn::Min) == "100,000,000");
    CHECK(cell(reads, CounterTableColumn::Max) == "300,000,000");
    CHECK(cell(reads, CounterTableColumn::Unit) == "B");
    CHECK(cell(reads, CounterTableColumn::Measured) == "3 of 3");
    // 600 MB in the time of the three launches, relative to the DRAM's 1504 B per cycle.
    const auto share =
        model.index(reads, int(CounterTableColumn::Peak)).data(CounterTableModel::SortRole);
    REQUIRE(share.isValid());
    double seconds = 0;
    for (const std::uint32_t launch :
         analysis->kernels[kernelNamed(*analysis, "repeated")].group.launches)
        seconds += *analysis->profile->counters.value("gpu__time_duration.sum", launch) * 1e-9;
    CHECK(share.toDouble() == Approx(6e8 / (1504 * SyntheticProfile::kDramClockHz * seconds)));
    CHECK(cell(reads, CounterTableColumn::Peak).endsWith('%'));
    const int duration = rowOf(model, "gpu__time_duration.sum");
    REQUIRE(duration >= 0);
    CHECK(cell(duration, CounterTableColumn::Peak).isEmpty());
    const int writes = rowOf(model, "dram__bytes_write.sum");
    REQUIRE(writes >= 0);
    CHECK(cell(writes, CounterTableColumn::Median) == QString::fromUtf8("–"));
    CHECK(cell(writes, CounterTableColumn::Measured) == "0 of 3");
    CHECK_FALSE(model.index(writes, int(CounterTableColumn::Median))
                    .data(CounterTableModel::SortRole)
                    .isValid());
    model.setKernel(analysis, std::nullopt);
    CHECK(model.rowCount() == 0);
    model.setKernel(analysis, 9999);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("counters are compared with those of the baseline, noise apart") {
    coreApp();
    const auto recorded = [](double first, double second, double third, bool sectors) {
        SyntheticProfile p;
        const auto kernel = p.kernel("k()");
        for (const double bytes : {first, second, third}) {
            auto launch = p.launch(kernel, {64}, {64});
            launch.set("dram__bytes_read.sum", bytes).set("smsp__inst_executed.sum", 0);
            if (sectors) launch.set("lts__t_sectors.sum", 32);
        }
        return std::make_shared<const Analysis>(
            analyze(std::make_shared<const Profile>(p.build())));
    };
    CounterTableModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    const auto now = recorded(150, 160, 140, true);
    model.setKernel(now, 0, {.analysis = recorded(100, 110, 90, false), .kernel = 0});
    const auto cell = [&](const char* counter, CounterTableColumn column) {
        return model.index(rowOf(model, counter), int(column));
    };
    const auto tone = [](const QModelIndex& index) {
        return static_cast<CellModel::Tone>(index.data(CellModel::ToneRole).toInt());
    };
    const QModelIndex moved = cell("dram__bytes_read.sum", CounterTableColumn::Change);
    CHECK(cell("dram__bytes_read.sum", CounterTableColumn::Baseline).data() == "100");
    CHECK(moved.data().toString() == "+" + gui::text(Ratio{0.5}));
    CHECK(moved.data(CellModel::SortRole).toDouble() == Approx(0.5));
    CHECK(tone(moved) == CellModel::Tone::Plain);
    // No value before, or none now: no change is shown.
    for (const char* counter : {"lts__t_sectors.sum", "smsp__inst_executed.sum"}) {
        const QModelIndex none = cell(counter, CounterTableColumn::Change);
        CHECK(none.data() == QString::fromUtf8("–"));
        CHECK_FALSE(none.data(CellModel::SortRole).isValid());
    }
    model.setKernel(now, 0, {.analysis = recorded(100, 155, 90, false), .kernel = 0});
    CHECK(tone(cell("dram__bytes_read.sum", CounterTableColumn::Change)) == CellModel::Tone::Muted);
    // Of another GPU: the numbers are there, but grey.
    model.setKernel(now, 0,
                    {.analysis = recorded(100, 110, 90, false), .kernel = 0, .sameGpu = false});
    for (const CounterTableColumn column :
         {CounterTableColumn::Baseline, CounterTableColumn::Change})
        CHECK(tone(cell("dram__bytes_read.sum", column)) == CellModel::Tone::Muted);
    CHECK(cell("dram__bytes_read.sum", CounterTableColumn::Baseline).data() == "100");
    model.setKernel(now, 0);
    CHECK(cell("dram__bytes_read.sum", CounterTableColumn::Baseline).data() ==
          QString::fromUtf8("–"));
}

TEST_CASE("the counter search wants every word") {
    coreApp();
    const auto analysis = sampleAnalysis();
    CounterTableModel model;
    model.setKernel(analysis, 0);
    CounterFilterModel filter;
    QAbstractItemModelTester tester(&filter, kFatal);
    filter.setSourceModel(&model);
    const int all = filter.rowCount();
    filter.setSearch("dram bytes");
    CHECK(filter.rowCount() == 2);
    filter.setSearch("DRAM nothing");
    CHECK(filter.rowCount() == 0);
    filter.setSearch("");
    CHECK(filter.rowCount() == all);
    filter.sort(int(CounterTableColumn::Median), Qt::DescendingOrder);
}

TEST_CASE("units are read from the counter's name") {
    const std::pair<const char*, const char*> known[] = {
        {"gpu__time_duration.sum", "ns"},
        {"dram__bytes_read.sum", "B"},
        {"dram__bytes_read.sum.per_second", "B/s"},
        {"sm__cycles_elapsed.avg.per_second", "Hz"},
        {"sm__warps_active.avg.per_cycle_active", "warps/cycle"},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%"},
        {"smsp__sass_data_bytes_mem_shared.sum", "B"},
        {"smsp__sass_sectors_mem_global.sum", "sectors"},
        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "thread instructions"},
        {"smsp__sass_inst_executed_op_global_ld.sum", "instructions"},
        {"l1tex__data_pipe_lsu_wavefronts.sum", "wavefronts"},
        {"lts__lts2xbar_cycles_active.sum", "cycles"},
        {"something_else.sum", ""}};
    for (const auto& [counter, unit] : known) {
        INFO(counter);
        CHECK(counterUnit(QLatin1String(counter)) == QLatin1String(unit));
    }
}

TEST_CASE("values of counters are written as quantities are elsewhere") {
    const auto shown = [](const char* counter, double value) {
        return counterText(QLatin1String(counter), value).replace(QChar(QChar::Nbsp), u' ');
    };
    CHECK(shown("smsp__sass_sectors_mem_global.sum", 7047) == "7,047");
    CHECK(shown("smsp__sass_sectors_mem_global.sum", 433'376) == "433,376");
    CHECK(shown("smsp__sass_sectors_mem_global.sum", 999'999.6) == "1 M");
    CHECK(shown("smsp__sass_sectors_mem_global.sum", 4'194'304) == "4.19 M");
    CHECK(shown("smsp__sass_sectors_mem_global.sum", 0.5) == "0.5");
    CHECK(shown("dram__bytes_read.sum", 2e8) == "200 MB");
    CHECK(shown("dram__bytes_read.sum.per_second", 4.26e12) == "4.26 TB/s");
    CHECK(shown("gpu__time_duration.sum", 12'340) == QString::fromUtf8("12.3 µs"));
    CHECK(shown("sm__cycles_elapsed.avg.per_second", 1.755e9) == "1.76 GHz");
    CHECK(shown("smsp__issue_active.avg.pct_of_peak_sustained_active", 93.94) == "93.9 %");
    CHECK(exactCounterText(QStringLiteral("dram__bytes_read.sum"), 2e8) ==
          QString::fromUtf8("200,000,000\u00a0B"));
    CHECK(exactCounterText(QStringLiteral("something_else.sum"), 1234.5) == "1,234.50");
}

TEST_CASE("launch, resources and occupancy of a kernel") {
    coreApp();
    const auto analysis = sampleAnalysis();
    PropertyModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setKernel(analysis, kernelNamed(*analysis, "transpose"));
    const auto value = [&](const char* name) {
        const int row = rowOf(model, name);
        INFO(name);
        REQUIRE(row >= 0);
        return model.index(row, PropertyModel::Value).data().toString();
    };
    CHECK(value("Grid") == QString::fromUtf8("256 × 256"));
    CHECK(value("Block") == QString::fromUtf8("32 × 8"));
    CHECK(value("Registers per thread") == "32");
    CHECK(value("Device") == "NVIDIA H200");
    auto twoGpus = *analysis;
    Profile profile = *analysis->profile;
    profile.devices.push_back(profile.devices[0]);
    auto& launches = twoGpus.kernels[kernelNamed(*analysis, "transpose")].group.launches;
    launches = {0, 1};
    profile.launches[1].device = 1;
    twoGpus.profile = std::make_shared<const Profile>(std::move(profile));
    model.setKernel(std::make_shared<const Analysis>(std::move(twoGpus)),
                    kernelNamed(*analysis, "transpose"));
    CHECK(value("Device") == "NVIDIA H200 (GPUs 0, 1)");
    model.setKernel(analysis, kernelNamed(*analysis, "transpose"));
    const int section = rowOf(model, "Occupancy");
    REQUIRE(section >= 0);
    CHECK(model.index(section, 0).data(PropertyModel::SectionRole).toBool());
    CHECK_FALSE(model.flags(model.index(section, 0)).testFlag(Qt::ItemIsSelectable));

    model.setKernel(analysis, kernelNamed(*analysis, "unmeasured"));
    CHECK(value("Achieved occupancy") == QString::fromUtf8("–"));
    const int row = rowOf(model, "Achieved occupancy");
    CHECK(model.index(row, PropertyModel::How).data().toString().contains("missing"));
}

TEST_CASE("operations of tensor cores by type, those on integers in their own unit") {
    coreApp();
    SyntheticProfile p;
    p.launch(p.kernel("product"), {132, 1, 1}, {128, 1, 1})
        .counterDurationUs(100)
        .set("sm__ops_path_tensor_src_bf16_dst_fp32.sum", 4e10)
        .set("sm__ops_path_tensor_src_tf32_dst_fp32.sum", 0)
        .set("sm__ops_path_tensor_src_int8.sum", 6e10);
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    PropertyModel model;
    model.setKernel(analysis, 0);
    const auto value = [&](const char* name) {
        const int row = rowOf(model, name);
        return row < 0 ? QString() : model.index(row, PropertyModel::Value).data().toString();
    };
    CHECK(value("BF16 tensor operations") == QString::fromUtf8("40.0\u00a0GFLOP"));
    CHECK(value("BF16 tensor rate") == QString::fromUtf8("400\u00a0TFLOP/s"));
    CHECK(value("INT8 tensor operations") == QString::fromUtf8("60.0\u00a0GOP"));
    CHECK(value("INT8 tensor rate") == QString::fromUtf8("600\u00a0TOP/s"));
    CHECK(value("BF16 tensor rate, of the roof") == QString::fromUtf8("42.2\u00a0%"));
    CHECK(rowOf(model, "TF32 tensor operations") < 0);  // measured 0
    CHECK(rowOf(model, "FP16 tensor operations") < 0);  // not measured
}

TEST_CASE("FP16 operations are shown as a bound, and only where they can matter") {
    coreApp();
    const auto shown = [](double half, double single) {
        SyntheticProfile p;
        p.launch(p.kernel("k"), {132, 1, 1}, {128, 1, 1})
            .counterDurationUs(100)
            .set(counter::kFp16Add, 0)
            .set(counter::kFp16Mul, 0)
            .set(counter::kFp16Fma, half)
            .set(counter::kFp32Add, 0)
            .set(counter::kFp32Mul, 0)
            .set(counter::kFp32Fma, single);
        PropertyModel model;
        model.setKernel(
            std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build()))),
            0);
        QStringList values;
        for (const char* name :
             {"FP32 operations", "FP16 operations, at most", "FP16 rate, at most"}) {
            INFO(name);
            const int row = rowOf(model, name);
            REQUIRE(row >= 0);
            values << model.index(row, PropertyModel::Value).data().toString();
        }
        return values.join(", ").replace(QChar(QChar::Nbsp), QChar(' ')).toStdString();
    };
    CHECK(shown(2.5e9, 0) == "0, 10 G, 100 TFLOP/s");
    // Conversions and constants, as in JSON, CSV and comparisons.
    CHECK(shown(2.5e8, 1e9) == "2 G, –, –");
}

TEST_CASE("issues come worst first, with the advice") {
    coreApp();
    IssueModel model;
    QAbstractItemModelTester tester(&model, kFatal);
    model.setAnalysis(sampleAnalysis());
    REQUIRE(model.rowCount() >= 2);
    CHECK(model.index(0, IssueModel::Severity).data().toString() == "Data loss");
    CHECK(model.index(0, IssueModel::Advice).data().toString() == "Record again");
    CHECK(model.index(1, IssueModel::Message).data().toString() == "The clocks were not fixed");
    model.setAnalysis(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("names from the program are no markup in tooltips") {
    coreApp();
    SyntheticProfile p;
    const std::string hostile = "<img src='/dev/stdin'>";
    p.launch(p.kernel(hostile), {1, 1, 1}, {32, 1, 1})
        .counterDurationUs(10)
        .set(hostile, 1)
        .range(hostile);
    p.issue(Severity::Info, "code", hostile);
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    KernelTableModel kernels;
    kernels.setAnalysis(analysis);
    CounterTableModel counters;
    counters.setKernel(analysis, 0);
    PropertyModel properties;
    properties.setKernel(analysis, 0);
    IssueModel issues;
    issues.setAnalysis(analysis);
    for (const QAbstractItemModel* model : std::initializer_list<const QAbstractItemModel*>{
             &kernels, &counters, &properties, &issues}) {
        bool quoted = false;
        for (int row = 0; row < model->rowCount(); ++row)
            for (int column = 0; column < model->columnCount(); ++column) {
                const QString tip = model->index(row, column).data(Qt::ToolTipRole).toString();
                INFO(column << ": " << tip.toStdString());
                CHECK_FALSE(tip.contains("<img"));
                quoted = quoted || tip.contains("&lt;img");
            }
        CHECK(quoted);
    }
}
