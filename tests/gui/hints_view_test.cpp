// SPDX-License-Identifier: Apache-2.0
#include "gui/views/kernels/hints_view.h"

#include <QApplication>
#include <QClipboard>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <algorithm>

#include "analyzer/source/stalls.h"
#include "gui/models/text/number_text.h"
#include "gui/views/kernels/answer_view.h"
#include "gui/views/widgets/markdown_style.h"
#include "profile/chips/chip.h"
#include "reports/report.h"
#include "tests/analyzer/kernels.h"
#include "tests/gui/sample.h"
#include "tests/gui/widget_test.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using namespace roofscope::gui;
using namespace roofscope::test;

namespace {

QPushButton* buttonWith(const QWidget& parent, const QString& text) {
    for (QPushButton* button : parent.findChildren<QPushButton*>())
        if (button->text().contains(text)) return button;
    return nullptr;
}

}  // namespace

TEST_CASE("Copy for assistant puts the kernel's report on the clipboard, unchanged") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    const std::size_t kernel = kernelNamed(*analysis, "transpose");
    HintsView view;
    view.setKernel(analysis, kernel, "run.roofscope.json");
    ReportOptions options;
    options.profilePath = "run.roofscope.json";
    const std::string report = renderKernelHints(*analysis, kernel, options);
    REQUIRE_FALSE(report.empty());
    QPushButton* copy = buttonWith(view, "Copy for assistant");
    REQUIRE(copy);
    CHECK(copy->text().contains(QString::number(estimateTokens(report))));
    QApplication::clipboard()->clear();
    QTest::mouseClick(copy, Qt::LeftButton);
    CHECK(QApplication::clipboard()->text().toStdString() == report);

    const TemporaryFolder folder;
    const auto file = folder.file("hints.md");
    REQUIRE(view.saveTo(QString::fromStdString(file.string())).ok());
    CHECK(readText(file) == report);
    // The report cannot overwrite its own profile, whatever the answer to "replace it?".
    const auto profile = folder.file("run.roofscope.json");
    std::ofstream(profile) << "{}";
    HintsView own;
    own.setKernel(analysis, kernel, QString::fromStdString(profile.string()));
    CHECK_FALSE(own.saveTo(QString::fromStdString(profile.string())).ok());
    CHECK(readText(profile) == "{}");
    const auto failed = view.saveTo("/nonexistent/folder/hints.md");
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == ErrorCode::CannotCreate);
}

TEST_CASE("Copy JSON holds this kernel and no other") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    HintsView view;
    QSignalSpy failed(&view, &HintsView::failed);
    view.setKernel(analysis, kernelNamed(*analysis, "gelu_vec4"), "run.roofscope.json");
    view.copyJson();
    CHECK(failed.count() == 0);
    const QByteArray json = QApplication::clipboard()->text().toUtf8();
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    CHECK(error.error == QJsonParseError::NoError);
    // The program part names all kernels.
    const QJsonArray kernels = document.object()["kernels"].toArray();
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].toObject()["name"].toString().contains("gelu_vec4"));
}

TEST_CASE("without a kernel there is nothing to copy") {
    widgetApp();
    HintsView view;
    view.setKernel(nullptr, std::nullopt, {});
    CHECK_FALSE(view.hasReport());
    CHECK_FALSE(buttonWith(view, "Copy for assistant")->isEnabled());
    QApplication::clipboard()->setText("before");
    view.copyForAssistant();
    view.copyJson();
    CHECK(QApplication::clipboard()->text() == "before");
}

TEST_CASE("markup in names stays text, and tables and headings are rendered") {
    widgetApp();
    QTextDocument document;
    setMarkdown(
        document,
        "# Title\n\nA <b>bold</b> <img src=\"x\"> name\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        plot::Theme::Light);
    const QString text = document.toPlainText();
    CHECK(text.contains("<b>bold</b>"));
    CHECK(text.contains("<img src=\"x\">"));
    CHECK(text.startsWith("Title"));
    CHECK_FALSE(text.contains("|---|"));
}

TEST_CASE("several selected kernels have a report together, the current one stays first choice") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    const std::size_t vec4 = kernelNamed(*analysis, "gelu_vec4");
    const std::size_t transpose = kernelNamed(*analysis, "transpose");
    KernelSelection both{.current = vec4, .all = {vec4, transpose}};
    std::sort(both.all.begin(), both.all.end());
    HintsView view;
    view.setSelection(analysis, both, "run.roofscope.json");
    CHECK(view.markdown().contains("gelu_vec4"));
    CHECK_FALSE(view.markdown().contains("transpose"));
    view.showSelected(true);
    CHECK(view.markdown().contains("gelu_vec4"));
    CHECK(view.markdown().contains("transpose"));
    CHECK_FALSE(view.markdown().contains("gelu_scalar"));
    view.copyForAssistant();
    CHECK(QApplication::clipboard()->text() == view.markdown());
    view.copyJson();
    const QJsonArray kernels = QJsonDocument::fromJson(QApplication::clipboard()->text().toUtf8())
                                   .object()["kernels"]
                                   .toArray();
    REQUIRE(kernels.size() == 2);
    for (const QJsonValue& kernel : kernels)
        CHECK_FALSE(kernel.toObject()["name"].toString().contains("gelu_scalar"));

    // A single kernel has no such tab.
    view.setKernel(analysis, transpose, "run.roofscope.json");
    CHECK_FALSE(view.markdown().contains("gelu_vec4"));
    view.showSelected(true);
    CHECK_FALSE(view.markdown().contains("gelu_vec4"));
}

