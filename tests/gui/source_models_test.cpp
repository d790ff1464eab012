// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <QElapsedTimer>

#include "gui/models/recording/record_again_command.h"
#include "gui/models/source/instruction_model.h"
#include "gui/models/source/source_line_model.h"
#include "profile/codec/codec.h"
#include "tests/gui/core_app.h"
#include "tests/gui/sample.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

constexpr auto kStopAtOnce = QAbstractItemModelTester::FailureReportingMode::Fatal;
const QString kNoLine = QString::fromUtf8("–");

std::shared_ptr<const Analysis> analysedSource(Profile profile) {
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(profile))));
}

std::shared_ptr<const Analysis> recorded() {
    return analysedSource(test::sample("h200_triton_source"));
}

QString cell(const SourceTableModel& model, int row, int column) {
    // Non-breaking spaces join numbers and units.
    return model.index(row, column).data().toString().replace(QChar(QChar::Nbsp), QChar(' '));
}
QString cell(const SourceTableModel& model, int row, SourceNumber number) {
    return cell(model, row, SourceTableModel::columnOf(number));
}
int rowOfPlace(const SourceTableModel& model, const char* place) {
    for (int row = 0; row < model.rowCount(); ++row)
        if (cell(model, row, SourceTableModel::kPlace).endsWith(QLatin1String(place))) return row;
    FAIL("no row " << place);
    return -1;
}

/// Line 3 has two loads with samples, line 9 (after a gap) one; the last instruction has no line.
SyntheticProfile sampled() {
    constexpr const char* kLong = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";
    constexpr const char* kBarrier = "smsp__pcsamp_warps_issue_stalled_barrier";
    constexpr const char* kSelected = "smsp__pcsamp_warps_issue_stalled_selected";
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("LDG.E R2, [R4]", "/src/gather.cu", 3)
        .executed(100)
        .sectors(900, 100)
        .set(kLong, 30)
        .set(std::string(kLong) + "_not_issued", 25)
        .set(kBarrier, 5)
        .set(kSelected, 40)
        .instruction("LDG.E R3, [R5]", "/src/gather.cu", 3)
        .executed(100)
        .sectors(100, 400)  // a broadcast; does not offset the excess of others
        .set(kLong, 10)
        .instruction("BAR.SYNC", "/src/gather.cu", 9)
        .executed(100)
        .set(kBarrier, 15)
        .instruction("EXIT")
        .executed(100)
        .text("/src/gather.cu", 2, {"{", "\tx = a[i] + b[i];", "}"});
    return p;
}

}  // namespace

TEST_CASE("source lines of a recorded kernel") {
    coreApp();
    const auto analysis = recorded();
    const auto sheet = SourceSheet::make(analysis, kernelNamed(*analysis, "add_kernel"));
    REQUIRE(sheet);
    SourceLineModel model;
    QAbstractItemModelTester tester(&model, kStopAtOnce);
    model.setHeat(SourceNumber::Sectors);
    model.setFile(sheet, 0);
    // The text of lines 9 to 32 is in the recording.
    CHECK(model.rowCount() == 24);
    const int add = rowOfPlace(model, "22");
    // 16,384 warps. The line has 31 instructions, six of which move 512 bytes per warp.
    CHECK(cell(model, add, SourceNumber::Executed) == "507,904");
    CHECK(cell(model, add, SourceNumber::Sectors) == "1.57 M");  // 6 × 16 × 16,384
    CHECK(cell(model, add, SourceNumber::IdealSectors) == "1.57 M");
    CHECK(cell(model, add, SourceNumber::ExcessSectors) == "0");
    CHECK(cell(model, add, SourceNumber::Wavefronts) == kNoLine);
    CHECK(cell(model, add, SourceNumber::Samples) == "21,851");  // most are waits for the loads
    CHECK(cell(model, add, SourceTableModel::kCode).startsWith("    tl.store(out + offsets"));
    CHECK(cell(model, add, SourceTableModel::kPlace).startsWith(QString::fromUtf8("▸")));
    CHECK(model.index(add, SourceTableModel::columnOf(SourceNumber::Sectors))
              .data(SourceTableModel::ShareRole)
              .toDouble() == 1);
    const int offsets = rowOfPlace(model, "20");
    CHECK(cell(model, offsets, SourceNumber::Executed) == "98,304");  // 6 × 16,384
    CHECK(cell(model, offsets, SourceNumber::Sectors) == kNoLine);    // no access, so not 0
    // A line without instructions has no numbers.
    CHECK(cell(model, rowOfPlace(model, "15"), SourceNumber::Executed).isEmpty());
    CHECK(model.hasColumn(SourceTableModel::columnOf(SourceNumber::Sectors)));
    CHECK_FALSE(model.hasColumn(SourceTableModel::columnOf(SourceNumber::Wavefronts)));
    CHECK(model.hasColumn(SourceTableModel::kStall));
    CHECK(sheet->heats() ==
          std::vector{SourceNumber::Samples, SourceNumber::Sectors, SourceNumber::Executed});
    model.setFile(nullptr, std::nullopt);
    CHECK(model.rowCount() == 0);
}

