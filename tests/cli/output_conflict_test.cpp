// SPDX-License-Identifier: Apache-2.0
// An output that is also an input is refused, and the input stays unchanged.
#include <filesystem>

#include "tests/cli/run_roofscope.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
namespace fs = std::filesystem;

namespace {

const fs::path kSamples = ROOFSCOPE_SOURCE_DIR "/profile/samples";

void copyInto(const fs::path& from, const char* name) {
    fs::copy_file(from, folder().file(name), fs::copy_options::overwrite_existing);
}

}  // namespace

TEST_CASE("no command writes over what it reads") {
    copyInto(kSamples / "h200_atomics.roofscope.json.gz", "a.json");
    copyInto(kSamples / "h200_torch_triton.roofscope.json.gz", "b.json");
    copyInto(ROOFSCOPE_SOURCE_DIR "/tests/data/ncu_h200_access_patterns.csv", "a.csv");
    std::ofstream(folder().file("rules.json")) << R"({"format": "roofscope-gate-rules"})";
    REQUIRE(roofscopeRun("gate a.json -b base -u").code == 0);
    for (const char* link : {"link.json", "linkbase"}) fs::remove(folder().file(link));
    fs::create_symlink("a.json", folder().file("link.json"));
    fs::create_symlink("base", folder().file("linkbase"));

    const auto contents = [] {
        std::string all;
        for (const char* name : {"a.json", "b.json", "a.csv", "rules.json", "base"})
            all += readText(folder().file(name));
        return all;
    };
    const std::string before = contents();
    for (const char* arguments :
         {"report a.json --out a.json", "report a.json --out ./a.json",
          "report a.json --out link.json", "report link.json -f csv --out a.json",
          "report b.json a.json -f markdown --out a.json",
          "report a.json --baseline b.json -f markdown --out b.json",
          "compare a.json b.json --out a.json", "compare a.json b.json --out b.json",
          "merge a.json b.json --out link.json", "gate a.json -b base -f json --out a.json",
          "gate a.json -b base -f json --out base",
          "gate a.json -b base -r rules.json --out rules.json", "gate a.json -b a.json --update",
          "gate a.json -b rules.json -r rules.json --update", "import a.csv --out a.csv",
          "import - --out a.csv < a.csv"}) {
        INFO(arguments);
        const auto r = inBash(std::string("'" ROOFSCOPE_PROGRAM "' ") + arguments);
        CHECK(r.code == 64);
        CHECK(contains(r.err, "is also an input and would be overwritten"));
        CHECK(contents() == before);
    }
    // A new name, another file and a link to another file are allowed.
    CHECK(roofscopeRun("report a.json --out new.md").code == 0);
    CHECK(roofscopeRun("report a.json --out new.md").code == 0);
    CHECK(roofscopeRun("gate a.json -b linkbase -u").code == 0);
}

TEST_CASE("record does not write its profile over the program") {
    std::ofstream(folder().file("app")) << "#!/bin/sh\n";
    fs::permissions(folder().file("app"), fs::perms::owner_all);
    const auto r = roofscopeRun("record --out app -- ./app");
    CHECK(r.code == 64);
    CHECK(contains(r.err, "is also an input"));
    CHECK(readText(folder().file("app")) == "#!/bin/sh\n");
}

TEST_CASE("gate --update replaces baselines only") {
    copyInto(kSamples / "h200_atomics.roofscope.json.gz", "a.json");
    copyInto(kSamples / "h200_torch_triton.roofscope.json.gz", "b.json");
    std::ofstream(folder().file("notes.txt")) << "of the roofscope-baseline format\n";
    for (const char* other : {"b.json", "notes.txt"}) {
        INFO(other);
        const std::string before = readText(folder().file(other));
        const auto r = roofscopeRun(std::string("gate a.json -u -b ") + other);
        CHECK(r.code == 65);
        CHECK(contains(r.err, "is not a baseline"));
        CHECK(readText(folder().file(other)) == before);
    }
    // A damaged baseline counts as a baseline: --update repairs it.
    std::ofstream(folder().file("base"))
        << "<<<<<<< ours\nroofscope-baseline {\"schema\": 99\n=======\n";
    std::ofstream(folder().file("empty")) << "";
    CHECK(roofscopeRun("gate a.json -u -b base").code == 0);
    CHECK(roofscopeRun("gate a.json -u -b empty").code == 0);
    CHECK(roofscopeRun("gate a.json -b base").code == 0);
}
