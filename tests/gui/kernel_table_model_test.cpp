// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernels/kernel_table_model.h"

#include <QAbstractItemModelTester>
#include <set>

#include "gui/models/files/baseline_comparer.h"
#include "gui/models/kernels/kernel_facts.h"
#include "gui/models/kernels/kernel_filter_model.h"
#include "gui/models/kernels/shown_quantity.h"
#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_language.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QString cell(const QAbstractItemModel& model, int row, KernelColumn column) {
    return model.index(row, int(column)).data().toString();
}

/// The sample's kernels, filtered and sorted.
struct FilteredKernels {
    QCoreApplication& app = coreApp();
    std::shared_ptr<const Analysis> analysis = sampleAnalysis();
    KernelTableModel model;
    KernelFilterModel filter;
    QAbstractItemModelTester tester{&filter, QAbstractItemModelTester::FailureReportingMode::Fatal};

    FilteredKernels() {
        model.setAnalysis(analysis);
        filter.setSourceModel(&model);
    }
};

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
    // 32 load wavefronts and 1 store wavefront, where 2 would suffice.
    const QVariant conflict =
        model.index(transpose, int(KernelColumn::Conflict)).data(KernelTableModel::SortRole);
    CHECK(conflict.toDouble() == Approx(31.0 / 33).margin(0.001));
    model.setAnalysis(nullptr);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("any counter can be a column, sorted by its median, missing ones last") {
    coreApp();
    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    model.setCounters({"dram__bytes_read.sum", "no__such.counter"});
    REQUIRE(model.columnCount() == kKernelColumns + 2);
    CHECK(model.headerData(kKernelColumns, Qt::Horizontal) == "dram__bytes_read.sum");
    const int repeated = int(kernelNamed(*analysis, "repeated"));
    const QModelIndex reads = model.index(repeated, kKernelColumns);
    CHECK(reads.data().toString() == text(Bytes{2e8}));
    CHECK(reads.data(KernelTableModel::SortRole).toDouble() == Approx(2e8));
    CHECK(reads.data(Qt::ToolTipRole)
              .toString()
              .contains(QString::fromUtf8("200,000,000\u00a0B, median of 3 of 3")));
    const QModelIndex none = model.index(repeated, kKernelColumns + 1);
    CHECK(none.data() == QString::fromUtf8("–"));
    CHECK_FALSE(none.data(KernelTableModel::SortRole).isValid());
    CHECK(reads.data(KernelTableModel::KernelIndexRole).value<std::size_t>() ==
          std::size_t(repeated));
    model.setGrouping(KernelGrouping::Name);
    // A group of one row is that row.
    CHECK(model.index(0, kKernelColumns).data().isValid());
    model.setCounters({});
    CHECK(model.columnCount() == kKernelColumns);
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

TEST_CASE("columns of quantities say what the catalogue says, in the language of the window") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    const int row = int(kernelNamed(*analysis, "transpose"));
    const auto tip = [&](KernelColumn column) {
        return model.index(row, int(column)).data(Qt::ToolTipRole).toString().toStdString();
    };
    for (const Language language : languages()) {
        setShownLanguage(language);
        const auto says = [&](KernelColumn column, std::string_view key) {
            // The tip starts with a capital letter.
            return tip(column).find(findQuantity(key)->label.in(language).substr(1)) !=
                   std::string::npos;
        };
        CHECK(says(KernelColumn::Occupancy, "occupancy_achieved_ratio"));
        CHECK(says(KernelColumn::Occupancy, "occupancy_theoretical_ratio"));
        CHECK(says(KernelColumn::Coalescing, "global_load_efficiency_ratio"));
        CHECK(says(KernelColumn::Coalescing, "global_store_efficiency_ratio"));
        CHECK(says(KernelColumn::Conflict, "shared_excess_possible_ratio"));
    }
    setShownLanguage(Language::En);
    const Quantities& q = analysis->kernels[std::size_t(row)].quantities;
    CHECK(coalescing().value(q) == std::min(q.loads.efficiency->value, q.stores.efficiency->value));
    CHECK(dramBandwidth().shareOf(q) == q.utilisation[Level::Dram]->value);
}

