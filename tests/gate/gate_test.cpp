// SPDX-License-Identifier: Apache-2.0
// Whether a profile is as good as its baseline: every status, and files with wrong contents.
#include "gate/gate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "analyzer/counters/counter_names.h"
#include "gate/keys.h"
#include "profile/codec/codec.h"
#include "profile/operations/redact.h"
#include "tests/analyzer/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"

using namespace roofscope;
using gate::Baseline;
using gate::Check;
using gate::Judgement;
using gate::Rules;
using gate::Status;

namespace {

Analysis analysisOf(Profile profile) {
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

const Profile& bundledProfile() {
    static const Profile profile = test::sample("h200_bundled");
    return profile;
}

/// The baseline as read back from its file.
Baseline baselineOf(const Analysis& analysis) {
    const std::string text = gate::baselineText(analysis).text;
    auto read = gate::parseBaseline(text, "b");
    if (!read) FAIL(read.error().message());
    CHECK(gate::formatBaseline(*read) == text);
    return std::move(*read);
}

Rules rulesOf(const std::string& inner) {
    auto rules = gate::parseRules("{\"format\":\"roofscope-gate-rules\"," + inner + "}", "r");
    if (!rules) FAIL(rules.error().message());
    return std::move(*rules);
}

const Check* find(const Judgement& j, const std::string& id, Status status) {
    for (const auto& kernel : j.kernels)
        for (const Check& check : kernel.checks)
            if (check.id == id && check.status == status) return &check;
    for (const Check& check : j.checks)
        if (check.id == id && check.status == status) return &check;
    return nullptr;
}

/// A copy kernel with three launches of these durations (µs); `edit` changes each launch.
Profile copies(const std::vector<double>& microseconds = {100, 101, 102},
               const std::function<void(test::LaunchRef&)>& edit = {},
               Device device = test::testDevice()) {
    test::SyntheticProfile p(std::move(device));
    for (const double us : microseconds) {
        auto launch = test::idle(p, "copy(float*)", {1024, 1, 1}, {256, 1, 1}, us);
        launch.launch().kernel = 0;
        launch.set(counter::kGlobalLoadBytes, 1e8)
            .set(counter::kGlobalLoadSectors, 1e8 / 16)
            .set(counter::kGlobalLoads, 1e8 / 128)
            .set(counter::kGlobalStoreBytes, 1e8)
            .set("dram__bytes_read.sum", 1e8)
            .set("dram__bytes_write.sum", 1e8);
        if (edit) edit(launch);
    }
    return p.build();
}

Judgement against(const Profile& before, const Profile& after, const Rules& rules = {},
                  const std::vector<std::string>& allow = {}) {
    const Analysis a = analysisOf(before), b = analysisOf(after);
    return gate::judge(baselineOf(a), b, rules, allow);
}

}  // namespace

TEST_CASE("a recorded profile passes against its own baseline, and says what was checked") {
    const Analysis analysis = analysisOf(bundledProfile());
    const Judgement j = gate::judge(baselineOf(analysis), analysis, {});
    CHECK(j.exitCode() == 0);
    CHECK(j.count.kernels == analysis.kernels.size());
    CHECK(j.count.passed > 10 * analysis.kernels.size());
    CHECK(j.count.improved == 0);
    for (const auto& kernel : j.kernels) CHECK(kernel.baselineLine > 0);
}

TEST_CASE("every recording passes against its own baseline, however few its launches are") {
    const std::filesystem::path folder = ROOFSCOPE_SOURCE_DIR "/tests/frameworks/recorded";
    int recordings = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".gz") continue;
        INFO(entry.path().filename().string());
        auto profile = readProfile(entry.path().string());
        REQUIRE(profile);
        const Analysis analysis = analysisOf(*profile);
        CHECK(gate::judge(baselineOf(analysis), analysis, {}).exitCode() == 0);
        ++recordings;
    }
    CHECK(recordings > 20);
}

