// SPDX-License-Identifier: Apache-2.0
// Launches that differ only in shape share a section; kernels without a fault get one line.
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/text.h"

using namespace roofscope;
using test::contains, test::count;

namespace {

/// One kernel in two shapes. If not `alike`, the second is idle for most of its time.
test::SyntheticProfile twoShapes(bool alike) {
    test::SyntheticProfile p;
    const auto busy = [&](std::uint32_t blocks, double us, double pipe) {
        test::idleLaunch(p, "twin(float*)", {blocks, 1, 1}, {256, 1, 1}, us)
            .set("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", pipe);
    };
    busy(2048, 200, 70);
    busy(1024, 100, alike ? 70 : 10);
    return p;
}

std::string sections(const test::SyntheticProfile& p, ReportFormat format) {
    return renderReport(test::analysisOf(p), format, {.kernelFilter = "twin"}).value();
}

}  // namespace

TEST_CASE("launches of one function with one diagnosis share a section") {
    const std::string text = sections(twoShapes(true), ReportFormat::Markdown);
    INFO(text);
    CHECK(count(text, "\n## 1. `twin") == 1);
    CHECK(count(text, "\n## 2. `twin") == 0);
    CHECK(contains(text, "**Same diagnosis:** no. 2: grid 1024, 100 µs, 33.3 %."));
    // Both have a row in the table; on a page the second links to the section of the first.
    CHECK(contains(text, "\n| 2 | `twin"));
    const std::string page = sections(twoShapes(true), ReportFormat::Html);
    CHECK(count(page, "<details class=\"kernel\"") == 1);
    CHECK(count(page, "href=\"#kernel-1\"") == 2);
}

TEST_CASE("another diagnosis is another section") {
    const std::string text = sections(twoShapes(false), ReportFormat::Markdown);
    INFO(text);
    CHECK(count(text, "\n## 1. `twin") == 1);
    CHECK(count(text, "\n## 2. `twin") == 1);
    CHECK_FALSE(contains(text, "Same diagnosis"));
}

TEST_CASE("kernels without a fault get a line, unless they are asked for") {
    const Analysis& analysis = test::recorded("h200_bundled");
    const auto report = [&](std::string filter) {
        return renderReport(analysis, ReportFormat::Markdown,
                            {.top = 65, .kernelFilter = std::move(filter)})
            .value();
    };
    const std::string all = report("");
    CHECK(contains(all, "`geluFusedVec4`: stop here (near the DRAM roof, "));
    CHECK(contains(all, "`atomicContention`: no diagnosis yet (latency-bound"));
    CHECK_FALSE(contains(all, ". `geluFusedVec4`: near the DRAM roof\n"));
    CHECK(contains(report("geluFusedVec4"), ". `geluFusedVec4`: near the DRAM roof\n"));
}

TEST_CASE("a budget cuts the table of kernels from its end") {
    const Analysis& analysis = test::recorded("h200_bundled");
    bool cut = false;
    for (std::size_t budget = 500; budget <= 3000; budget += 100) {
        const std::string text =
            renderReport(analysis, ReportFormat::Markdown, {.top = 10, .budgetTokens = budget})
                .value();
        CAPTURE(budget, text);
        std::size_t rows = 0;
        while (contains(text, "\n| " + std::to_string(rows + 1) + " | `")) ++rows;
        for (std::size_t later = rows + 2; later <= 10; ++later)
            CHECK_FALSE(contains(text, "\n| " + std::to_string(later) + " | `"));
        cut = cut || (rows > 0 && rows < 10);
    }
    CHECK(cut);
}

namespace {

/// The report on a recording of tests/frameworks, as on the command line.
std::string reportOf(const std::string& program, std::string filter = {}) {
    auto profile = readProfile(std::string(ROOFSCOPE_SOURCE_DIR) + "/tests/frameworks/recorded/" +
                               program + ".roofscope.json.gz");
    REQUIRE(profile.ok());
    return renderReport(analyze(std::make_shared<const Profile>(std::move(*profile))),
                        ReportFormat::Markdown, {.top = 10, .kernelFilter = std::move(filter)})
        .value();
}

}  // namespace

TEST_CASE("kernels of a library with one edit of their callers share a section") {
    const std::string text = reportOf("torch_step");
    INFO(text);
    CHECK(count(text, "\n**1. Matrix-product arithmetic without tensor cores") == 1);
    CHECK(
        contains(text,
                 "**Same diagnosis:** grid 16 × 32 (≤ 300 µs), no. 3 (≤ 316 µs), no. 4 (≤ 314 µs), "
                 "no. 5 (≤ 310 µs)."));
    // An explicitly requested kernel gets its section.
    CHECK(contains(reportOf("torch_step", "sgemm_128x256"), "\n## 4. `Kernel2<"));
}

TEST_CASE("a library's kernel whose callers win next to nothing gets a line") {
    const std::string text = reportOf("torch_dataloader");
    INFO(text);
    CHECK(contains(text, "\n- 1. `sm90_xmma_wgrad"));
    CHECK(contains(text,
                   "`: The last wave is mostly empty (latency-bound, at 49.8 % of what it can "
                   "reach, ≤ 10.4 µs)"));
    CHECK_FALSE(contains(text, "\n## 1."));
    CHECK(contains(reportOf("torch_dataloader", "wgrad_indexed"), "\n## 1. `sm90_xmma_wgrad"));
    // Block limits and stalls only concern authors of kernels.
    CHECK_FALSE(contains(text, "threads per block"));
    CHECK_FALSE(contains(text, "dominant-stall"));
}
