// SPDX-License-Identifier: Apache-2.0
// A token budget is kept, or the report says that it is not.
#include <regex>

#include "analyzer/program/program.h"
#include "profile/codec/codec.h"
#include "reports/language/number_format.h"
#include "reports/program/action_words.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/text.h"

using namespace roofscope;

namespace {

using test::contains;

std::size_t tableRows(const std::string& text) {
    std::size_t rows = 0;
    for (auto at = text.find("\n| "); at != text.npos; at = text.find("\n| ", at + 1)) ++rows;
    return rows - 1;  // without the heading
}

void checkBudget(const Analysis& analysis, const ReportOptions& options) {
    const std::size_t budget = *options.budgetTokens;
    const std::string text = renderReport(analysis, ReportFormat::Markdown, options).value();
    CAPTURE(budget, text);
    const std::size_t size = estimateTokens(text);
    if (size > budget)
        CHECK(contains(text, "The smallest report is " + std::to_string(size) + " tokens"));
    else
        CHECK_FALSE(contains(text, "The smallest report"));
    const bool below = contains(text, "**Ruled out:**") || contains(text, "**Constraints:**") ||
                       contains(text, "**Ask:**") || contains(text, "**Not measured:**");
    if (below) CHECK(contains(text, "\n**1. "));
    // The number in the sentence equals the number of rows.
    std::smatch shown;
    if (std::regex_search(text, shown, std::regex("The (\\d+) with the most GPU time")))
        CHECK(std::stoul(shown[1]) == tableRows(text));
}

}  // namespace

TEST_CASE("every budget is kept or the report says what the least is") {
    const Analysis& recorded = test::recorded("h200_bundled");
    const Analysis synthetic = test::analysisOf(test::showcase());
    const Analysis source = test::analysisOf(test::sourceShowcase());
    for (std::size_t budget = 300; budget <= 4000; budget += 100) {
        checkBudget(recorded, {.top = 10, .budgetTokens = budget});
        checkBudget(synthetic, {.budgetTokens = budget});
        checkBudget(source, {.budgetTokens = budget});
    }
}

TEST_CASE("a report of 300 tokens has the program's time and its first action, of any recording") {
    for (const std::string& path : test::allRecordings()) {
        const Analysis analysis = test::analysisIn(path);
        const Program program = analyzeProgram(analysis);
        for (const Language language : languages()) {
            const std::string text = renderReport(analysis, ReportFormat::Markdown,
                                                  {.budgetTokens = 300, .language = language})
                                         .value();
            CAPTURE(path, text);
            CHECK(estimateTokens(text) <= 306);
            if (program.lanes.empty()) continue;
            const std::string each = formatTime(program.window.seconds);
            CHECK(contains(text, each));
            if (!program.actions.empty())
                CHECK(contains(text, actionTitle(program.actions.front(), language)));
        }
    }
}

TEST_CASE("if nothing else can be left out, the account is shortened") {
    auto profile = readProfile(std::string(ROOFSCOPE_SOURCE_DIR) +
                               "/tests/frameworks/recorded/torch_ddp_uneven.roofscope.json.gz");
    REQUIRE(profile.ok());
    const Analysis analysis = analyze(std::make_shared<const Profile>(std::move(*profile)));
    const auto report = [&](std::size_t budget) {
        return renderReport(analysis, ReportFormat::Markdown, {.budgetTokens = budget}).value();
    };
    const std::string least = report(300), more = report(400);
    CHECK(
        contains(least, "kernels **74.9 %**, communication 22.8 %, the rest 2.37 %. Mean over 2"));
    CHECK(contains(least, "Left out: details of the account, "));
    CHECK_FALSE(contains(least, "behind kernels"));
    CHECK(contains(more, "behind kernels"));
    CHECK_FALSE(contains(more, "details of the account"));
}

TEST_CASE("the first finding outlives its details and all that stands below it") {
    const Analysis& analysis = test::recorded("h200_bundled");
    std::size_t least = 0;
    bool trimmed = false;
    for (std::size_t budget = 4000; budget >= 300; budget -= 50) {
        const std::string text =
            renderReport(analysis, ReportFormat::Markdown, {.top = 10, .budgetTokens = budget})
                .value();
        if (contains(text, "\n**1. ")) {
            least = budget;
            trimmed = trimmed || !contains(text, "```cuda");
        }
    }
    CHECK(least > 0);
    CHECK(least <= 1000);
    CHECK(trimmed);
}

TEST_CASE("source goes before what says what to do with it") {
    const Analysis analysis = test::analysisOf(test::sourceShowcase());
    bool without = false;
    for (std::size_t budget = 4000; budget >= 300; budget -= 50) {
        const std::string text =
            renderReport(analysis, ReportFormat::Markdown, {.budgetTokens = budget}).value();
        CAPTURE(budget, text);
        const bool window = contains(text, "\n**Source**");
        // The last line names what is left out.
        if (!window) CHECK(contains(text, "source window"));
        if (window) CHECK(contains(text, "\n**Ask:**"));
        without = without || (!window && contains(text, "\n**Ask:**"));
    }
    CHECK(without);
}