TEST_CASE("a doctored recording fails and names the kernel and the counter") {
    const Analysis before = analysisOf(bundledProfile());
    Profile changed = bundledProfile();
    const auto range = std::find_if(
        changed.ranges.begin(), changed.ranges.end(),
        [](const std::string& name) { return name.find("transpose_padded") != name.npos; });
    REQUIRE(range != changed.ranges.end());
    for (std::size_t i = 0; i < changed.launches.size(); ++i)
        if (changed.launches[i].range == range - changed.ranges.begin())
            changed.counters.set(counter::kGlobalLoadSectors, i,
                                 *changed.counters.value(counter::kGlobalLoadSectors, i) * 1.02);
    const Judgement j = gate::judge(baselineOf(before), analysisOf(changed), {});
    CHECK(j.exitCode() == 1);
    CHECK(j.count.failed == 1);
    CHECK(j.kernels[0].range == *range);
    REQUIRE(find(j, "global_load_sectors", Status::Fail));
    CHECK(*find(j, "global_load_sectors", Status::Fail)->growth() == Approx(0.02));
}

TEST_CASE("durations: beyond noise and 5 %, needing launches and alike clocks") {
    const Profile before = copies();
    CHECK(against(before, copies({104, 105, 106})).exitCode() == 0);  // 4 %
    const Judgement slower = against(before, copies({107, 108, 109}));
    CHECK(slower.exitCode() == 1);
    REQUIRE(find(slower, "duration_ns", Status::Fail));
    CHECK(*find(slower, "duration_ns", Status::Fail)->to == Approx(108e-6));
    // The median is the same, but the ranges overlap.
    CHECK(against(before, copies({101, 108, 109})).exitCode() == 0);
    const Judgement faster = against(before, copies({80, 81, 82}));
    CHECK(faster.exitCode() == 0);
    CHECK(faster.count.improved == 1);
    // Two launches do not show the noise, which matters where they are longer; rules can ignore
    // the duration.
    CHECK(against(before, copies({100, 101})).exitCode() == 0);
    const Judgement few = against(before, copies({110, 111}));
    CHECK(few.exitCode() == 2);
    CHECK(find(few, "duration_ns", Status::Incomparable));
    const auto moreBytes = [](test::LaunchRef& launch) {
        launch.set("dram__bytes_read.sum", 1.2e8);
    };
    CHECK(find(against(before, copies({100, 101}, moreBytes)), "dram_read_bytes",
               Status::Incomparable));
    CHECK(against(before, copies({110, 111}),
                  rulesOf("\"ignore\":[\"duration_ns\",\"dram_read_bytes\",\"dram_write_bytes\"]"))
              .exitCode() == 0);
    CHECK(against(before, copies({107, 108, 109}),
                  rulesOf("\"max_growth_ratio\":{\"duration_ns\":0.1}"))
              .exitCode() == 0);

    const auto clocked = [](double share) {
        return [share](test::LaunchRef& launch) {
            launch.set(counter::kSmClock, test::SyntheticProfile::kSmClockHz * share);
        };
    };
    // 8 % longer at a 10 % lower clock may be due to the clock; at a 10 % higher clock it is not.
    CHECK(find(against(before, copies({108, 109, 110}, clocked(0.9))), "duration_ns",
               Status::Incomparable));
    CHECK(
        find(against(before, copies({108, 109, 110}, clocked(1.1))), "duration_ns", Status::Fail));
    CHECK(find(against(before, copies({100, 101, 102}, clocked(0.5))), "duration_ns",
               Status::Incomparable));
}

