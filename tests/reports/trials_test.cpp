// SPDX-License-Identifier: Apache-2.0
// What reports say about edits that `roofscope try` has tried.
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "profile/trials/trial_results.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/copying_program.h"
#include "tests/support/json_schema.h"
#include "tests/support/languages.h"

using namespace roofscope;
using nlohmann::json;
using roofscope::test::copyingProgram;

namespace {

TrialResult loaderTrial(TrialOutcome outcome) {
    return {.name = "loader",
            .title = "Load with workers",
            .outcome = outcome,
            .why = {},
            .per = "step",
            .before = Seconds{0.0442},
            .after = Seconds{0.0279},
            .kept = true,
            .largestDifference = 0.00123,
            .suggestedBy = {"pageable-copy"},
            .settles = {"pageable-copy"}};
}

/// A report of the program after these trials.
std::string reported(std::vector<TrialResult> trials, ReportFormat format = ReportFormat::Markdown,
                     Language language = Language::En) {
    auto results = std::make_shared<TrialResults>();
    results->trials = std::move(trials);
    const auto text = renderReport(
        analyze(std::make_shared<const Profile>(copyingProgram()), {.trials = std::move(results)}),
        format, {.language = language});
    REQUIRE(text.ok());
    return *text;
}

json programAfter(std::vector<TrialResult> trials) {
    const json root = json::parse(reported(std::move(trials), ReportFormat::Json));
    std::ifstream in(std::string(ROOFSCOPE_SOURCE_DIR) + "/reports/schema/report-1.schema.json");
    const json schema = json::parse(in);
    CHECK(test::SchemaChecker(schema).check(root, schema) == "");
    return root["program"];
}

}  // namespace

TEST_CASE("what a trial measured takes the place of the bound") {
    const std::string text = reported({loaderTrial(TrialOutcome::Helped)});
    CAPTURE(text);
    CHECK(text.find("**: **tried, 44.2 → 27.9 ms per step** with `loader` (printed numbers within "
                    "0.12 %).") != text.npos);
    CHECK(text.find("at most 20") == text.npos);
    const json program = programAfter({loaderTrial(TrialOutcome::Helped)});
    const json& action = program["actions"][0];
    CHECK(action["gain_text"] ==
          "tried, 44.2 → 27.9 ms per step with `loader` (printed numbers within 0.12 %)");
    CHECK(action["bound_text"].get<std::string>().starts_with("at most "));
    CHECK(action["tried"] == json{"loader"});
    CHECK(action["tried_text"] == "");
    CHECK(program["trials_text"].is_null());
    CHECK(program["trials"][0]["outcome"] == "helped");
    CHECK(program["trials"][0]["text"] ==
          "Tried with `loader`: 44.2 → 27.9 ms per step (printed numbers within 0.12 %).");
}

TEST_CASE("a trial in vain takes the advice away, with its reason") {
    TrialResult noise = loaderTrial(TrialOutcome::WithinNoise);
    noise.after = Seconds{0.0441};
    const std::string text = reported({noise});
    CAPTURE(text);
    CHECK(text.find("Tried in vain: `Load with workers` (44.2 → 44.1 ms per step, within the "
                    "noise).") != text.npos);
    CHECK(text.find("ageable") == text.npos);
    TrialResult slower = loaderTrial(TrialOutcome::Slower);
    std::swap(slower.before, slower.after);
    slower.per = "run";
    TrialResult failed = loaderTrial(TrialOutcome::Failed);
    failed.why = "exit code 1: no `workers`\n# Title";
    const json program = programAfter({slower, failed});
    for (const json& action : program["actions"]) CHECK(action["rule"] != "pageable-copy");
    CHECK(program["trials_text"] ==
          "Tried in vain: `Load with workers` (27.9 → 44.2 ms for the whole run, slower); `Load "
          "with workers` (failed: `exit code 1: no 'workers' # Title`).");
}

TEST_CASE("a trial of another edit leaves the bound, and so does one with other results") {
    TrialResult other = loaderTrial(TrialOutcome::Helped);
    other.settles.clear();
    other.kept = std::nullopt;
    TrialResult changed = loaderTrial(TrialOutcome::ResultsChanged);
    changed.kept = false;
    changed.largestDifference = 0.05;
    changed.before = Seconds{1.2};
    const json program = programAfter({other, changed});
    const json& action = program["actions"][0];
    CHECK(action["rule"] == "pageable-copy");
    CHECK(action["gain_text"] == action["bound_text"]);
    CHECK(action["tried_text"] ==
          "Tried with `loader`: 1.20 s → 27.9 ms per step (printed numbers differ by 5 %). "
          "Tried with `loader`: 44.2 → 27.9 ms per step (results not compared).");
}

TEST_CASE("what helped without an action that suggests it is said, too") {
    TrialResult unasked = loaderTrial(TrialOutcome::Helped);
    unasked.settles = unasked.suggestedBy = {"allocation-in-loop"};
    const std::string text = reported({unasked});
    CHECK(text.find("Tried with `loader`: 44.2 → 27.9 ms per step") != text.npos);
}

TEST_CASE("trials are told in other languages") {
    const std::string text =
        reported({loaderTrial(TrialOutcome::Helped)}, ReportFormat::Markdown, test::kZh);
    CAPTURE(text);
    CHECK(text.find("44.2 → 27.9 ms") != text.npos);
    CHECK(text.find("tried") == text.npos);
    CHECK(text.find("per step") == text.npos);
}
