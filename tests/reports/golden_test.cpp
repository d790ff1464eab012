// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/golden.h"

#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"

using namespace roofscope;

using test::checkGolden;

namespace {

/// A page without style sheet, script and their hashes: they have their own files (reports/html/),
/// and a changed colour must not change this golden file.
std::string withoutAssets(std::string page) {
    for (const auto& [begin, end] : {std::pair{"<style>", "</style>"}, {"<script>", "</script>"}})
        for (std::size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
            at += std::string_view(begin).size();
            page.erase(at, page.find(end, at) - at);
        }
    for (std::size_t at = 0; (at = page.find("'sha256-", at)) != std::string::npos;) {
        at += std::string_view("'sha256-").size();
        page.erase(at, page.find('\'', at) - at);
    }
    return page;
}

/// A plot with each colour replaced by "#", because only colours differ between dark and light.
std::string withoutColours(const std::string& svg) {
    return std::regex_replace(svg, std::regex("#[0-9a-f]{3,8}\\b"), "#");
}

}  // namespace

TEST_CASE("golden reports of the showcase profile") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const ReportOptions options{.profilePath = "operators.roofscope.json"};
    ReportOptions dark = options;
    dark.dark = true;
    checkGolden("showcase.md", renderReport(analysis, ReportFormat::Markdown, options).value());
    checkGolden("showcase.txt", renderReport(analysis, ReportFormat::Text, options).value());
    checkGolden("showcase.html",
                withoutAssets(renderReport(analysis, ReportFormat::Html, options).value()));
    checkGolden("showcase.json", renderReport(analysis, ReportFormat::Json, options).value());
    checkGolden("showcase.csv", renderReport(analysis, ReportFormat::Csv, options).value());
    checkGolden("showcase.svg", renderReport(analysis, ReportFormat::Svg, options).value());
    CHECK(withoutColours(renderReport(analysis, ReportFormat::Svg, dark).value()) ==
          withoutColours(renderReport(analysis, ReportFormat::Svg, options).value()));
    checkGolden("transpose-hints.md", renderKernelHints(analysis, 0, options));
}

TEST_CASE("golden reports in Chinese") {
    ReportOptions options{.profilePath = "operators.roofscope.json"};
    options.language = test::kZh;
    const Analysis analysis = test::analysisOf(test::showcase());
    checkGolden("showcase.zh.md", renderReport(analysis, ReportFormat::Markdown, options).value());
    checkGolden("showcase.zh.txt", renderReport(analysis, ReportFormat::Text, options).value());

    const Analysis& recorded = test::recorded("h200_torch_chain");
    options.profilePath = "h200_torch_chain.roofscope.json.gz";
    options.top = 4;
    options.kernelFilter = "gemm|SoftMax|Mul";  // have sections, however little callers gain
    checkGolden("torch-chain.zh.md",
                renderReport(recorded, ReportFormat::Markdown, options).value());
}

TEST_CASE("the sample report of the guide is what the tool writes") {
    auto profile = readProfile(ROOFSCOPE_SOURCE_DIR
                               "/tests/frameworks/recorded/torch_copies.roofscope.json.gz");
    REQUIRE(profile.ok());
    checkGolden(
        "../../../docs/sample-report.md",
        renderReport(
            analyze(std::make_shared<const Profile>(std::move(*profile))), ReportFormat::Markdown,
            {.top = 10, .essentials = true, .profilePath = "torch_copies.roofscope.json.gz"})
            .value());
}

TEST_CASE("golden report of kernels recorded on an H200 with their source") {
    checkGolden("recorded-source.md",
                renderReport(test::recorded("h200_source"), ReportFormat::Markdown,
                             {.profilePath = "h200_source.roofscope.json.gz"})
                    .value());
}

TEST_CASE("golden reports with source lines") {
    const Analysis analysis = test::analysisOf(test::sourceShowcase());
    ReportOptions options{.profilePath = "transpose.roofscope.json"};
    checkGolden("source.md", renderReport(analysis, ReportFormat::Markdown, options).value());
    checkGolden("source.txt", renderReport(analysis, ReportFormat::Text, options).value());
    const auto json =
        nlohmann::ordered_json::parse(renderReport(analysis, ReportFormat::Json, options).value());
    checkGolden("source-lines.json", json["kernels"][0]["source"].dump(2) + "\n");
    options.language = test::kZh;
    checkGolden("source.zh.md", renderReport(analysis, ReportFormat::Markdown, options).value());
}

TEST_CASE("the SVG is well-formed, whatever is shown") {
    for (const std::size_t count : {1, 40, 3000}) {
        const Analysis analysis = test::analysisOf(test::manyKernels(count));
        for (const bool dark : {false, true})
            CHECK(test::wellFormedXml(
                      renderReport(analysis, ReportFormat::Svg, {.dark = dark}).value()) == "");
    }
    CHECK(test::wellFormedXml("<a b=\"1\" b=\"2\"/>") != "");
    CHECK(test::wellFormedXml("<a>&x;</a>") != "");
    CHECK(test::wellFormedXml("<a><b></a>") != "");
}
