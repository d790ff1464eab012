// SPDX-License-Identifier: Apache-2.0
// The published schema describes exactly what is written.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profile/codec/codec.h"
#include "tests/profile/random_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/skip.h"

using Json = nlohmann::json;
using Checker = roofscope::test::SchemaChecker;

namespace {

const std::filesystem::path kSchema =
    std::filesystem::path(ROOFSCOPE_SOURCE_DIR) / "profile/schema/profile-1.schema.json";

Json loadSchema() {
    std::ifstream in(kSchema);
    return Json::parse(in);
}

}  // namespace

TEST_CASE("every profile that is written follows the schema") {
    const Json schema = loadSchema();
    const Checker checker(schema);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto text = roofscope::formatProfile(roofscope::test::randomProfile(seed));
        INFO("seed " << seed);
        CHECK(checker.check(Json::parse(text), schema) == "");
    }
}

TEST_CASE("the schema refuses what the reader refuses") {
    const Json schema = loadSchema();
    const Checker checker(schema);
    const Json good = Json::parse(roofscope::formatProfile(roofscope::test::randomProfile(5)));
    const auto refuses = [&](const char* pointer, const Json& value) {
        Json bad = good;
        bad[Json::json_pointer(pointer)] = value;
        INFO(pointer);
        CHECK(checker.check(bad, schema) != "");
        CHECK_FALSE(roofscope::parseProfile(bad.dump(), "p").ok());
    };
    refuses("/format", "other");
    refuses("/devices/0/sm_count", -1);
    const Json ceiling{{"name", "fp32"}, {"kind", "compute"}, {"burst_ops_per_s", 1e12}};
    const auto refusesCeiling = [&](const char* key, const Json& value) {
        Json changed = ceiling;
        changed[key] = value;
        refuses("/devices/0/ceilings", Json::array({changed}));
    };
    refusesCeiling("name", "");
    refusesCeiling("kind", 3);
    refusesCeiling("burst_ops_per_s", 0);
    refusesCeiling("sustained_ops_per_s", -1);
    refusesCeiling("spread_ratio", -0.1);
    refusesCeiling("throttled", "no");
    refuses("/devices/0/sm_count", 1.5);
    refuses("/kernels/0/name", 3);
    refuses("/launches/kernel", Json::object({{"all", 0}}));
    refuses("/launches/grid_x", "x");
    refuses("/counters", Json::array({1}));
    refuses("/processes/0/ended_cleanly", 1);
}

TEST_CASE("a full validator agrees, where one is installed", "[needs-jsonschema]") {
    if (std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") != 0)
        SKIP_CASE("python3 has no jsonschema: only the built-in checker was asked");
    const auto path = std::filesystem::temp_directory_path() /
                      ("roofscope-schema-" + std::to_string(std::rand()) + ".roofscope.json");
    for (const std::uint64_t seed : {5, 6, 7}) {
        REQUIRE(roofscope::writeProfile(roofscope::test::randomProfile(seed), path).ok());
        const std::string command =
            "python3 -c \"import json,sys,jsonschema; "
            "s=json.load(open(sys.argv[1])); p=json.load(open(sys.argv[2])); "
            "jsonschema.Draft202012Validator.check_schema(s); "
            "jsonschema.Draft202012Validator(s).validate(p)\" '" +
            kSchema.string() + "' '" + path.string() + "'";
        CHECK(std::system(command.c_str()) == 0);
    }
    std::filesystem::remove(path);
}
