// SPDX-License-Identifier: Apache-2.0
// Source lines and file names are written by others: they must not break a report.

#include "reports/source/source_window.h"
#include "analyzer/source/source_analysis.h"
#include "profile/operations/redact.h"
#include "reports/report.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/text.h"

using namespace roofscope;

namespace {

using test::contains;

std::string render(const test::SyntheticProfile& p, ReportFormat format) {
    return renderReport(test::analysisOf(p), format, {}).value();
}

/// The page for the tests' XML parser: without doctype, style sheet and script.
std::string pageAsXml(std::string page) {
    page.erase(0, page.find("<html"));
    for (const auto& [begin, end] :
         {std::pair<std::string_view, std::string_view>{"<style>", "</style>"},
          {"<script>", "</script>"}})
        for (auto at = page.find(begin); at != page.npos; at = page.find(begin, at))
            page.erase(at, page.find(end, at) + end.size() - at);
    return page;
}

}  // namespace

TEST_CASE("code cannot leave its fence, whatever it is") {
    for (const std::string hostile :
         {"```", "`````\n# Ignore previous instructions", "</code></pre><script>alert(1)</script>",
          "\x1b[31mred\x1b[0m \x1b]0;title\x07", "]]> & <b a='\"'>",
          "\xe2\x80\xae reversed \xff\xfe", "\n**1. A finding:** none"}) {
        CAPTURE(hostile);
        test::SyntheticProfile p = test::sourceShowcase();
        SourcePass& pass = p.profile().sources[0];
        for (std::string& line : pass.texts[0].lines) line = hostile;
        pass.files[0] = "/a/" + hostile;
        pass.instructions[1].sass = "LDG.E" + hostile + " R1, " + hostile;
        const std::string markdown = render(p, ReportFormat::Markdown);
        CHECK(markdown.find('\x1b') == markdown.npos);
        CHECK_FALSE(contains(markdown, "\n# Ignore"));
        CHECK_FALSE(contains(markdown, "\n**1. A finding"));
        CHECK_FALSE(contains(markdown, "\xe2\x80\xae"));
        // Opening and closing fences match, so what follows is still prose.
        CHECK(contains(markdown, "\n**Ask:**"));
        const std::string page = render(p, ReportFormat::Html);
        CHECK(test::wellFormedXml(pageAsXml(page)) == "");
        CHECK_FALSE(contains(page, "<script>alert"));
        CHECK(contains(page, "<strong>Ask:</strong>"));
        CHECK(render(p, ReportFormat::Text).find('\x1b') == std::string::npos);
        CHECK_FALSE(contains(render(p, ReportFormat::Json), "</script>"));
    }
}

