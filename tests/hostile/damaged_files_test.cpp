// SPDX-License-Identifier: Apache-2.0
// Damaged copies of real files through the whole program: it must end with a documented exit code
// and a one-line message, in bounded time and memory. tests/fuzz tests only the readers, a thousand
// times faster.
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/damage.h"
#include "tests/hostile/recording.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

// Declared by damage.h; the target here is the program itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return 0; }

namespace {

long setting(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtol(text, nullptr, 10) : otherwise;
}

bool documented(int code) {
    for (const int known : {0, 1, 2, 64, 65, 66, 69, 73, 74, 75, 77})
        if (code == known) return true;
    return false;
}

}  // namespace

TEST_CASE("a damaged profile, baseline or export ends with a documented code") {
    inBash("gzip -dc '" ROOFSCOPE_SOURCE_DIR
           "/profile/samples/h200_bundled.roofscope.json.gz' > good.json; '" ROOFSCOPE_PROGRAM
           "' gate good.json --baseline good.baseline --update");
    const std::string profile = readText(folder().file("good.json"));
    const std::string baseline = readText(folder().file("good.baseline"));
    REQUIRE(profile.size() > 1000);
    REQUIRE(baseline.size() > 1000);
    std::mt19937_64 random(static_cast<std::uint64_t>(setting("ROOFSCOPE_HOSTILE_SEED", 24)));
    const long runs = setting("ROOFSCOPE_HOSTILE_RUNS", 60);
    const std::string profileCommands[] = {"report bad -f markdown",
                                           "report bad -f json",
                                           "report bad -f html --redact=names",
                                           "compare good.json bad",
                                           "gate bad --baseline good.baseline",
                                           "merge good.json bad --out merged.json"};
    for (long run = 0; run < runs; ++run) {
        const bool ofProfile = run % 4 != 3;
        const std::string bad = fuzz::damaged(ofProfile ? profile : baseline, fuzz::kJsonPieces,
                                              random, fuzz::Damage{});
        std::ofstream(folder().file("bad"), std::ios::binary) << bad;
        const std::string arguments = ofProfile ? profileCommands[random() % 6]
                                                : std::string("gate good.json --baseline bad");
        const auto r = inBash("ulimit -v 2000000 -t 60; exec '" ROOFSCOPE_PROGRAM "' " + arguments);
        CAPTURE(run, arguments, r.code, r.err);
        CHECK(documented(r.code));
        // A second line could be taken for another message.
        if (r.code >= 64) CHECK(r.err.find('\n') + 1 == r.err.size());
    }
}

TEST_CASE("what is imported from absurd numbers is read again") {
    const std::string trace =
        readText(std::string(ROOFSCOPE_SOURCE_DIR) + "/tests/fuzz/corpus/trace/backward.json");
    for (const std::string part : {"\"tid\": 8", "\"pid\": 9", "\"dur\": 10", "\"correlation\": 4",
                                   "\"Sequence number\": 1", "\"stream\": 20", "\"Python id\": 1"})
        for (const std::string number : {"2305843009213693952", "-9007199254740993", "1e300"}) {
            CAPTURE(part, number);
            std::string changed = trace;
            const std::string value = part.substr(0, part.rfind(' ') + 1) + number;
            for (auto at = changed.find(part); at != changed.npos; at = changed.find(part, at + 1))
                changed.replace(at, part.size(), value);
            std::ofstream(folder().file("trace.json")) << changed;
            inBash("rm -f imported.json");
            const auto made = roofscopeRun("import trace.json --out imported.json");
            if (made.code == 65) continue;
            CHECK(made.code == 0);
            const auto r = roofscopeRun("report imported.json -f json");
            INFO(made.err + r.err);
            CHECK(r.code == 0);
        }
}

TEST_CASE("many places and kernels of one name merge in seconds, and their counts stay readable") {
    inBash(R"(python3 - <<'END'
import json
n = 60000
for name in "ab":
    json.dump({"format": "roofscope-profile", "schema": [1, 7], "devices": [{"name": "g"}],
               "processes": [{"pid": ord(name)}],
               "kernels": [{"name": "k", "symbol": "k", "local_bytes_per_thread": i} for i in range(n)],
               "launches": {"kernel": [0]},
               "call_sites": [{"call": "cuMemcpyAsync", "file": "f.py", "line": i, "function": "f",
                               "count": 2**53} for i in range(n)]}, open(f"many-{name}.json", "w"))
END)");
    const auto merged = inBash("ulimit -t 6; exec '" ROOFSCOPE_PROGRAM
                               "' merge many-a.json many-b.json --out many.json");
    INFO(merged.err);
    REQUIRE(merged.code == 0);
    const auto r = roofscopeRun("report many.json -f csv");
    INFO(r.err);
    CHECK(r.code == 0);
}

TEST_CASE("what follows a NUL, and a version that is none, are errors") {
    const std::string profile = readText(folder().file("good.json"));
    const auto codeOf = [](const std::string& text) {
        std::ofstream(folder().file("bad"), std::ios::binary) << text;
        return roofscopeRun("report bad -f csv").code;
    };
    CHECK(codeOf(profile) == 0);
    CHECK(codeOf(profile + std::string(1, '\0')) == 65);
    CHECK(codeOf(profile + std::string("\0{\"a\":1}", 8)) == 65);
    for (const char* schema : {"[1,-1]", "[1,0.5]", "[1,null]", "[1,0,0]", "[]", "[0,0]"}) {
        std::string changed = profile;
        const std::size_t at = changed.find("\"schema\":[");
        REQUIRE(at != std::string::npos);
        const std::size_t from = at + 9;
        changed.replace(from, changed.find(']', from) + 1 - from, schema);
        CAPTURE(schema);
        CHECK(codeOf(changed) == 65);
    }
}