TEST_CASE("instructions of a recorded kernel, all or those of one line") {
    coreApp();
    const auto analysis = recorded();
    const auto sheet = SourceSheet::make(analysis, kernelNamed(*analysis, "add_kernel"));
    REQUIRE(sheet);
    InstructionModel model;
    QAbstractItemModelTester tester(&model, kStopAtOnce);
    model.setSheet(sheet);
    CHECK(model.rowCount() == 56);
    const int load = rowOfPlace(model, "+0x180");
    CHECK(cell(model, load, SourceTableModel::kCode) == "@!P0 LDG.E.128 R16, desc[UR4][R20.64]");
    CHECK(cell(model, load, SourceNumber::Sectors) == "262,144");
    const QString tip = model.index(load, SourceTableModel::columnOf(SourceNumber::Sectors))
                            .data(Qt::ToolTipRole)
                            .toString();
    CHECK(tip.contains("262,144"));
    CHECK(tip.contains("16 per executed instruction"));
    REQUIRE(sheet->lines().size() == 4);  // 19, 20, 21, 22
    model.setSheet(sheet, 2);
    CHECK(model.rowCount() == 3);  // line 21
    CHECK(model.rowOf(3) == 0);
    CHECK(model.rowOf(4) == -1);
    CHECK(sheet->lineOf(3) == 2);
    CHECK_FALSE(sheet->lineOf(41).has_value());
}

TEST_CASE("a kernel without a line table has instructions only") {
    const auto analysis = recorded();
    const auto sheet =
        SourceSheet::make(analysis, kernelNamed(*analysis, "cunn_SoftMaxForwardReg"));
    REQUIRE(sheet);
    CHECK(sheet->lines().empty());
    CHECK(sheet->instructions().size() == 536);
    CHECK(sourceFiles(*sheet, std::nullopt).empty());
    CHECK_FALSE(SourceSheet::make(analysis, kernelNamed(*analysis, "CUDAFunctor_add")));
    CHECK_FALSE(SourceSheet::make(analysis, std::nullopt));
    CHECK_FALSE(SourceSheet::make(analysis, 9999));
    CHECK_FALSE(SourceSheet::make(nullptr, 0));
}

TEST_CASE("a line's numbers are sums, its excess that of each instruction") {
    coreApp();
    const auto analysis = analysedSource(sampled().build());
    const auto sheet = SourceSheet::make(analysis, 0);
    REQUIRE(sheet);
    SourceLineModel model;
    QAbstractItemModelTester tester(&model, kStopAtOnce);
    model.setFile(sheet, 0);
    REQUIRE(model.rowCount() == 5);  // 2, 3, 4, ⋯, 9
    CHECK(cell(model, 1, SourceNumber::Sectors) == "1,000");
    CHECK(cell(model, 1, SourceNumber::IdealSectors) == "500");
    CHECK(cell(model, 1, SourceNumber::ExcessSectors) == "800");
    CHECK(cell(model, 1, SourceTableModel::kCode) == "    x = a[i] + b[i];");
    CHECK(cell(model, 3, SourceTableModel::kPlace) == QString::fromUtf8("⋯"));
    CHECK_FALSE(model.flags(model.index(3, 0)).testFlag(Qt::ItemIsSelectable));
    CHECK(cell(model, 4, SourceTableModel::kCode).isEmpty());
    CHECK(cell(model, 4, SourceNumber::Executed) == "100");
    CHECK(model.rowOf(1) == 4);
}