TEST_CASE("a loop that became slower fails although its kernels did not") {
    const auto program = [](double work, const char* range = "step") {
        test::SyntheticProgram p;
        for (int i = 0; i < 8; ++i) {
            p.push(range).launch("gemm", 1000).sync();
            p.work(work + i).pop();
        }
        return p.build();
    };
    const Profile before = program(1000);
    const std::string text = gate::baselineText(analysisOf(before)).text;
    CHECK(text.find("program {\"window\":\"range\",\"name\":\"step\",\"value\":20") != text.npos);
    const Judgement slower = against(before, program(1500));
    CHECK(slower.exitCode() == 1);
    REQUIRE(slower.checks.size() == 1);
    CHECK(slower.checks[0].id == "window_ns");
    CHECK(slower.checks[0].status == Status::Fail);
    CHECK(*slower.checks[0].growth() == Approx(0.25).epsilon(0.02));
    CHECK(against(before, program(1500), rulesOf("\"max_growth_ratio\":{\"window_ns\":0.5}"))
              .exitCode() == 0);
    CHECK(against(before, program(1500), rulesOf("\"ignore\":[\"window_ns\"]")).exitCode() == 0);
    CHECK(against(before, program(1100)).exitCode() == 0);
    const Judgement faster = against(before, program(100));
    CHECK(faster.exitCode() == 0);
    CHECK(faster.checks[0].improved);
    // Other loops are not compared, and a program that repeats nothing has no such line.
    for (const Judgement& other :
         {against(before, program(1500, "epoch")), against(before, copies())}) {
        CHECK(find(other, "window_ns", Status::Fail) == nullptr);
        CHECK(find(other, "window_ns", Status::Pass) == nullptr);
    }
    CHECK(gate::baselineText(analysisOf(copies())).text.find("\nprogram") == std::string::npos);
}

TEST_CASE("counters: new spills, more bytes, missing ones") {
    const Profile before = copies();
    const auto with = [&](std::string_view counter, double value) {
        return against(before,
                       copies({100, 101, 102}, [&](test::LaunchRef& l) { l.set(counter, value); }));
    };
    CHECK(with(counter::kGlobalLoadBytes, 1.005e8).exitCode() == 0);
    CHECK(
        find(with(counter::kGlobalLoadBytes, 1.02e8), "global_load_requested_bytes", Status::Fail));
    CHECK(find(with(counter::kLocalSectors, 1), "local_sectors", Status::Fail));
    CHECK(with("dram__bytes_read.sum", 1.04e8).exitCode() == 0);
    CHECK(find(with("dram__bytes_read.sum", 1.06e8), "dram_read_bytes", Status::Fail));
    CHECK(with(counter::kGlobalLoadBytes, 0.9e8).count.improved == 1);

    Profile lacking = copies();
    for (std::size_t i = 0; i < lacking.launches.size(); ++i)
        lacking.counters.set(counter::kGlobalLoadSectors, i, std::nan(""));
    const Judgement j = against(before, lacking);
    CHECK(j.exitCode() == 2);
    const Check* check = find(j, "global_load_sectors", Status::Incomparable);
    REQUIRE(check);
    REQUIRE(check->reason.args.size() == 1);
    CHECK(check->reason.args[0].text.in(Language::En).find("sectors") != std::string::npos);
    CHECK(against(before, lacking, {}, {"copy"}).exitCode() == 0);
    CHECK(against(before, lacking, {}, {"co"}).exitCode() == 2);  // not a whole name, and no glob
}

TEST_CASE("only counted launches decide whether repeats agree") {
    // Like a recording: all launches are timed, but only three of 3,000 (any) have counters.
    const auto recorded = [](double bytes) {
        test::SyntheticProfile p;
        const auto kernel = p.kernel("k");
        for (int i = 0; i < 3000; ++i) {
            auto launch = p.launch(kernel, {1024}, {256});
            launch.durationUs(100 + i % 7);
            if (i == 1 || i == 701 || i == 2998)
                launch.counterDurationUs(100).set("dram__bytes_read.sum", bytes);
        }
        return analysisOf(p.build());
    };
    const Baseline baseline = baselineOf(recorded(1e9));
    REQUIRE(baseline.kernels.size() == 1);
    const gate::Fact& read = *baseline.kernels.front().facts.find("dram_read_bytes");
    CHECK(read.band.repeats == 3);
    CHECK(read.band.agrees);
    CHECK(gate::judge(baseline, recorded(1e9), {}).exitCode() == 0);
    CHECK(find(gate::judge(baseline, recorded(2e9), {}), "dram_read_bytes", Status::Fail));
}

