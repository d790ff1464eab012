// SPDX-License-Identifier: Apache-2.0
// The published schema describes exactly what the JSON report has.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "reports/report.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"

using namespace roofscope;
using nlohmann::json;

namespace {

json loadSchema() {
    std::ifstream in(std::string(ROOFSCOPE_SOURCE_DIR) + "/reports/schema/report-1.schema.json");
    return json::parse(in);
}

json reportOf(const Analysis& analysis) {
    return json::parse(
        renderReport(analysis, ReportFormat::Json, {.profilePath = "p.roofscope.json"}).value());
}

}  // namespace

TEST_CASE("JSON reports follow their schema") {
    const json schema = loadSchema();
    const test::SchemaChecker checker(schema);
    CHECK(checker.check(reportOf(test::analysisOf(test::showcase())), schema) == "");
    CHECK(checker.check(reportOf(test::analysisOf(test::sourceShowcase())), schema) == "");
    CHECK(checker.check(reportOf(analyze(std::make_shared<const Profile>())), schema) == "");
    using Doing = test::SyntheticProfile::Activity;
    constexpr Doing kCopying{.sms = 1, .dram = 0.8}, kComputing{.sms = 1, .issue = 0.6};
    test::SyntheticProfile life;
    auto trace = life.overTime(test::idleLaunch(life, "k()", {1056, 1, 1}, {256, 1, 1}, 90), 1);
    for (int i = 0; i < 2; ++i) trace.intervals(15, kCopying).intervals(15, kComputing);
    trace.intervals(30, {.sms = 0.1});
    CHECK(checker.check(reportOf(test::analysisOf(life)), schema) == "");
    const std::filesystem::path samples =
        std::filesystem::path(ROOFSCOPE_SOURCE_DIR) / "profile/samples";
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(samples)) {
        if (entry.path().extension() != ".gz") continue;
        INFO(entry.path().filename());
        ++count;
        auto profile = readProfile(entry.path().string());
        REQUIRE(profile.ok());
        // Also with counter groups in turn, without counters, and without times.
        profile->capture.strategy = "multiplex";
        auto timed = *profile;
        timed.counters = CounterTable();
        auto nothing = timed;
        for (Launch& launch : nothing.launches) launch.duration = launch.start = std::nullopt;
        for (Profile* p : {&*profile, &timed, &nothing})
            CHECK(checker.check(reportOf(analyze(std::make_shared<const Profile>(std::move(*p)))),
                                schema) == "");
    }
    CHECK(count >= 11);
}

TEST_CASE("the report's schema refuses what is no report") {
    const json schema = loadSchema();
    const test::SchemaChecker checker(schema);
    const json good = reportOf(test::analysisOf(test::showcase()));
    const auto refuses = [&](const char* pointer, const json& value) {
        json bad = good;
        bad[json::json_pointer(pointer)] = value;
        INFO(pointer);
        return !checker.check(bad, schema).empty();
    };
    CHECK(refuses("/format", "roofscope-profile"));
    CHECK(refuses("/convention", "other"));
    CHECK(refuses("/kernels/0/verdict/class", "slow"));
    CHECK(refuses("/kernels/0/launches", -1));
    CHECK(refuses("/kernels/0/quantities/dram_bytes", "many"));
    CHECK(refuses("/kernels/0/undescribed", 1));
    json bad = good;
    bad["kernels"][0].erase("verdict");
    CHECK_FALSE(checker.check(bad, schema).empty());
}