TEST_CASE("samples of PC sampling are counted once, by what warps waited for") {
    coreApp();
    const auto analysis = analysedSource(sampled().build());
    const auto sheet = SourceSheet::make(analysis, 0);
    REQUIRE(sheet);
    CHECK(sheet->heats().front() == SourceNumber::Samples);
    CHECK(sheet->total().numbers[SourceNumber::Samples] == 100);  // without "_not_issued"
    SourceLineModel model;
    model.setHeat(SourceNumber::Samples);
    model.setFile(sheet, 0);
    CHECK(cell(model, 1, SourceNumber::Samples) == "85");
    // 40 of 85: the most frequent stall reason; "selected" is not a stall.
    CHECK(cell(model, 1, SourceTableModel::kStall) == "47.1 % data from global or local memory");
    CHECK(cell(model, 4, SourceTableModel::kStall) ==
          "100 % other warps of their block at a barrier");
    InstructionModel sass;
    sass.setSheet(sheet);
    CHECK(cell(sass, 3, SourceNumber::Samples) == kNoLine);  // not sampled: missing, not 0
    CHECK(sheet->hotLines(SourceNumber::Samples) == std::vector<std::size_t>{0, 1});
    CHECK(sheet->hotInstructions(SourceNumber::Samples) == std::vector<std::size_t>{0, 2, 1});
    // Shaded by its share: 85 of 100. A line without numbers is not.
    CHECK(model.index(1, 0).data(SourceTableModel::HeatRole).toDouble() == Approx(0.85));
    CHECK_FALSE(model.index(0, 0).data(SourceTableModel::HeatRole).isValid());
    const std::string tip = model.index(1, SourceTableModel::columnOf(SourceNumber::Samples))
                                .data(Qt::ToolTipRole)
                                .toString()
                                .toStdString();
    CHECK(tip.find("long_scoreboard: 40, waits for data from global or local memory") !=
          std::string::npos);
}