TEST_CASE("sorting puts missing values last in both directions") {
    FilteredKernels f;
    KernelFilterModel& sorted = f.filter;
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

TEST_CASE("a kernel's row has its median, shape and registers, which the filter knows, too") {
    coreApp();
    SyntheticProfile p;
    const auto small = p.kernel("small(float*)"), big = p.kernel("big(float*)");
    p.profile().kernels[big].registersPerThread = 168;
    p.profile().kernels[small].registersPerThread.reset();
    for (const double us : {10.0, 30.0, 20.0})
        p.launch(big, {64, 2, 1}, {256, 1, 1}).durationUs(us);
    p.launch(small, {8, 1, 1}, {1024, 1, 1});
    const auto analysis = std::make_shared<const Analysis>(analysisOf(p));
    KernelTableModel model;
    model.setAnalysis(analysis);
    const int at = int(kernelNamed(*analysis, "big")), other = int(kernelNamed(*analysis, "small"));
    CHECK(cell(model, at, KernelColumn::Median) == gui::text(Seconds{20e-6}));
    CHECK(cell(model, at, KernelColumn::Shape) == "64 × 2 · 256");
    CHECK(cell(model, at, KernelColumn::Registers) == "168");
    CHECK(cell(model, other, KernelColumn::Median) == missingText());
    CHECK(cell(model, other, KernelColumn::Registers) == missingText());
    const auto threads = [&](int row) {
        return model.index(row, int(KernelColumn::Shape)).data(KernelTableModel::SortRole);
    };
    CHECK(threads(at).toDouble() == 64 * 2 * 256);
    CHECK(threads(other).toDouble() == 8 * 1024);
    KernelFilterModel filter;
    filter.setSourceModel(&model);
    for (const char* line : {"registers > 100", "median > 15us", "median < 25us"}) {
        CAPTURE(line);
        filter.setFilterText(line);
        CHECK(filter.errorText().isEmpty());
        CHECK(filter.visibleKernels() == std::vector<std::size_t>{std::size_t(at)});
    }
}

TEST_CASE("a group has the verdict of its heaviest kernel, and says how many rows it has") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    model.setGrouping(KernelGrouping::Range);
    bool several = false;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex group = model.index(row, 0);
        Seconds most;
        QString verdict;
        for (int child = 0; child < model.rowCount(group); ++child) {
            const QModelIndex of = model.index(child, 0, group);
            const Seconds total = analysis->kernels[*model.kernelOf(of)].quantities.duration.total;
            if (child > 0 && total <= most) continue;
            most = total;
            verdict = of.siblingAtColumn(int(KernelColumn::Verdict)).data().toString();
        }
        CHECK(group.siblingAtColumn(int(KernelColumn::Verdict)).data().toString() == verdict);
        const int rows = model.rowCount(group);
        several = several || rows > 1;
        CHECK(group.siblingAtColumn(int(KernelColumn::Shape)).data().toString() ==
              (rows > 1 ? QStringLiteral("%1 rows").arg(rows) : QString()));
    }
    CHECK(several);
}

TEST_CASE("a group by name has no shape in its name, unless it has only one") {
    coreApp();
    SyntheticProfile p;
    const auto k = p.kernel("k(float*)");
    for (const std::uint32_t grid : {8U, 64U, 512U})
        p.launch(k, {grid, 1, 1}, {256, 1, 1}).durationUs(10);
    const auto analysis = std::make_shared<const Analysis>(analysisOf(p));
    REQUIRE(analysis->kernels.size() == 3);
    REQUIRE(analysis->kernels[0].name.ends_with("]"));
    KernelTableModel model;
    model.setAnalysis(analysis);
    model.setGrouping(KernelGrouping::Name);
    REQUIRE(model.rowCount() == 1);
    CHECK(model.index(0, 0).data().toString() == "k  (3)");
    // Its kernels differ by their shapes, and copies of their rows have the names.
    QStringList shapes;
    for (int row = 0; row < 3; ++row) {
        const QModelIndex kernel = model.index(row, 0, model.index(0, 0));
        shapes << kernel.data().toString();
        const auto of = kernel.data(KernelTableModel::KernelIndexRole).value<std::size_t>();
        CHECK(kernel.data(Qt::EditRole).toString().toStdString() == analysis->kernels[of].name);
    }
    shapes.sort();
    CHECK(shapes == QStringList{"512 · 256", "64 · 256", "8 · 256"});
    model.setGrouping(KernelGrouping::None);
    CHECK(model.index(0, 0).data().toString().startsWith("k"));
}