TEST_CASE("another GPU, a kernel that is gone, a new one") {
    const Profile before = copies();
    Device other = test::testDevice();
    other.name = "NVIDIA H100";
    const Judgement gpu = against(before, copies({100, 101, 102}, {}, other));
    CHECK(gpu.exitCode() == 2);
    CHECK(find(gpu, "gpu", Status::Incomparable));
    // Allowed, but then nothing is left to check.
    CHECK(against(before, copies({100, 101, 102}, {}, other), {}, {"*"}).exitCode() == 2);

    const Analysis bundled = analysisOf(bundledProfile());
    const Baseline all = baselineOf(bundled);
    Profile fewer = bundledProfile();
    const std::string gone = "roofscope::gone(int)";
    fewer.kernels[0].name = gone;
    const Analysis candidate = analysisOf(fewer);
    const Judgement j = gate::judge(all, candidate, {});
    CHECK(j.exitCode() == 2);
    CHECK(j.count.failed == 0);
    CHECK(find(j, "kernel", Status::Incomparable));
    std::vector<std::string> names;
    for (const auto& kernel : j.kernels)
        if (kernel.status() != Status::Pass) names.push_back(kernel.name);
    CHECK(std::count(names.begin(), names.end(), "gone") >= 1);
    CHECK(gate::judge(all, candidate, {}, names).exitCode() == 0);
    CHECK(gate::judge(all, candidate, {}, {"nonsense"}).exitCode() == 2);

    const Baseline none;
    CHECK(gate::judge(none, analysisOf(Profile{}), {}).exitCode() == 2);
}

TEST_CASE("a new kernel is judged as the rules say") {
    test::SyntheticProfile two;
    test::idle(two, "copy(float*)", {64, 1, 1}, {64, 1, 1}, 100);
    const Profile one = two.build();
    test::idle(two, "extra(float*)", {64, 1, 1}, {64, 1, 1}, 100);
    const std::string timeless =
        "\"ignore\":[\"duration_ns\",\"dram_read_bytes\",\"dram_write_bytes\"]";
    CHECK(against(one, two.build(), rulesOf(timeless)).exitCode() == 2);
    CHECK(against(one, two.build(), rulesOf(timeless), {"extra"}).exitCode() == 0);
    CHECK(against(one, two.build(), rulesOf(timeless + ",\"new_kernels\":\"pass\"")).exitCode() ==
          0);
    CHECK(against(one, two.build(), rulesOf(timeless + ",\"new_kernels\":\"fail\"")).exitCode() ==
          1);
}

TEST_CASE("another launch shape is judged only when it solves the same problem") {
    const auto shaped = [](double stored) {
        Profile p = copies({100, 101, 102},
                           [&](test::LaunchRef& l) { l.set(counter::kGlobalStoreBytes, stored); });
        for (Launch& launch : p.launches) launch.grid = {512, 1, 1};
        return p;
    };
    const Judgement tuned = against(copies(), shaped(1e8));
    CHECK(tuned.exitCode() == 0);
    CHECK(tuned.kernels[0].notes.size() >= 1);
    const Judgement other = against(copies(), shaped(0.5e8));
    CHECK(other.exitCode() == 2);
    CHECK(find(other, "work", Status::Incomparable));
}

TEST_CASE("rules: limits, forbidden findings, required kernels") {
    const Analysis analysis = analysisOf(bundledProfile());
    const Baseline baseline = baselineOf(analysis);
    const auto judged = [&](const std::string& inner) {
        return gate::judge(baseline, analysis, rulesOf(inner));
    };
    const Judgement limits = judged(
        "\"kernels\":[{\"match\":\"patterns/transpose_*\",\"limits\":{\"shared_conflict_degree\":2,"
        "\"global_load_sectors_per_request\":4}}]");
    CHECK(limits.exitCode() == 1);
    CHECK(limits.count.failed == 1);  // transpose_unpadded has 16-way conflicts
    REQUIRE(find(limits, "limit:shared_conflict_degree", Status::Fail));
    CHECK(*find(limits, "limit:shared_conflict_degree", Status::Fail)->to > 16);
    CHECK(find(limits, "limit:global_load_sectors_per_request", Status::Pass));
    CHECK(judged("\"kernels\":[{\"match\":\"patterns/transpose_*\",\"forbidden_findings\":["
                 "\"shared-bank-conflict\"]}]")
              .exitCode() == 1);
    CHECK(judged("\"kernels\":[{\"match\":\"patterns/transpose_*\",\"forbidden_findings\":["
                 "\"shared-bank-conflict\"]},{\"match\":\"patterns/transpose_unpadded/*\","
                 "\"ignore\":[\"shared-bank-conflict\"]}]")
              .exitCode() == 0);
    const Judgement missing = judged("\"kernels\":[{\"match\":\"mispelt\"}]");
    CHECK(missing.exitCode() == 2);
    CHECK(find(missing, "rules", Status::Incomparable));
    CHECK(judged("\"kernels\":[{\"match\":\"mispelt\",\"required\":false}]").exitCode() == 0);
    CHECK(judged("\"allow_missing\":[\"mispelt\"],\"kernels\":[{\"match\":\"mispelt\"}]")
              .exitCode() == 0);
}