TEST_CASE("an ideal that one instruction lacks is missing for its line") {
    SyntheticProfile p;
    const auto launch =
        p.launch(p.kernel("gather(float*)"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("LDG.E R2, [R4]", "a.cu", 3)
        .sectors(900, 100)
        .instruction("LDG.E R3, [R5]", "a.cu", 3)
        .set("smsp__sass_sectors_mem_global", 100);
    const auto analysis = analysedSource(p.build());
    const auto sheet = SourceSheet::make(analysis, 0);
    REQUIRE(sheet);
    const SourceNumbers& line = sheet->lines().front().entry.numbers;
    CHECK(line[SourceNumber::Sectors] == 1000);
    CHECK_FALSE(line[SourceNumber::IdealSectors].has_value());
    CHECK_FALSE(line[SourceNumber::ExcessSectors].has_value());
}

TEST_CASE("code is text, whatever it contains") {
    coreApp();
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("k()"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("<b>\x1b[31mLDG</b>", "/<img src=x>/a.cu", 4294967295u)
        .executed(1)
        .text("/<img src=x>/a.cu", 1, {"// \xe2\x80\xae reversed", std::string(100000, 'x')});
    const auto analysis = analysedSource(p.build());
    const auto sheet = SourceSheet::make(analysis, 0);
    REQUIRE(sheet);
    InstructionModel sass;
    sass.setSheet(sheet);
    CHECK(cell(sass, 0, SourceTableModel::kCode) == "<b>LDG</b>");
    CHECK(sass.index(0, 0).data(Qt::ToolTipRole).toString().contains("&lt;img"));
    SourceLineModel lines;
    QAbstractItemModelTester tester(&lines, kStopAtOnce);
    lines.setFile(sheet, 0);
    REQUIRE(lines.rowCount() == 4);  // 1, 2, ⋯, the largest line number
    CHECK_FALSE(cell(lines, 0, SourceTableModel::kCode).contains(QChar(0x202e)));
    CHECK(cell(lines, 1, SourceTableModel::kCode).size() <= 400);
}

TEST_CASE("a hundred thousand instructions are read at once") {
    coreApp();
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("k()"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    auto pass = p.sourcePass(launch);
    for (std::uint32_t i = 0; i < 100000; ++i)
        pass.instruction("FADD R1, R2, R3", "a.cu", 1 + i / 7)
            .executed(i)
            .set("smsp__pcsamp_warps_issue_stalled_wait", i % 5);
    const auto analysis = analysedSource(p.build());
    QElapsedTimer timer;
    timer.start();
    const auto sheet = SourceSheet::make(analysis, 0);
    REQUIRE(sheet);
    // None of so many lines has 1 %: those with the most are the hottest.
    const auto hot = sheet->hotLines(SourceNumber::Samples);
    REQUIRE_FALSE(hot.empty());
    for (const std::size_t line : hot)
        CHECK(sheet->lines()[line].entry.numbers[SourceNumber::Samples] ==
              sheet->lines()[hot.front()].entry.numbers[SourceNumber::Samples]);
    CHECK(hot.size() < 10000);
    SourceLineModel lines;
    lines.setFile(sheet, 0);
    CHECK(lines.rowCount() == 14286);
    InstructionModel sass;
    sass.setSheet(sheet);
    CHECK(timer.elapsed() < 3000);  // takes some tens of ms; sanitizers are slow
}

TEST_CASE("files come with the hottest first") {
    SyntheticProfile p;
    const auto launch = p.launch(p.kernel("k()"), {8, 1, 1}, {64, 1, 1}).counterDurationUs(10);
    p.sourcePass(launch)
        .instruction("FADD", "/inc/cold.cuh", 1)
        .executed(10)
        .instruction("FMUL", "C:\\src\\hot.cu", 2)
        .executed(90);
    const auto analysis = analysedSource(p.build());
    const auto files = sourceFiles(*SourceSheet::make(analysis, 0), SourceNumber::Executed);
    REQUIRE(files.size() == 2);
    CHECK(files[0].name == "hot.cu");
    CHECK(files[1].name == "cold.cuh");
    CHECK(files[1].path == "/inc/cold.cuh");
}

TEST_CASE("the command that records the source of a kernel") {
    SyntheticProfile p;
    p.profile().capture.command = {"./app", "a file"};
    const auto first = p.kernel("void ns::gather<float, 4>(float*)");
    p.launch(first, {8, 1, 1}, {64, 1, 1}).counterDurationUs(20);
    p.launch(p.kernel("(anonymous namespace)::{lambda()#1}"), {8, 1, 1}, {64, 1, 1})
        .counterDurationUs(10);
    const Analysis analysis = analyze(std::make_shared<const Profile>(p.build()));
    CHECK(recordSourceCommand(analysis, 0) ==
          R"(roofscope record --source '\bgather<float, 4>\(' -- ./app 'a file')");
    CHECK(recordSourceCommand(analysis, 1) == "roofscope record --source top:3 -- ./app 'a file'");
    // A name shortened for display is passed in full.
    const auto torch = recorded();
    const std::size_t add = kernelNamed(*torch, "CUDAFunctor_add");
    CHECK(recordSourceCommand(*torch, add) ==
          QString(R"(roofscope record --source '\bvectorized_elementwise_kernel<4, )"
                  R"(at::native::CUDAFunctor_add<float>, std::array<char\*, 3ul> >\(' -- python3 )"
                  "torch_triton.py"));
}
