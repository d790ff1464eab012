// SPDX-License-Identifier: Apache-2.0
// Results of `roofscope try` beside a recording: read, refused, and what they rule out.
#include "profile/trials/trial_results.h"

#include <fstream>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "profile/text/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;
using nlohmann::json;

namespace {

const std::string kRecording = sha256Hex("a recording");

json trialObject(const std::string& outcome) {
    return {{"name", "tf32"},
            {"title", "Allow TF32"},
            {"outcome", outcome},
            {"why", nullptr},
            {"per", "step"},
            {"before_seconds", 0.0442},
            {"after_seconds", 0.0279},
            {"results", {{"kept", true}, {"largest_difference", 0.001}, {"missing", 0}}},
            {"suggested_by", {"missing-tensor-core"}},
            {"settles", {"missing-tensor-core"}}};
}
json fileOf(json trials) {
    return {{"format", "roofscope-tried"},
            {"schema", {1, 0}},
            {"recording_sha256", kRecording},
            {"trials", std::move(trials)}};
}
Result<TrialResults> parsed(const json& file) {
    return parseTrials(file.dump(), kRecording, "app.tried.json");
}

}  // namespace

TEST_CASE("trials are read with what they measured") {
    const auto results = parsed(fileOf({trialObject("helped")}));
    REQUIRE(results.ok());
    REQUIRE(results->trials.size() == 1);
    const TrialResult& trial = results->trials[0];
    CHECK(trial.name == "tf32");
    CHECK(trial.title == "Allow TF32");
    CHECK(trial.outcome == TrialOutcome::Helped);
    CHECK(trial.per == "step");
    CHECK(trial.before->value == 0.0442);
    CHECK(trial.after->value == 0.0279);
    CHECK(trial.kept == true);
    CHECK(trial.largestDifference == 0.001);
    CHECK(trial.suggestedBy == std::vector<std::string>{"missing-tensor-core"});
    CHECK(trial.isEditOf("missing-tensor-core"));
    CHECK_FALSE(trial.isEditOf("pageable-copy"));
    CHECK_FALSE(results->ruleOut("missing-tensor-core"));
}

TEST_CASE("what was not compared or not measured is absent, never 0") {
    json failed = trialObject("failed");
    failed["why"] = "exit code 1";
    for (const char* key : {"before_seconds", "after_seconds"}) failed[key] = nullptr;
    for (const char* key : {"kept", "largest_difference", "missing"})
        failed["results"][key] = nullptr;
    const auto results = parsed(fileOf({failed}));
    REQUIRE(results.ok());
    const TrialResult& trial = results->trials[0];
    CHECK(trial.why == "exit code 1");
    CHECK_FALSE(trial.before);
    CHECK_FALSE(trial.after);
    CHECK_FALSE(trial.kept);
    CHECK_FALSE(trial.largestDifference);
}

TEST_CASE("a rule is ruled out only if none of its edits helped") {
    for (const char* vain : {"within-noise", "slower", "failed"}) {
        json other = trialObject("helped");
        other["settles"] = json::array();
        CHECK(parsed(fileOf({trialObject(vain), other}))->ruleOut("missing-tensor-core"));
        CHECK_FALSE(parsed(fileOf({trialObject(vain)}))->ruleOut("pageable-copy"));
        for (const char* good : {"helped", "results-changed"})
            CHECK_FALSE(parsed(fileOf({trialObject(vain), trialObject(good)}))
                            ->ruleOut("missing-tensor-core"));
    }
    CHECK_FALSE(parsed(fileOf(json::array()))->ruleOut("missing-tensor-core"));
}

TEST_CASE("damaged results, and those of another recording, are refused") {
    const auto refused = [](const json& file) {
        const auto results = parsed(file);
        REQUIRE_FALSE(results.ok());
        CHECK(results.error().where == "app.tried.json");
        return results.error().what;
    };
    const json good = fileOf({trialObject("helped")});
    const auto with = [&good](const std::string& pointer, json value) {
        json file = good;
        file[json::json_pointer(pointer)] = std::move(value);
        return file;
    };
    CHECK(refused(with("/recording_sha256", sha256Hex("another"))) ==
          "its trials are those of another recording");
    CHECK(refused(with("/format", "roofscope-profile")) == "no results of roofscope try");
    CHECK(refused(with("/schema/0", 2)) == "written by a newer roofscope");
    CHECK(refused(json::array()) == "no results of roofscope try");
    for (const auto& [pointer, value] : {std::pair<const char*, json>{"/trials", 1},
                                         {"/trials", {1}},
                                         {"/trials/0/outcome", "great"},
                                         {"/trials/0/settles", {1}},
                                         {"/trials/0/settles", nullptr},
                                         {"/trials/0/name", ""},
                                         {"/trials/0/after_seconds", nullptr},
                                         {"/trials/0/after_seconds", 0},
                                         {"/trials/0/results/largest_difference", -0.5},
                                         {"/trials/0/before_seconds", "44"}})
        CHECK(refused(with(pointer, value)).starts_with("damaged"));
    const auto cut = parseTrials(good.dump().substr(0, 100), kRecording, "app.tried.json");
    CHECK_FALSE(cut.ok());
}

TEST_CASE("trials lie beside their recording") {
    CHECK(trialsFileOf("runs/app.roofscope.json.gz") == "runs/app.tried.json");
    CHECK(trialsFileOf("app.roofscope.json") == "app.tried.json");
    CHECK(trialsFileOf("report.ncu-rep") == "report.ncu-rep.tried.json");
    const test::TemporaryFolder folder;
    const auto profile = folder.file("app.roofscope.json");
    CHECK_FALSE(readTrialsOf(profile)->has_value());
    std::ofstream(folder.file("app.tried.json")) << fileOf({trialObject("helped")}).dump();
    CHECK_FALSE(readTrialsOf(profile)->has_value());  // there is no recording
    std::ofstream(profile) << "a recording";
    const auto read = readTrialsOf(profile);
    REQUIRE(read.ok());
    REQUIRE(read->has_value());
    CHECK((*read)->trials.size() == 1);
    std::ofstream(profile) << "a later recording";
    CHECK_FALSE(readTrialsOf(profile).ok());
}