TEST_CASE("a budget trims what is shown and copied") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    const std::size_t kernel = kernelNamed(*analysis, "transpose");
    HintsView view;
    view.setKernel(analysis, kernel, "run.roofscope.json");
    const QString whole = view.markdown();
    REQUIRE(estimateTokens(whole.toStdString()) > 500);
    view.setBudget(500);
    CHECK(view.budget() == 500);
    CHECK(estimateTokens(view.markdown().toStdString()) <= 500);
    // The chosen budget is kept for the next kernel.
    view.setKernel(analysis, kernelNamed(*analysis, "gelu_scalar"), "run.roofscope.json");
    CHECK(estimateTokens(view.markdown().toStdString()) <= 500);
    view.setBudget(123);  // not offered
    CHECK(view.budget() == 500);
    view.setBudget(0);
    view.setKernel(analysis, kernel, "run.roofscope.json");
    CHECK(view.markdown() == whole);
}

TEST_CASE("what warps wait for is drawn as bars, open where it limits the kernel") {
    widgetApp();
    SyntheticProfile p(testDevice());
    idle(p, "k", {2112, 1, 1}, {256, 1, 1}, 100)
        .setAll(chipTable("GH100").value().groups.at("stalls").counters, 0)
        .set(stallCounter("long_scoreboard"), 12)
        .set(stallCounter("barrier"), 3)
        .set(stallCounter("selected"), 5);
    const auto analysis =
        std::make_shared<const Analysis>(analyze(std::make_shared<const Profile>(p.build())));
    HintsView view;
    view.setKernel(analysis, 0, "run.roofscope.json");
    const KernelAnswerText& answer = *view.answerView().answer();
    REQUIRE(answer.stalls.size() == 2);
    CHECK(answer.stalls[0].name == "data from global or local memory");
    CHECK(answer.stalls[0].value == gui::text(Ratio{0.6}));
    CHECK(answer.stalls[0].limits);
    CHECK_FALSE(answer.stalls[1].limits);
    const auto open = [&] {
        for (const Fold* fold : view.findChildren<Fold*>())
            if (fold->button()->text() == "What warps wait for") return fold->isOpen();
        return false;
    };
    CHECK(open());
    // Without stall counters there is nothing to draw.
    view.setKernel(sampleAnalysis(), 0, "run.roofscope.json");
    CHECK(view.answerView().answer()->stalls.empty());
}

TEST_CASE("in a narrow pane a card shows the gain below its title") {
    widgetApp();
    const auto analysis = sampleAnalysis();
    HintsView view;
    view.setKernel(analysis, kernelNamed(*analysis, "transpose"), "run.roofscope.json");
    view.resize(300, 800);
    view.show();
    QApplication::processEvents();
    const KernelAnswerText::Fix& fix = view.answerView().answer()->fixes.front();
    const auto labelWith = [&](const QString& text) -> const QLabel* {
        for (const QLabel* label : view.findChildren<QLabel*>())
            if (label->text().endsWith(text)) return label;
        return nullptr;
    };
    const QLabel *title = labelWith(fix.title), *gain = labelWith(fix.gain);
    REQUIRE(title);
    REQUIRE(gain);
    CHECK(title->width() > 200);
    CHECK(gain->width() > 200);
    CHECK(gain->y() > title->geometry().bottom());
}

TEST_CASE("the answer says for which instruction warps wait, where they were sampled") {
    const Analysis& analysis = test::recorded("h200_triton_source");
    const auto kernel = std::ranges::find_if(analysis.kernels, [](const KernelAnalysis& k) {
        return k.fullName.find("add_kernel") != std::string::npos;
    });
    REQUIRE(kernel != analysis.kernels.end());
    const gui::KernelAnswerText answer = gui::kernelAnswerText(
        analysis, static_cast<std::size_t>(kernel - analysis.kernels.begin()));
    CHECK(
        answer.wait.startsWith("data from global or local memory: 86 % of that at FADD at line "
                               "22, for the result of LDG at line 22, 4 loads in flight"));
}