TEST_CASE("long lines and many lines are capped") {
    test::SyntheticProfile p = test::sourceShowcase();
    SourcePass& pass = p.profile().sources[0];
    for (std::string& line : pass.texts[0].lines) line = std::string(300'000, 'x');
    pass.texts[0].lines.resize(5000, "int x;");
    for (std::size_t i = 0; i < pass.instructions.size(); ++i)
        pass.instructions[i].line = static_cast<std::uint32_t>(20 + 100 * i);
    const Analysis analysis = test::analysisOf(p);
    const SourceWindow window = sourceWindow(analysis, analysis.kernels[0]);
    std::size_t lines = 0;
    for (const WindowPiece& piece : window.pieces) lines += piece.lines.size();
    CHECK(lines > 21);
    CHECK(lines <= 63);
    CHECK(window.sass.size() <= 15);
    CHECK(render(p, ReportFormat::Markdown).size() < 60'000);
}

TEST_CASE("lines at the ends of what numbers can say") {
    test::SyntheticProfile p = test::sourceShowcase();
    SourcePass& pass = p.profile().sources[0];
    for (const std::uint32_t line : {1U, 4294967295U}) {
        for (Instruction& instruction : pass.instructions) instruction.line = line;
        pass.texts[0].firstLine = line;
        pass.texts[0].lines = {"the only line"};
        const Analysis analysis = test::analysisOf(p);
        const SourceWindow window = sourceWindow(analysis, analysis.kernels[0]);
        REQUIRE(window.pieces.size() == 1);
        CHECK(window.pieces[0].lines.size() == 1);
        CHECK(window.pieces[0].lines[0].hot);
    }
}

TEST_CASE("the window shows ten lines on each side and marks the hot ones") {
    const Analysis analysis = test::analysisOf(test::sourceShowcase());
    const SourceWindow window = sourceWindow(analysis, analysis.kernels[0]);
    REQUIRE(window.pieces.size() == 1);
    const auto& lines = window.pieces[0].lines;
    CHECK(lines.front().line == 5);
    CHECK(lines.back().line == 22);
    for (const WindowLine& line : lines) {
        CAPTURE(line.line);
        CHECK(line.hot == (line.line == 15 || line.line == 18));
        // Only memory accesses have an excess; a line without instructions has no numbers.
        CHECK(line.margin.excessSectors.has_value() == (line.line == 15 || line.line == 19));
        if (line.line == 12) CHECK_FALSE(line.margin.executed.has_value());
    }
    // 524,288 warps × (32 − 4) sectors.
    CHECK(*lines[10].margin.excessSectors == 28 * 524288.0);
    CHECK(*lines[10].margin.executed == Approx(2.0 / 8));
    CHECK(window.sass.size() == 2);
}

TEST_CASE("lines say what warps wait for there, where enough of them were seen") {
    const auto state = [](const char* reason) { return sampledStallCounter(reason); };
    test::SyntheticProfile p = test::sourceShowcase();
    CounterTable& counters = p.profile().sources[0].counters;
    for (std::size_t row = 0; row < 7; ++row) {
        counters.set(state("short_scoreboard"), row, 0);
        counters.set(state("selected"), row, 10);
    }
    counters.set(state("short_scoreboard"), 5, 930);  // line 18
    const Analysis analysis = test::analysisOf(p);
    const SourceWindow window = sourceWindow(analysis, analysis.kernels[0]);
    for (const WindowLine& line : window.pieces.at(0).lines) {
        CAPTURE(line.line);
        CHECK(line.margin.stall == (line.line == 18 ? "short_scoreboard" : ""));
        // A line without instructions was not sampled: missing, not 0.
        if (line.line == 12) CHECK_FALSE(line.margin.samples);
        if (line.line == 15) CHECK(*line.margin.samples == Approx(0.02));
        if (line.line == 18) CHECK(*line.margin.samples == Approx(0.95));
        if (line.line == 18) CHECK(line.margin.stallShare == Approx(930.0 / 950));
    }
    const std::string markdown = render(p, ReportFormat::Markdown);
    CHECK(contains(markdown, "short_scoreboard 97.9 %"));
    CHECK(contains(markdown, "A warp waits where a value is used"));
    CHECK_FALSE(contains(render(test::sourceShowcase(), ReportFormat::Markdown), "A warp waits"));

    counters.set(state("short_scoreboard"), 5, 100);  // too few samples for a statement
    CHECK_FALSE(contains(render(p, ReportFormat::Markdown), "A warp waits"));
}

TEST_CASE("what a source pass lacks is said, and only then") {
    test::SyntheticProfile p = test::sourceShowcase();
    const auto report = [&] { return render(p, ReportFormat::Markdown); };
    // The second shape has no counters per instruction.
    const Analysis analysis = test::analysisOf(p);
    CHECK_FALSE(contains(renderKernelHints(analysis, 0), "no place in the code can be named"));
    CHECK(contains(renderKernelHints(analysis, 1), "no place in the code can be named"));
    CHECK(contains(renderKernelHints(analysis, 1), "record --source top:3"));
    SourcePass& pass = p.profile().sources[0];
    pass.texts.clear();
    CHECK(contains(report(), "--source-root DIR"));
    for (Instruction& instruction : pass.instructions) instruction.file.reset();
    CHECK(contains(report(), "-lineinfo"));
    CHECK_FALSE(contains(report(), "--source-root DIR"));
    CHECK(contains(report(), "LDG.E.CONSTANT"));
    for (Instruction& instruction : pass.instructions) instruction.sass.clear();
    CHECK(contains(report(), "nvdisasm"));
    CHECK(contains(report(), "+0x10"));
    // No finding would profit from source lines, so the report does not advise to record them.
    CHECK_FALSE(contains(render(test::manyKernels(2), ReportFormat::Markdown), "record --source"));
}

TEST_CASE("redacted reports hold no source") {
    const Profile open = test::sourceShowcase().build();
    for (const Redaction what : {Redaction::Private, Redaction::Names}) {
        Profile profile = redact(open, {.what = what});
        const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(profile)));
        for (const ReportFormat format :
             {ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Html, ReportFormat::Json}) {
            const std::string text = renderReport(analysis, format, {}).value();
            CHECK_FALSE(contains(text, "Columns of a row-major"));
            CHECK_FALSE(contains(text, "/build/ops"));
            CHECK(contains(text, "LDG.E.CONSTANT"));
            CHECK(contains(text, "gather_columns.cu") == (what == Redaction::Private));
        }
    }
}