TEST_CASE("a forbidden finding on the sequence of launches fails, or cannot be told") {
    const auto judged = [](double gap, bool started) {
        Profile profile = copies(std::vector<double>(30, 10.0));
        for (std::size_t i = 0; i < profile.launches.size(); ++i) {
            profile.launches[i].duration = Seconds{10e-6};
            if (started)
                profile.launches[i].start = Seconds{static_cast<double>(i) * (10e-6 + gap)};
        }
        const Analysis analysis = analysisOf(std::move(profile));
        return gate::judge(
            baselineOf(analysis), analysis,
            rulesOf("\"kernels\":[{\"match\":\"*\",\"forbidden_findings\":[\"launch-gaps\"]}]"));
    };
    CHECK(find(judged(10e-6, true), "finding:launch-gaps", Status::Fail));
    CHECK(find(judged(1e-6, true), "finding:launch-gaps", Status::Pass));
    CHECK(find(judged(10e-6, false), "finding:launch-gaps", Status::Incomparable));
}

TEST_CASE("new findings fail; those of rules that the baseline cannot know do not") {
    const Analysis analysis = analysisOf(bundledProfile());
    Baseline baseline = baselineOf(analysis);
    const auto kernel =
        std::find_if(baseline.kernels.begin(), baseline.kernels.end(),
                     [](const auto& k) { return k.findings.contains("shared-bank-conflict"); });
    REQUIRE(kernel != baseline.kernels.end());
    gate::ByName<bool> others;
    for (const auto& [rule, minor] : kernel->findings)
        if (!(rule == "shared-bank-conflict")) others.add(rule, minor);
    kernel->findings = others;
    CHECK(find(gate::judge(baseline, analysis, {}), "finding:shared-bank-conflict", Status::Fail));
    CHECK(gate::judge(baseline, analysis, rulesOf("\"new_findings\":\"pass\"")).exitCode() == 0);
    std::erase(baseline.rules, "shared-bank-conflict");
    const Judgement unknown = gate::judge(baseline, analysis, {});
    CHECK(unknown.exitCode() == 0);
    CHECK(unknown.notes.size() == 1);
}

TEST_CASE("other cache control than the baseline's is noted") {
    Profile flushed = bundledProfile();
    flushed.capture.cacheControl = "flush";
    const Analysis usual = analysisOf(bundledProfile()), other = analysisOf(flushed);
    const auto notes = [](const Baseline& baseline, const Analysis& now) {
        // Read back from a file.
        const auto read = gate::parseBaseline(gate::formatBaseline(baseline), "b");
        REQUIRE(read.ok());
        return gate::judge(*read, now, {}).notes.size();
    };
    CHECK(notes(baselineOf(usual), usual) == 0);
    CHECK(notes(baselineOf(other), other) == 0);
    CHECK(notes(baselineOf(usual), other) == 1);
    CHECK(notes(baselineOf(other), usual) == 1);
    // Without flushing the file does not mention cache control, as before.
    CHECK(gate::formatBaseline(baselineOf(usual)).find("cache_control") == std::string::npos);
}

