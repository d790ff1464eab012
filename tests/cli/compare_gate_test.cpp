// SPDX-License-Identifier: Apache-2.0
// roofscope compare and roofscope gate as programs.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_roofscope.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;

TEST_CASE("compare: two kernels of one profile, two profiles, and what cannot be compared") {
    const std::string samples = ROOFSCOPE_SOURCE_DIR "/profile/samples/";
    const std::string bundled = "'" + samples + "h200_bundled.roofscope.json.gz' ";
    const auto pair =
        roofscopeRun("compare " + bundled + "--kernel transpose_unpadded --with transpose_padded");
    CHECK(pair.code == 0);
    CHECK(pair.err.empty());
    CHECK(contains(pair.out, "bank conflicts of shared loads fell from 32-way to 1-way"));
    CHECK_FALSE(contains(pair.out, "\033["));

    const auto file = roofscopeRun("compare " + bundled + bundled + "-k transpose -o change.json");
    CHECK(file.code == 0);
    CHECK(file.out.empty());
    const auto json = nlohmann::json::parse(test::readText(folder().file("change.json")));
    CHECK(json.at("kernels").size() == 2);
    CHECK(json.at("kernels")[0].at("duration").at("state") == "within-noise");

    const auto none =
        roofscopeRun("compare " + bundled + "'" + samples + "h200_torch_triton.roofscope.json.gz'");
    CHECK(none.code == 2);
    CHECK(contains(none.out, "Nothing could be compared"));
    CHECK(contains(none.err, "nothing could be compared"));

    for (const auto& [arguments, answer] :
         {std::pair<std::string, std::string>{"-k sofmaxShared -w ffma",
                                              "softmax/block_per_row_shared"},
          {"-k softmax -w ffma", "matches 9 kernels"},
          {"-k ffma -w ffma", "the same kernel"},
          {bundled + "-k nonsense", "no kernel matches"}}) {
        INFO(arguments);
        const auto r = roofscopeRun("compare " + bundled + arguments);
        CHECK(r.code == 64);
        CHECK(r.out.empty());
        CHECK(contains(r.err, answer));
    }
    CHECK(roofscopeRun("compare no.json " + bundled).code == 66);
    CHECK(roofscopeRun("compare " + bundled + "no.json").code == 66);
    const auto since = roofscopeRun("report " + bundled + "-k transpose_un -b " + bundled);
    CHECK(since.code == 0);
    CHECK(contains(since.out, "**Since the baseline:**"));
    // The recording has the launches' buffers.
    CHECK_FALSE(contains(since.out, "no statement about fusion"));
    CHECK(roofscopeRun("report " + bundled + "-f csv -b " + bundled).code == 64);
    CHECK(contains(roofscopeRun("completion bash").out, "compare) words="));
}

TEST_CASE("gate: update, pass, regression, could not compare, and what makes no sense") {
    const std::string samples = ROOFSCOPE_SOURCE_DIR "/profile/samples/";
    const std::string bundled = "'" + samples + "h200_bundled.roofscope.json.gz' ";
    const std::string chain = "'" + samples + "h200_torch_chain.roofscope.json.gz' ";
    const auto missing = roofscopeRun("gate " + bundled + "-b perf.baseline");
    CHECK(missing.code == 66);
    CHECK(contains(missing.err, "--update"));
    const auto update = roofscopeRun("gate " + bundled + "--baseline perf.baseline --update");
    CHECK(update.code == 0);
    CHECK(update.out.empty());
    CHECK(contains(update.err, "wrote perf.baseline: "));
    const std::string text = test::readText(folder().file("perf.baseline"));
    CHECK(text.starts_with("roofscope-baseline {"));
    CHECK(roofscopeRun("gate " + bundled + "-b perf.baseline -u").code == 0);
    CHECK(test::readText(folder().file("perf.baseline")) == text);

    const auto pass = roofscopeRun("gate " + bundled + "-b perf.baseline");
    CHECK(pass.code == 0);
    CHECK(pass.err.empty());
    CHECK(contains(pass.out, "pass: 65 kernels checked with "));

    // A baseline with half the sectors, so that the profile has twice as many.
    std::string halved = text;
    const std::string sectors = "global_load_sectors {\"value\":16777216";
    REQUIRE(contains(halved, sectors));
    halved.replace(halved.find(sectors), sectors.size(), "global_load_sectors {\"value\":8388608");
    std::ofstream(folder().file("halved.baseline")) << halved;
    for (const auto& [format, part] : {std::pair<std::string, std::string>{"text", "global load"},
                                       {"markdown", "**fail**"},
                                       {"json", "\"exit_code\": 1"},
                                       {"junit", "<failure "},
                                       {"sarif", "\"2.1.0\""},
                                       {"github", "::error file=halved.baseline,line="}}) {
        INFO(format);
        const auto r = roofscopeRun("gate " + bundled + "-b halved.baseline -f " + format);
        CHECK(r.code == 1);
        CHECK(contains(r.out, part));
        CHECK(contains(r.out, "biasGeluFused"));
        CHECK(contains(r.err, "regression"));
    }
    CHECK(roofscopeRun("gate " + bundled + "-b halved.baseline -o gate.xml").code == 1);
    CHECK(test::readText(folder().file("gate.xml")).starts_with("<?xml"));

    CHECK(contains(roofscopeRun("compare " + bundled + bundled + "--window half").err,
                   "use auto, loop or run"));
    CHECK(contains(roofscopeRun("compare " + chain + chain + "--window run").out, "the whole run"));

    const auto other = roofscopeRun("gate " + chain + "-b perf.baseline");
    CHECK(other.code == 2);
    CHECK(contains(other.err, "could not compare"));
    CHECK(roofscopeRun("gate " + chain + "-b perf.baseline -a '*'").code == 2);
    // A new baseline says which kernels of the old one it no longer has.
    std::ofstream(folder().file("old.baseline")) << text;
    const auto dropped = roofscopeRun("gate " + chain + "-b old.baseline -u");
    CHECK(dropped.code == 0);
    CHECK(contains(dropped.err, "dropped 65 kernels that this profile does not have: "));

    std::ofstream(folder().file("rules.json"))
        << "{\"format\": \"roofscope-gate-rules\",\n\"kernels\": [{\"match\": \"gone\"}]}";
    CHECK(roofscopeRun("gate " + bundled + "-b perf.baseline -r rules.json").code == 2);
    CHECK(roofscopeRun("gate -a gone " + bundled + "-b perf.baseline -r rules.json").code == 0);
    std::ofstream(folder().file("rules.json")) << "{\n\"format\": \"roofscope\"}";
    const auto rules = roofscopeRun("gate " + bundled + "-b perf.baseline -r rules.json");
    CHECK(rules.code == 65);
    CHECK(contains(rules.err, "rules.json:2: "));

    CHECK(roofscopeRun("gate " + bundled).code == 64);
    CHECK(roofscopeRun("gate " + bundled + "-b perf.baseline -f csv").code == 64);
    CHECK(roofscopeRun("gate " + bundled + "-b perf.baseline -u -f json").code == 64);
    CHECK(roofscopeRun("gate " + bundled + bundled + "-b perf.baseline").code == 64);
    CHECK(roofscopeRun("gate no.json -b perf.baseline").code == 66);
    CHECK(roofscopeRun("gate " + bundled + "-b no/folder/b -u").code == 73);
    CHECK(roofscopeRun("gate " + bundled + "-b .").code == 66);
    CHECK(roofscopeRun("gate " + bundled + "-b " + bundled).code == 65);
    CHECK(contains(roofscopeRun("completion bash").out, "gate) words="));
}
