// SPDX-License-Identifier: Apache-2.0
// The length of reports on real recordings; a budget is kept.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reports/document/markdown_writer.h"
#include "reports/profile/program_part.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;

namespace {

void forEachRecording(const std::function<void(const std::string&, const Analysis&)>& check) {
    for (const std::string& path : test::allRecordings()) check(path, test::analysisIn(path));
}

std::string report(const Analysis& analysis, ReportOptions options,
                   ReportFormat format = ReportFormat::Markdown) {
    if (!options.top) options.top = 10;  // like the command line
    options.profilePath = "recording.roofscope.json.gz";
    return renderReport(analysis, format, options).value();
}

/// Parts of a Markdown report that start with "
/// ## " and a digit, i.e. kernels.
std::vector<std::string> kernelsOf(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = text.find("\n## "); at != text.npos;) {
        const std::size_t next = text.find("\n## ", at + 1);
        if (std::isdigit(static_cast<unsigned char>(text[at + 4])))
            parts.push_back(text.substr(at, next == text.npos ? next : next - at));
        at = next;
    }
    return parts;
}

std::string withoutCode(std::string text) {
    for (std::size_t at = text.find("\n```"); at != text.npos; at = text.find("\n```")) {
        const std::size_t end = text.find("\n```", at + 4);
        if (end == text.npos) break;
        text.erase(at, end + 4 - at);
    }
    return text;
}

}  // namespace

namespace {

/// Limits are for English; Chinese needs more tokens for the same text.
double sizeOf(const std::string& text, Language language) {
    constexpr double kChinese = 1.1;
    const auto tokens = static_cast<double>(estimateTokens(text));
    return language == test::kZh ? tokens / kChinese : tokens;
}

}  // namespace

TEST_CASE("what a report opens with has at most 410 tokens") {
    forEachRecording([](const std::string& path, const Analysis& analysis) {
        for (const Language language : languages()) {
            const std::string text = doc::toMarkdown(
                {.title = {},
                 .nodes = profile_report::programPart(
                     analysis, analyzeProgram(analysis),
                     {.profilePath = "recording.roofscope.json.gz", .language = language})});
            CAPTURE(path, text);
            CHECK(sizeOf(text, language) <= 410);
        }
    });
}

TEST_CASE("a kernel has at most 500 tokens without code, and 1,200 with it") {
    forEachRecording([](const std::string& path, const Analysis& analysis) {
        for (const Language language : languages())
            for (const std::string& kernel : kernelsOf(report(analysis, {.language = language}))) {
                CAPTURE(path, kernel);
                // Source places are part of the section.
                const bool source = kernel.find("\n**Source**") != kernel.npos ||
                                    kernel.find("\n**源代码**") != kernel.npos;
                CHECK(sizeOf(withoutCode(kernel), language) <= (source ? 750 : 500));
                CHECK(sizeOf(kernel, language) <= 1200);
            }
    });
}

TEST_CASE("the report of a training step has at most 4,000 tokens") {
    std::size_t steps = 0;
    forEachRecording([&](const std::string& path, const Analysis& analysis) {
        for (const char* step : {"torch_step", "jax_train", "h200_torchrun"}) {
            if (path.find(step) == path.npos) continue;
            ++steps;
            CAPTURE(path);
            CHECK(estimateTokens(report(analysis, {})) <= 4000);
        }
    });
    CHECK(steps == 3);
}

TEST_CASE("what the command line writes of a program is short") {
    std::vector<std::size_t> sizes;
    forEachRecording([&](const std::string& path, const Analysis& analysis) {
        if (analyzeProgram(analysis).lanes.empty()) return;
        const std::string text = report(analysis, {.essentials = true});
        CAPTURE(path, text);
        sizes.push_back(estimateTokens(text));
        CHECK(sizes.back() <= 3600);  // with three kernels' source
        CHECK(sizes.back() <= estimateTokens(report(analysis, {})));
        CHECK(kernelsOf(text).size() <= 3);
    });
    REQUIRE(sizes.size() > 20);
    std::ranges::sort(sizes);
    CHECK(sizes[sizes.size() / 2] <= 1160);
}

TEST_CASE("a kernel has a section where its edit changes the program") {
    // A grid of eight blocks, beside work on the CPU.
    const auto kernels = [](double kernelUs, double hostUs, bool essentials) {
        test::SyntheticProgram p;
        for (int i = 0; i < 6; ++i)
            p.push("step").launch("small", kernelUs).sync().work(hostUs).pop();
        Profile profile = p.build();
        for (Launch& launch : profile.launches) launch.grid = {8, 1, 1};
        const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(profile)));
        return kernelsOf(report(analysis, {.essentials = essentials})).size();
    };
    CHECK(kernels(1'000, 0, true) == 1);
    CHECK(kernels(1'000, 500'000, true) == 0);  // 0.2 % of the time
    CHECK(kernels(1'000, 500'000, false) == 1);
}

TEST_CASE("an edit of many small kernels is given although none of them has a section") {
    test::SyntheticProgram p;
    for (int i = 0; i < 6; ++i) {
        p.push("step");
        for (char kernel = 'a'; kernel < 'm'; ++kernel)
            p.launch("small_" + std::string(1, kernel), 8);
        p.sync().work(900).pop();
    }
    Profile profile = p.build();
    for (Launch& launch : profile.launches) launch.grid = {8, 1, 1};
    const std::string text =
        report(analyze(std::make_shared<const Profile>(std::move(profile))), {.essentials = true});
    CAPTURE(text);
    CHECK(kernelsOf(text).empty());
    CHECK(text.find("Grid too small for the GPU") != text.npos);
    CHECK(text.find("Split the work of a block") != text.npos);
}

TEST_CASE("a budget is kept within 2 % in markdown and text") {
    forEachRecording([](const std::string& path, const Analysis& analysis) {
        for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Text})
            for (const Language language : languages())
                for (const std::size_t budget : {400, 500, 700, 1000, 1500, 2000, 3000, 4000}) {
                    const std::string text =
                        report(analysis, {.budgetTokens = budget, .language = language}, format);
                    CAPTURE(path, budget, static_cast<int>(format), text);
                    CHECK(static_cast<double>(estimateTokens(text)) <=
                          1.02 * static_cast<double>(budget));
                }
    });
}