TEST_CASE("a baseline holds no paths, users or hosts, and tells long names apart") {
    const PrivateDataFilter parts({"gpu17.example.com", "gpu17"});
    const auto name = [&](std::string_view text) { return gate::baselineName(text, parts); };
    CHECK(name("step/transpose n=4") == "step/transpose n=4");
    CHECK(name("a<float const*, b/c>(int)") == "a<float const*, b/c>(int)");
    for (const char* path : {"/home/ann/x.py", "~/x.py", "C:\\Users\\ann\\x", "load /data/ann.bin",
                             "file=/home/ann", "\"/home/ann b\"", "ann@host", "\\\\srv\\ann",
                             "-I/home/ann", "../ann/x", "\"/data/my files/ann\""}) {
        INFO(path);
        CHECK(name(path).find("ann") == std::string::npos);
        CHECK(name(path).find("x.py") == std::string::npos);
    }
    CHECK(name("run_gpu17_step") == "run_<host>_step");
    CHECK(name("/a/b") != name("/a/c"));
    const std::string longName(1 << 20, 'x');
    CHECK(name(longName).size() < 5000);
    CHECK(name(longName + "a") != name(longName + "b"));

    Profile named = copies();
    named.capture.command = {"/home/ann/secret-program"};
    named.processes = {{.host = "cluster7.lab"}};
    named.ranges = {"step on cluster7"};
    for (Launch& launch : named.launches) launch.range = 0;
    named.kernels[0].name = std::string("k\xFF\n\x1b[31m\"\\ /home/ann/x");
    const std::string text = gate::baselineText(analysisOf(named)).text;
    CHECK(text.find("ann") == std::string::npos);
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("cluster7") == std::string::npos);
    CHECK(std::all_of(text.begin(), text.end(),
                      [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); }));
    CHECK(against(named, named).exitCode() == 0);
}

