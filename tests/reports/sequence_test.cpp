// SPDX-License-Identifier: Apache-2.0
// What reports say about the sequence of launches, and about profiles without counters.
#include <nlohmann/json.hpp>

#include "analyzer/source/stalls.h"
#include "reports/report.h"
#include "reports/verdict/no_findings.h"
#include "reports/verdict/verdict_words.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/text.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// Launches of 4 µs with gaps of 9.00 µs, timed but without counters.
SyntheticProfile slowLoop(const char* name) {
    SyntheticProfile p;
    p.profile().capture.strategy = "timing";
    const std::uint32_t kernels[] = {p.kernel(name), p.kernel("b(float*)")};
    for (int i = 0; i < 40; ++i) {
        auto launch = p.launch(kernels[i % 2], {1320, 1, 1}, {256, 1, 1}).durationUs(4);
        launch.launch().start = Seconds{i * 13e-6};
    }
    return p;
}

std::string renderSequence(const Analysis& analysis, ReportFormat format,
                           Language language = Language::En) {
    ReportOptions options;
    options.language = language;
    return renderReport(analysis, format, options).value();
}

}  // namespace

TEST_CASE("reports say once, in their header, that the GPU waits for launches") {
    const Analysis analysis = analysisOf(slowLoop("a(float*)"));
    const std::string markdown = renderSequence(analysis, ReportFormat::Markdown);
    CHECK(count(markdown, "For 342 µs of 502 µs") == 1);
    CHECK(count(markdown, "the longest, 9.00 µs, is before ") == 1);
    CHECK(count(markdown, "CUDA graph") == 1);
    CHECK(markdown.find("The GPU waits for launches") < markdown.find("\n## 1. "));
    CHECK(markdown.find("gaps between launches (no") ==
          std::string::npos);  // no "not collected" note
    CHECK(count(renderSequence(analysis, ReportFormat::Text), "! The GPU waits for launches") == 1);
    CHECK(count(renderSequence(analysis, ReportFormat::Html), "The GPU waits for launches") == 1);
    const auto json = nlohmann::json::parse(renderSequence(analysis, ReportFormat::Json));
    REQUIRE(json.at("findings").size() == 1);
    CHECK(json.at("findings")[0].at("rule") == "launch-gaps");
    CHECK(json.at("findings")[0].at("gain_ns").get<double>() == Approx(342e3));
    const std::string chinese = renderSequence(analysis, ReportFormat::Markdown, test::kZh);
    CHECK(count(chinese, "502 µs 中有 342 µs") == 1);
    CHECK_FALSE(nlohmann::json::parse(renderSequence(analysisOf(showcase()), ReportFormat::Json))
                    .contains("findings"));
}

TEST_CASE("a launch-bound verdict gives its numbers") {
    const Analysis analysis = analysisOf(slowLoop("a(float*)"));
    const Verdict& verdict = analysis.kernels.front().verdict;
    REQUIRE(verdict.cls == VerdictClass::LaunchBound);
    CHECK(verdictWords(verdict, Language::En) == "launch-bound");
    CHECK(verdictReason(analysis.kernels.front(), Language::En)
              .find("takes 4.00 µs, then no kernel runs for 9.00 µs") != std::string::npos);
    CHECK(verdictReason(analysis.kernels.front(), test::kZh).find("4.00 µs") != std::string::npos);
}

TEST_CASE("without counters reports say so once, not per kernel, and show no zero") {
    const Analysis analysis = analysisOf(slowLoop("a(float*)"));
    for (const auto format : {ReportFormat::Markdown, ReportFormat::Text}) {
        const std::string text = renderSequence(analysis, format);
        CHECK(count(text, "Times only, no counters") == 1);
        CHECK(text.find("__") == std::string::npos);  // no list of counters
        CHECK(text.find(" 0 %") == std::string::npos);
    }
    // The report on a single kernel says it too.
    CHECK(count(renderKernelHints(analysis, 0, {}), "Times only, no counters") == 1);
    CHECK(count(renderSequence(analysisOf(showcase()), ReportFormat::Markdown), "times only") == 0);
}

TEST_CASE("a kernel's name in the header is data") {
    const Analysis analysis = analysisOf(slowLoop("**bold** <script>alert(1)</script>"));
    const std::string markdown = renderSequence(analysis, ReportFormat::Markdown);
    CHECK(markdown.find("before **bold**") == std::string::npos);
    CHECK(renderSequence(analysis, ReportFormat::Html).find("<script>alert") == std::string::npos);
}

TEST_CASE("a latency-bound verdict names what warps wait for, in words and by its reason") {
    KernelAnalysis kernel;
    Verdict& verdict = kernel.verdict;
    verdict.cls = VerdictClass::LatencyBound;
    verdict.reason.leading =
        ResourceUse{.id = ResourceId::L2, .memory = true, .busy = {0.2}, .ofRoof = {0.2}};
    verdict.reason.busyFrom = {0.6};
    CHECK(verdictReason(kernel, Language::En).find("record the counter group \"stalls\"") !=
          std::string::npos);
    verdict.reason.stall = "long_scoreboard";
    CHECK(verdictReason(kernel, Language::En)
              .find("wait most often for data from global or local memory (long_scoreboard)") !=
          std::string::npos);
    CHECK(verdictReason(kernel, test::kZh).find("全局或本地内存") != std::string::npos);
}

TEST_CASE("at the tensor roof doing less is all that helps, unless wgmma would be faster") {
    KernelAnalysis kernel;
    Verdict& verdict = kernel.verdict;
    verdict.cls = VerdictClass::NearRoof;
    verdict.reason.leading =
        ResourceUse{.id = ResourceId::Tensor, .busy = {0.95}, .ofRoof = {0.95}};
    verdict.speedupBound = Derived<double>::of(1 / 0.85, "");
    CHECK(verdictReason(kernel, Language::En) == "Tensor at 95 %: fewer operations help most");
    CHECK(explainNoFindings(kernel) == NoFindings::LittleToFix);
    verdict.speedupBound = Derived<double>::of(1 / 0.96, "");
    CHECK(verdictReason(kernel, Language::En) == "Tensor at 95 %: only fewer operations help");
    CHECK(explainNoFindings(kernel) == NoFindings::NothingToFix);
    kernel.cannotTell.push_back({.ruleId = "mma-instead-of-wgmma"});
    CHECK(verdictReason(kernel, Language::En) ==
          "Tensor at 95 % without wgmma, which may do the same work faster");
    CHECK(explainNoFindings(kernel) == NoFindings::CannotTell);
    kernel.cannotTell.clear();
    kernel.findings.push_back({.ruleId = "mma-instead-of-wgmma"});
    CHECK(verdictReason(kernel, Language::En) ==
          "Tensor at 95 % without wgmma, which may do the same work faster");
}
