// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/golden.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/reports/well_formed.h"
#include "tests/support/catch.h"

using namespace roofscope;

using test::checkGolden;

TEST_CASE("golden reports of the showcase profile") {
    const Analysis analysis = test::analysisOf(test::showcase());
    const ReportOptions options{.profilePath = "operators.roofscope.json"};
    ReportOptions dark = options;
    dark.dark = true;
    checkGolden("showcase.md", renderReport(analysis, ReportFormat::Markdown, options).value());
    checkGolden("showcase.txt", renderReport(analysis, ReportFormat::Text, options).value());
    checkGolden("showcase.json", renderReport(analysis, ReportFormat::Json, options).value());
    checkGolden("showcase.csv", renderReport(analysis, ReportFormat::Csv, options).value());
    checkGolden("showcase.svg", renderReport(analysis, ReportFormat::Svg, options).value());
    checkGolden("showcase-dark.svg", renderReport(analysis, ReportFormat::Svg, dark).value());
    checkGolden("transpose-hints.md", renderKernelHints(analysis, 0, options));
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