TEST_CASE("a group of one kernel shows the kernel's own data") {
    coreApp();
    SyntheticProfile p;
    p.launch(p.kernel("one(float*)", 40), {8, 1, 1}, {256, 1, 1}).durationUs(10);
    const auto two = p.kernel("two(float*)", 40);
    for (const std::uint32_t grid : {16U, 64U})
        p.launch(two, {grid, 1, 1}, {256, 1, 1}).durationUs(20);
    const auto analysis = std::make_shared<const Analysis>(analysisOf(p));
    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setAnalysis(analysis);
    model.setGrouping(KernelGrouping::Name);
    REQUIRE(model.rowCount() == 2);
    const std::size_t one = kernelNamed(*analysis, "one");
    const int row = model.indexOf(one).row();
    CHECK(model.kernelOf(model.index(row, 0)) == one);
    CHECK(model.rowCount(model.index(row, 0)) == 0);
    CHECK(cell(model, row, KernelColumn::Name) == "one");
    CHECK(cell(model, row, KernelColumn::Shape) == "8 · 256");
    CHECK(cell(model, row, KernelColumn::Registers) == "40");
    CHECK(cell(model, row, KernelColumn::Median) == text(Seconds{10e-6}));
}

TEST_CASE("rows, groups and copies have whole names, which differ") {
    coreApp();
    SyntheticProfile p;
    const std::string start =
        "sm90_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize";
    const std::string end = "_warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn";
    const std::vector<std::string> tiles{"128x128x32", "128x64x32", "64x128x32", "64x64x32",
                                         "256x128x32"};
    for (const std::string& tile : tiles) {
        const auto kernel = p.kernel(start + tile + end);
        for (const std::uint32_t grid : {30U, 60U})
            p.launch(kernel, {grid, 4, 1}, {384, 1, 1}).durationUs(10);
    }
    const auto analysis = std::make_shared<const Analysis>(analysisOf(p));
    KernelTableModel model;
    model.setAnalysis(analysis);
    const QStringList all = model.names();
    CHECK(std::set(all.begin(), all.end()).size() == 10);
    model.setGrouping(KernelGrouping::Name);
    REQUIRE(model.rowCount() == 5);
    QStringList names = model.names(), wanted;
    for (const std::string& tile : tiles) wanted << QString::fromStdString(start + tile + end);
    names.sort();
    wanted.sort();
    CHECK(names == wanted);
    for (int row = 0; row < 5; ++row) {
        const QModelIndex group = model.index(row, 0);
        const QString name = group.data(KernelTableModel::NameRole).toString();
        CHECK(wanted.contains(name));
        CHECK(group.data().toString() == name + "  (2)");  // as it is copied
        CHECK(group.data(Qt::ToolTipRole).toString().contains(name));
    }
}

TEST_CASE("functions of two namespaces with one name are told by their full names") {
    coreApp();
    SyntheticProfile p;
    for (const char* name : {"void a::k(int*)", "void b::k(int*)"}) {
        const auto kernel = p.kernel(name);
        for (const std::uint32_t grid : {8U, 16U})
            p.launch(kernel, {grid, 1, 1}, {64, 1, 1}).durationUs(10);
    }
    KernelTableModel model;
    model.setAnalysis(std::make_shared<const Analysis>(analysisOf(p)));
    model.setGrouping(KernelGrouping::Name);
    QStringList names = model.names();
    names.sort();
    CHECK(names == QStringList{"void a::k(int*)", "void b::k(int*)"});
}