TEST_CASE("a broken baseline ends in an error with its line") {
    const std::string head = "roofscope-baseline {\"schema\":[1,0]}\n";
    const std::string device =
        "device {\"name\":\"G\",\"chip\":\"\",\"compute\":[9,0],\"sms\":132}\n";
    const std::string kernel =
        "kernel {\"name\":\"k\",\"device\":0,\"grid\":[1,1,1],\"block\":[1,1,1]}\n";
    CHECK(gate::parseBaseline(head + device + kernel + "  x {\"value\":1,\"launches\":2}\r\n", "b")
              .ok());
    for (
        const auto& [text, where] : std::vector<std::pair<std::string, std::string>>{
            {"", "b:1"},
            {"\n\n", "b:2"},
            {"{}", "b:1"},
            {"roofscope-baseline {\"schema\":[2,0]}", "b:1"},
            {"roofscope-baseline {\"schema\":[1,-1]}", "b:1"},
            {"roofscope-baseline {\"schema\":[1,1]}\n\n", "b:2"},
            {head + head, "b:2"},
            {head + "  x 1\n", "b:2"},
            {head + kernel, "b:2"},  // of an undeclared device
            {head + device + kernel + "<<<<<<< HEAD\n", "b:4"},
            {head + device + kernel + "  x {\"value\":1}\n", "b:4"},
            {head +
                 "program {\"window\":\"period\",\"value\":0,\"low\":0,\"high\":0,\"repeats\":3}\n",
             "b:2"},
            {head +
                 "program {\"window\":\"period\",\"value\":2,\"low\":3,\"high\":1,\"repeats\":3}\n",
             "b:2"},
            {head + device + kernel + "  x {\"value\":-1,\"launches\":1}\n", "b:4"},
            {head + device + kernel + "  x 1e999\n", "b:4"},
            {head + device + kernel + "  x 1\n  x 2\n", "b:5"},
            {head + device + kernel + "  x {\"value\":1,\"value\":1,\"launches\":1}\n", "b:4"},
            {head + device + kernel + "  x " + std::string(60'000, '[') + "\n", "b:4"},
            {head + device + kernel + "  x \"" + std::string(70'000, 'a') + "\"\n", "b:4"},
            {head + device + kernel + "  finding \"../x\"\n", "b:4"},
            {head + "kernel {\"name\":\"k\",\"device\":0,\"grid\":[1,1],\"block\":[1,1,1]}\n",
             "b:2"}}) {
        INFO(text.substr(0, 200));
        const auto read = gate::parseBaseline(text, "b");
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == ErrorCode::BadData);
        CHECK(read.error().where == where);
        CHECK_FALSE(read.error().what.empty());
    }
}

TEST_CASE("a baseline that was cut off is refused, wherever that was") {
    const std::string text = gate::baselineText(analysisOf(copies())).text;
    REQUIRE(gate::parseBaseline(text, "b").ok());
    REQUIRE(gate::parseBaseline(text.substr(0, text.size() - 1), "b")
                .ok());  // without the last line end
    for (std::size_t size = 0; size < text.size() - 1; ++size) {
        INFO(text.substr(0, size));
        CHECK_FALSE(gate::parseBaseline(text.substr(0, size), "b").ok());
    }
    CHECK_FALSE(gate::parseBaseline(text + "kernel {}\n", "b").ok());
    CHECK_FALSE(gate::parseBaseline(text + std::string(1, '\0') + "x 1\n", "b").ok());
}

TEST_CASE("what the rules demand by name and one side does not have is not comparable") {
    Baseline lacking = baselineOf(analysisOf(copies()));
    lacking.kernels[0].facts.clear();
    const auto judged = [&](const std::string& key, const std::string& demand) {
        return gate::judge(lacking, analysisOf(copies({120, 121, 122})),
                           rulesOf("\"" + demand + "\":{\"" + key + "\":0.1}"));
    };
    for (const gate::Key& key : gate::allKeys()) {
        INFO(key.key);
        if (key.judged == gate::Judged::Limit) continue;
        const Judgement j = judged(std::string(key.key), "max_growth_ratio");
        const bool none = key.key == "fp16_flops_upper_bound";  // nothing can grow here
        CHECK(j.exitCode() == (none ? 0 : 2));
        if (!none) CHECK(find(j, std::string(key.key), Status::Incomparable));
    }
    // A limit needs no baseline, only a value.
    Profile untimed = copies();
    for (Launch& launch : untimed.launches) launch.duration.reset();
    for (std::size_t i = 0; i < untimed.launches.size(); ++i)
        untimed.counters.set(counter::kDuration, i, std::nan(""));
    for (const gate::Key& key : gate::allKeys()) {
        INFO(key.key);
        Profile bare = untimed;
        bare.counters = CounterTable(bare.launches.size());
        bare.kernels[0].registersPerThread.reset();
        bare.kernels[0].localBytesPerThread.reset();
        const Analysis analysis = analysisOf(bare);
        const Judgement j = gate::judge(baselineOf(analysis), analysis,
                                        rulesOf("\"limits\":{\"" + std::string(key.key) + "\":1}"));
        CHECK(find(j, "limit:" + std::string(key.key), Status::Incomparable));
    }
}

TEST_CASE("a broken rules file ends in an error with its line") {
    const std::string head = "{\n\"format\": \"roofscope-gate-rules\",\n";
    for (const auto& [text, where] : std::vector<std::pair<std::string, std::string>>{
             {"", "r:1"},
             {"[]", "r:1"},
             {"{}", "r:1"},
             {head + "\"limit\": {}}", "r:3"},
             {head + "\"limits\": {\n\"dram_reed_bytes\": 1}}", "r:4"},
             {head + "\"limits\": {\"dram_read_bytes\":\n -1\n}}", "r:3"},
             {head + "\"max_growth_ratio\": {\"shared_conflict_degree\": 1}}", "r:3"},
             {head + "\"kernels\": [\n{\"match\": \"a\"},\n{}]}", "r:5"},
             {head + "\"kernels\": [{\"match\": \"a\",\n\"forbidden_findings\": [\n\"no-rule\"]}]}",
              "r:5"},
             {head + "\"ignore\": [\"x\"]}", "r:3"},
             {head + "\"new_kernels\": \"perhaps\"}", "r:3"},
             {head + "\"ignore\": [],\n\"ignore\": []}", "r:4"},
             {head + "\"ignore\": [}", "r:3"},
             {head + "\"ignore\": " + std::string(100'000, '['), "r:3"},
             {head + "\"schema\": [1, -1]}", "r:3"},
             {head + "\"schema\": [2, 0]}", "r:3"}}) {
        INFO(text.substr(0, 200));
        const auto read = gate::parseRules(text, "r");
        REQUIRE_FALSE(read.ok());
        CHECK(read.error().code == ErrorCode::BadData);
        CHECK(read.error().where == where);
    }
}

TEST_CASE("values are read alike as a baseline writes them and with blanks between") {
    const std::string text = gate::baselineText(analysisOf(bundledProfile())).text;
    std::string blanks;
    for (std::size_t at = 0; at < text.size(); ++at) {
        blanks += text[at];
        // Not in the line with a kernel's name.
        const bool fact = text.compare(text.rfind('\n', at) + 1, 2, "  ") == 0;
        if (fact && (text[at] == ',' || text[at] == ':' || text[at] == '{')) blanks += ' ';
    }
    const auto read = gate::parseBaseline(blanks, "b");
    REQUIRE(read.ok());
    CHECK(gate::formatBaseline(*read) == text);
    std::string kernels = text;  // now also in the lines of kernels
    for (std::size_t at = 0; (at = kernels.find(",\"device\":", at)) != kernels.npos; at += 2)
        kernels.insert(at + 1, " ");
    const auto slowly = gate::parseBaseline(kernels, "b");
    REQUIRE(slowly.ok());
    CHECK(slowly->kernels.size() == read->kernels.size());
    CHECK(gate::formatBaseline(*slowly) == text);
    for (const char* wrong :
         {R"({"name":"k","device":0,"grid":[1,1,1],"block":[1,1]})",
          R"({"name":"k","device":0,"grid":[1,1,1.5],"block":[1,1,1]})",
          R"({"name":"k","device":0,"grid":[1,1,4294967296],"block":[1,1,1]})",
          R"({"name":"k","device":65,"grid":[1,1,1],"block":[1,1,1]})",
          R"({"name":"k","device":0,"grid":[1,1,1],"block":[1,1,1]}})",
          R"({"name":"k\x","device":0,"grid":[1,1,1],"block":[1,1,1]})",
          R"({"name":"k","device":0,"grid":[1,1,1],"block":[1,1,1],"dynamic_shared_bytes":-1})"}) {
        INFO(wrong);
        const std::string before = text.substr(0, text.find("\nkernel")) + "\nkernel ";
        CHECK_FALSE(gate::parseBaseline(before + wrong + "\nend\n", "b").ok());
    }
    const std::string head = text.substr(0, text.find("\nkernel")) + "\nkernel " +
                             R"({"name":"k","device":0,"grid":[1,1,1],"block":[1,1,1]})"
                             "\n  x ";
    const auto value = [&](const std::string& written) {
        const auto one = gate::parseBaseline(head + written + "\nend\n", "b");
        return one ? std::optional(one->kernels.front().facts.find("x")->value) : std::nullopt;
    };
    CHECK(value("12.5e1") == 125);
    CHECK(value("0") == 0);
    CHECK(value(R"({"value":3,"low":2,"high":4,"launches":3})") == 3);
    for (const char* wrong : {"01", "1.", ".5", "-1", "1e", "1e999", "nan", "inf", "0x1", "1 2", "",
                              R"({"value":3,"low":5,"high":4,"launches":3})",
                              R"({"value":3,"launches":0})", R"({"value":3,"launches":1.5})",
                              R"({"value":3,"low":2,"launches":3})", R"({"value":3})"}) {
        INFO(wrong);
        CHECK_FALSE(value(wrong).has_value());
    }
}

TEST_CASE("a baseline is written kernel by kernel as it is held") {
    const Analysis analysis = analysisOf(bundledProfile());
    const gate::BaselineText written = gate::baselineText(analysis);
    const Baseline baseline = baselineOf(analysis);
    CHECK(written.text == gate::formatBaseline(baseline));
    CHECK(written.kernels == baseline.kernels.size());
    std::size_t values = 0;
    for (const auto& kernel : baseline.kernels) values += kernel.facts.size();
    CHECK(written.values == values);
    CHECK(gate::checkBaseline(written.text, "b").ok());
    CHECK_FALSE(gate::checkBaseline(written.text + "x 1\n", "b").ok());
    std::string lost = written.text;
    lost.erase(lost.find("\ndevice "),
               lost.find('\n', lost.find("\ndevice ") + 1) - lost.find("\ndevice "));
    CHECK_FALSE(gate::checkBaseline(lost, "b").ok());  // kernels of an undeclared device
}
