// SPDX-License-Identifier: Apache-2.0
// Baselines and rules of the gate, and comparisons of programs with nothing in common: nothing
// passes without a check.
#include <chrono>
#include <sstream>

#include "profile/codec/codec.h"
#include "tests/hostile/recording.h"
#include "tests/support/catch.h"
#include "tests/support/synthetic_profile.h"

using namespace roofscope;
using namespace roofscope::test;

namespace {

/// The text without lines that contain `part`.
std::string without(const std::string& text, const std::string& part) {
    std::istringstream in(text);
    std::string kept;
    for (std::string line; std::getline(in, line);)
        if (!contains(line, part)) kept += line + "\n";
    return kept;
}

void writeText(const std::string& name, const std::string& text) {
    std::ofstream(folder().file(name), std::ios::binary) << text;
}

std::string baselineOfSample() {
    inBash("rm -f judged");
    REQUIRE(roofscopeRun("gate '" + kSample + "' --baseline judged --update").code == 0);
    return readText(folder().file("judged"));
}

}  // namespace

TEST_CASE("a quantity that rules demand and the baseline lacks is not compared, for every key") {
    const std::string whole = baselineOfSample();
    for (const std::string key :
         {"duration_ns", "dram_read_bytes", "dram_write_bytes", "global_load_requested_bytes",
          "global_load_sectors", "global_store_requested_bytes", "global_store_sectors",
          "shared_wavefronts", "local_sectors", "fp64_flops", "fp32_flops",
          "fp16_flops_upper_bound", "warp_instructions", "registers_per_thread",
          "local_bytes_per_thread"}) {
        // In the baseline durations are named by the run that measured them.
        writeText("judged", without(whole, key == "duration_ns" ? "_run_ns" : "  " + key + " "));
        writeText("rules",
                  "{\"format\":\"roofscope-gate-rules\",\"schema\":[1,0],"
                  "\"max_growth_ratio\":{\"" +
                      key + "\":0.1}}");
        const auto r = roofscopeRun("gate '" + kSample + "' --baseline judged --rules rules");
        CAPTURE(key, r.out.substr(0, 2000), r.err);
        CHECK(r.code == 2);
    }
}

TEST_CASE("a baseline that was cut off anywhere is refused") {
    const std::string whole = baselineOfSample();
    std::size_t passed = 0;
    // Cut near the end, where the rest is still meaningful, and at even distances before.
    for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t gone = i < 40 ? i + 1 : whole.size() / 20 * (i - 39);
        if (gone >= whole.size()) continue;
        writeText("judged", whole.substr(0, whole.size() - gone));
        const auto r = roofscopeRun("gate '" + kSample + "' --baseline judged");
        CAPTURE(gone, r.code, r.err);
        // Only the last line end may be missing.
        if (r.code == 0)
            passed = std::max(passed, gone);
        else
            CHECK((r.code == 65 || r.code == 2));
    }
    CHECK(passed <= 1);
}

TEST_CASE("names of people and machines stay out of baselines") {
    const std::string names[] = {"run bob@wrk7", "\\\\srv\\bob\\x",       "nvcc -I/home/bob/inc",
                                 "../bob/x",     "open '/home/bob/my x'", "\"/home/bob/a b/c.cu\"",
                                 "~bob/x",       "C:\\Users\\bob\\x",     "file:///home/bob/x",
                                 "/home/bob"};
    SyntheticProfile p;
    for (const std::string& name : names)
        p.launch(p.kernel("k of " + name), {128, 1, 1}, {256, 1, 1}).range("in " + name);
    p.launch(p.kernel("at wrk7-node.example.org"), {128, 1, 1}, {256, 1, 1});
    Profile profile = p.build();
    profile.processes[0].host = "wrk7-node.example.org";
    REQUIRE(writeProfile(profile, folder().file("people.json")).ok());
    REQUIRE(roofscopeRun("gate people.json --baseline people --update").code == 0);
    const std::string baseline = readText(folder().file("people"));
    CAPTURE(baseline);
    CHECK(contains(baseline, "\nkernel "));
    CHECK_FALSE(contains(baseline, "bob"));
    CHECK_FALSE(contains(baseline, "wrk7-node"));
    // The same for all formats of --redact.
    for (const std::string& format : formats()) {
        const auto r = roofscopeRun("report people.json --redact -f " + format);
        CAPTURE(format, r.err);
        // A trace needs times, which this profile does not have.
        CHECK(r.code == (format == "perfetto" ? 64 : 0));
        CHECK_FALSE(contains(r.out, "wrk7-node"));
        CHECK_FALSE(contains(r.out, "/home/bob"));
    }
}

TEST_CASE("the JUnit file has what Jenkins knows, and no more") {
    baselineOfSample();
    const auto r = roofscopeRun("gate '" + kSample + "' --baseline judged -f junit");
    REQUIRE(r.code == 0);
    // <testsuites> in Jenkins' schema has no attribute `skipped`.
    const std::size_t at = r.out.find("<testsuites");
    REQUIRE(at != std::string::npos);
    CHECK_FALSE(contains(r.out.substr(at, r.out.find('>', at) - at), "skipped"));
}

TEST_CASE("thousands of kernels without a partner: a name that is alike is found, in seconds") {
    // Every name has its own words; one kernel was renamed.
    const auto profileOf = [](const std::string& file, const std::string& words,
                              const std::string& renamed) {
        SyntheticProfile p;
        for (int i = 0; i < 3000; ++i)
            p.launch(p.kernel(words + std::to_string(i * 7919) + "()"), {128, 1, 1}, {256, 1, 1})
                .durationUs(10);
        p.launch(p.kernel(renamed), {128, 1, 1}, {256, 1, 1}).durationUs(10'000);
        REQUIRE(writeProfile(p.build(), folder().file(file)).ok());
    };
    profileOf("many1.json", "alpha", "void fused_attention_forward_tiles_64(float*)");
    profileOf("many2.json", "omega", "void fused_attention_forward_tiles_64_rows(float*)");
    const auto from = std::chrono::steady_clock::now();
    const auto r = roofscopeRun("compare many1.json many2.json -f json");
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count() < 30);
    CAPTURE(r.code, r.err);
    CHECK(contains(r.out, "\"tier\": \"similar\""));
    CHECK(contains(r.out, "fused_attention_forward_tiles_64_rows"));
}

TEST_CASE("the recording of a cluster passes against its own baseline") {
    SyntheticProfile p;
    for (std::uint32_t i = 0; i < 200; ++i)
        p.launch(p.kernel("copy(int)"), {128, 1, 1}, {256, 1, 1}).durationUs(10);
    Profile made = p.build();
    made.devices.resize(100, made.devices[0]);
    for (std::uint32_t i = 0; i < 100; ++i) {
        made.devices[i].uuid = "GPU-" + std::to_string(i);
        made.launches[i].device = made.launches[i + 100].device = i;
    }
    REQUIRE(writeProfile(made, folder().file("cluster.json")).ok());
    const auto written = roofscopeRun("gate cluster.json --baseline cluster.baseline --update");
    INFO(written.err);
    REQUIRE(written.code == 0);
    const auto r = roofscopeRun("gate cluster.json --baseline cluster.baseline");
    INFO(r.out + r.err);
    CHECK(r.code == 0);
}