TEST_CASE("the first click sorts numbers by the largest, texts by the alphabet") {
    coreApp();
    const KernelTableModel model;
    const auto first = [&](KernelColumn column) {
        return model.headerData(int(column), Qt::Horizontal, Qt::InitialSortOrderRole).toInt();
    };
    CHECK(first(KernelColumn::Median) == Qt::DescendingOrder);
    CHECK(first(KernelColumn::Name) == Qt::AscendingOrder);
}

TEST_CASE("only chosen kernels are shown, of those that match the line") {
    FilteredKernels f;
    KernelFilterModel& filter = f.filter;
    const std::size_t copy = kernelNamed(*f.analysis, "copy"),
                      transpose = kernelNamed(*f.analysis, "transpose");
    filter.setOnly(std::vector{std::min(copy, transpose), std::max(copy, transpose)});
    CHECK(filter.filtering());
    CHECK(filter.rowCount() == 2);
    filter.setFilterText("transpose");
    CHECK(filter.visibleKernels() == std::vector{transpose});
    filter.setOnly(std::vector<std::size_t>{});
    CHECK(filter.rowCount() == 0);
    filter.setOnly(std::nullopt);
    CHECK(filter.rowCount() == 1);
    filter.setFilterText("");
    CHECK_FALSE(filter.filtering());
    CHECK(filter.rowCount() == f.model.rowCount());
}

TEST_CASE("a filter narrows the rows, and a wrong one keeps the last right one") {
    FilteredKernels f;
    KernelFilterModel& filter = f.filter;
    filter.setFilterText("gelu");
    CHECK(filter.rowCount() == 2);
    CHECK(filter.filtering());
    filter.setFilterText("bw > ");
    CHECK_FALSE(filter.errorText().isEmpty());
    CHECK(filter.rowCount() == 2);
    filter.setFilterText("conflict > 10%");
    CHECK(filter.errorText().isEmpty());
    REQUIRE(filter.visibleKernels().size() == 1);
    CHECK(filter.visibleKernels().front() == kernelNamed(*f.analysis, "transpose"));
    CHECK(filter.indexOfKernel(kernelNamed(*f.analysis, "transpose")).row() == 0);
    CHECK_FALSE(filter.indexOfKernel(kernelNamed(*f.analysis, "copy")).isValid());
    filter.setFilterText("");
    CHECK(filter.rowCount() == f.model.rowCount());
    CHECK_FALSE(filter.filtering());
}

TEST_CASE("groups hold every kernel once, and their sums are those of their kernels") {
    coreApp();
    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    for (const KernelGrouping grouping :
         {KernelGrouping::Name, KernelGrouping::Range, KernelGrouping::Stream}) {
        model.setGrouping(grouping);
        INFO(int(grouping));
        std::vector<bool> seen(analysis->kernels.size());
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex group = model.index(row, 0);
            // A group by name of one kernel is this kernel's row.
            const bool single = model.kernelOf(group).has_value();
            CHECK(single == (model.rowCount(group) == 0));
            if (single) CHECK(grouping == KernelGrouping::Name);
            double time = 0, launches = 0;
            bool known = true;
            for (int child = 0; child < (single ? 1 : model.rowCount(group)); ++child) {
                const QModelIndex index = single ? group : model.index(child, 0, group);
                const auto kernel = model.kernelOf(index);
                REQUIRE(kernel);
                CHECK_FALSE(seen[*kernel]);
                seen[*kernel] = true;
                CHECK(model.indexOf(*kernel) == index);
                CHECK((single || index.parent() == group));
                const auto total = totalTime(analysis->kernels[*kernel]);
                known = known && total;
                if (total) time += total->value;
                launches += double(analysis->kernels[*kernel].group.launches.size());
            }
            const auto sum = [&](KernelColumn column) {
                return group.siblingAtColumn(int(column)).data(KernelTableModel::SortRole);
            };
            CHECK(sum(KernelColumn::Launches).toDouble() == launches);
            // A sum with a missing part is missing.
            CHECK(sum(KernelColumn::TotalTime).isValid() == known);
            if (known) CHECK(sum(KernelColumn::TotalTime).toDouble() == Approx(time));
        }
        CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
    }
    model.setGrouping(KernelGrouping::None);
    CHECK(model.rowCount() == int(analysis->kernels.size()));
}

