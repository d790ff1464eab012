// SPDX-License-Identifier: Apache-2.0
// What the fuzzers begin with, through the whole tool: shares of time add up in JSON, in words and
// in what assistants get.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/hostile/recording.h"
#include "tests/support/catch.h"
#include "tests/support/share_sums.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

const std::string kCorpus = ROOFSCOPE_SOURCE_DIR "/tests/fuzz/corpus/";

/// Checks all reports of a file in folder(). Returns whether they have shares.
bool checkShares(const std::string& file) {
    const auto raw = roofscopeRun("report " + file + " -f json");
    INFO(raw.err);
    REQUIRE(raw.code == 0);
    const auto report = nlohmann::json::parse(raw.out);
    CHECK(sharesProblem(report) == "");
    const bool shares = !report["program"]["shares"].is_null();
    for (const std::string format : {"-f markdown", "-f text", "--for-agent"}) {
        CAPTURE(format);
        const auto said = roofscopeRun("report " + file + " " + format);
        REQUIRE(said.code == 0);
        CHECK(percentsProblem(said.out) == "");
        CHECK(percentsInText(said.out).has_value() == shares);
    }
    return shares;
}

}  // namespace

TEST_CASE("shares add up in what is imported from every seed of the importers' fuzzers") {
    for (const std::string kind : {"trace", "nsys", "import"}) {
        int timed = 0, imported = 0;
        for (const auto& seed : std::filesystem::directory_iterator(kCorpus + kind)) {
            CAPTURE(seed.path());
            inBash("rm -f i.json");
            const auto r = roofscopeRun("import '" + seed.path().string() + "' --out i.json");
            if (r.code != 0) continue;
            ++imported;
            timed += checkShares("i.json");
        }
        CAPTURE(kind);
        CHECK(imported > 0);
        // An export of Nsight Compute has no timeline.
        CHECK((timed > 0) == (kind != "import"));
    }
}

TEST_CASE("shares add up in what is recorded from every seed of the spools' fuzzer") {
    int timed = 0, kept = 0;
    makeProgram("none");  // only for its library
    for (const auto& seed : std::filesystem::directory_iterator(kCorpus + "spool")) {
        CAPTURE(seed.path());
        inBash("rm -f s.json");
        const auto r =
            roofscopeRun(std::string(kRecord) + "--out s.json -- /bin/sh -c 'cp \"" +
                             seed.path().string() + "\" \"$ROOFSCOPE_SPOOL_DIR/7-1.spool\"'",
                         kInjected);
        if (!exists("s.json")) continue;
        INFO(r.err);
        ++kept;
        timed += checkShares("s.json");
    }
    CHECK(kept > 0);
    CHECK(timed > 0);
}