TEST_CASE("kernels without an NVTX range are a group of their own") {
    coreApp();
    KernelTableModel model;
    const auto analysis = sampleAnalysis();
    model.setAnalysis(analysis);
    model.setGrouping(KernelGrouping::Range);
    REQUIRE(model.rowCount() == 2);
    QStringList labels;
    for (int row = 0; row < 2; ++row) labels << model.index(row, 0).data().toString();
    labels.sort();
    CHECK(labels[0].startsWith("(no NVTX range)"));
    CHECK(labels[1].startsWith("epoch 1 > step"));
}

TEST_CASE("a filter keeps the groups of what it keeps") {
    FilteredKernels f;
    KernelFilterModel& filter = f.filter;
    f.model.setGrouping(KernelGrouping::Name);
    CHECK(filter.visibleKernels().size() == f.analysis->kernels.size());
    filter.setFilterText("gelu_vec4");
    REQUIRE(filter.rowCount() == 1);
    CHECK(filter.visibleKernels() == std::vector{kernelNamed(*f.analysis, "gelu_vec4")});
    CHECK(filter.kernelsOf(filter.index(0, 0)) == filter.visibleKernels());
    CHECK(filter.indexOfKernel(kernelNamed(*f.analysis, "gelu_vec4")).isValid());
    filter.setFilterText("no such kernel");
    CHECK(filter.rowCount() == 0);
}

TEST_CASE("the table says what changed since the baseline, and greys what may be noise") {
    coreApp();
    const auto before = sampleAnalysis();
    Profile changed = sampleProfile();
    // One kernel takes half the time in every launch; one of the baseline's kernels is gone.
    const auto slow = kernelNamed(*before, "repeated");
    const std::string duration = "gpu__time_duration.sum";
    for (const std::uint32_t launch : before->kernels[slow].group.launches) {
        const auto value = changed.counters.value(duration, launch);
        REQUIRE(value);
        changed.counters.set(duration, launch, *value / 2);
    }
    const auto after = std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(changed))));
    const auto baseline = std::make_shared<const ReportBaseline>(
        ReportBaseline{before, compareProfiles(*before, *after, matchKernels(*before, *after))});

    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setAnalysis(after);
    CHECK_FALSE(model.index(0, int(KernelColumn::Change)).data().isValid());
    model.setBaseline(baseline);
    using Tone = KernelTableModel::Tone;
    for (std::size_t i = 0; i < after->kernels.size(); ++i) {
        const QModelIndex cell = model.index(int(i), int(KernelColumn::Change));
        const KernelComparison* change = comparisonOf(baseline->comparison, i);
        REQUIRE(change);
        INFO(after->kernels[i].name << ": " << cell.data().toString().toStdString());
        const auto tone = static_cast<Tone>(cell.data(KernelTableModel::ToneRole).toInt());
        CHECK((tone == Tone::Better) == (change->duration.state == DurationChange::State::Faster));
        CHECK((tone == Tone::Muted) == !change->duration.changed());
    }
    const QModelIndex faster =
        model.index(int(kernelNamed(*after, "repeated")), int(KernelColumn::Change));
    CHECK(faster.data().toString() == QString::fromUtf8("2.00× faster"));
    CHECK(faster.data(KernelTableModel::SortRole).toDouble() == Approx(2));
    const QModelIndex unmeasured =
        model.index(int(kernelNamed(*after, "unmeasured")), int(KernelColumn::Change));
    CHECK(unmeasured.data().toString() == "not measured");
    CHECK_FALSE(unmeasured.data(KernelTableModel::SortRole).isValid());
}
