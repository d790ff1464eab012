// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/compare_report.h"

#include <array>
#include <nlohmann/json.hpp>

#include "analyzer/compare/kernel_pattern.h"
#include "analyzer/counters/counter_names.h"
#include "profile/codec/codec.h"
#include "tests/reports/golden.h"
#include "tests/reports/hostile_names.h"
#include "tests/reports/profiles.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"
#include "tests/support/synthetic_program.h"
#include "tests/support/text.h"

using namespace roofscope;
using Json = nlohmann::json;

namespace {

using test::contains;

const Analysis& bundled() { return test::recorded("h200_bundled"); }

Comparison bundledPair(const std::string& a, const std::string& b) {
    const auto from = findKernels(bundled(), a), to = findKernels(bundled(), b);
    REQUIRE(from.size() == 1);
    REQUIRE(to.size() == 1);
    Matching matching;
    matching.matches.push_back({.baseline = from[0],
                                .candidate = to[0],
                                .tier = MatchTier::Given,
                                .how = Words("named on the command line")});
    return compareProfiles(bundled(), bundled(), matching);
}

/// The showcase with each launch three times, scaled durations, and with or without bank conflicts.
Analysis showcase(double time, bool padded, const std::string& renamed = {}) {
    Profile profile = test::showcase().build();
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const auto old = profile.counters.value(counter::kDuration, i);
        profile.counters.set(counter::kDuration, i, *old * time);
        if (padded && *profile.counters.value(counter::kSharedLoads, i) > 0)
            profile.counters.set(counter::kSharedLoadWavefronts, i,
                                 *profile.counters.value(counter::kSharedLoads, i));
    }
    if (!renamed.empty()) profile.kernels[0].name = renamed;
    const std::vector<Launch> launches = profile.launches;
    const CounterTable once = profile.counters;
    for (int repeat = 0; repeat < 2; ++repeat) {
        profile.launches.insert(profile.launches.end(), launches.begin(), launches.end());
        profile.counters.append(once);
    }
    return analyze(std::make_shared<const Profile>(std::move(profile)));
}

std::string render(const Analysis& a, const Analysis& b, ReportFormat format,
                   const CompareOptions& options = {}) {
    const Comparison comparison = compareProfiles(a, b, matchKernels(a, b));
    return renderComparison(comparison, a, b, format, options).value();
}

std::string renderJson(const Analysis& a, const Analysis& b, const Comparison& comparison,
                       bool all) {
    return renderComparison(comparison, a, b, ReportFormat::Json, {.allQuantities = all}).value();
}

constexpr std::array kFormats{ReportFormat::Markdown, ReportFormat::Text, ReportFormat::Json};

}  // namespace

TEST_CASE("golden comparisons of kernels recorded on an H200") {
    const CompareOptions options{.baselinePath = "h200_bundled.roofscope.json.gz",
                                 .candidatePath = "h200_bundled.roofscope.json.gz"};
    CompareOptions chinese = options;
    chinese.language = test::kZh;
    const Comparison transpose = bundledPair("transpose_unpadded", "transpose_padded");
    const auto render = [](const Comparison& comparison, ReportFormat format,
                           const CompareOptions& shown) {
        return renderComparison(comparison, bundled(), bundled(), format, shown).value();
    };
    test::checkGolden("compare-transpose.md", render(transpose, ReportFormat::Markdown, options));
    test::checkGolden("compare-transpose.txt", render(transpose, ReportFormat::Text, options));
    test::checkGolden("compare-transpose.json", render(transpose, ReportFormat::Json, options));
    test::checkGolden("compare-transpose.zh.md",
                      render(transpose, ReportFormat::Markdown, chinese));
    // Output for programs does not depend on the language.
    CHECK(render(transpose, ReportFormat::Json, chinese) ==
          render(transpose, ReportFormat::Json, options));
    test::checkGolden("compare-copy.md",
                      render(bundledPair("copy_1b", "copy_16b"), ReportFormat::Markdown, options));
}

TEST_CASE("the padded transpose: the conflicts went, and the promise came true") {
    const Comparison comparison = bundledPair("transpose_unpadded", "transpose_padded");
    for (const auto format : kFormats) {
        const std::string text = renderComparison(comparison, bundled(), bundled(), format).value();
        CHECK(contains(text, "bank conflicts of shared loads fell from 32-way to 1-way"));
        CHECK(contains(text, format == ReportFormat::Json ? "\"came-true\"" : "came true"));
    }
}

TEST_CASE("a comparison of two profiles: table, sections, lonely kernels, total") {
    const Analysis a = showcase(1, false), b = showcase(0.8, true);
    const CompareOptions options{.baselinePath = "a.json", .candidatePath = "b.json"};
    const std::string markdown = render(a, b, ReportFormat::Markdown, options);
    CHECK(contains(markdown, "- Baseline: `a.json`"));
    CHECK(contains(markdown, "- Candidate: `b.json`"));
    CHECK(contains(markdown, "made up for a test"));
    CHECK(contains(markdown, "GPU time of all matched kernels"));
    CHECK(contains(markdown, "| no. | kernel | baseline | candidate | change | why |"));
    CHECK(contains(markdown, "\n## 1. `transpose<float, 32>`: 1.25× faster"));
    CHECK(contains(markdown, "same name, NVTX range and launch shape"));
    CHECK_FALSE(contains(markdown, "Only in the baseline"));
    const std::string few = render(a, b, ReportFormat::Markdown, {.top = 1, .colour = true});
    CHECK(contains(few, "4 more kernels are not shown"));
    CHECK_FALSE(contains(few, "\033["));

    const Analysis renamed = showcase(1, false, "swizzle(int)");
    const std::string text = render(a, renamed, ReportFormat::Text);
    // Between launches common to both, one kernel replaces the other.
    CHECK(contains(text, "transpose<float, 32> → swizzle: "));
    CHECK(contains(text, "no change beyond noise"));
    const std::string others =
        render(a, test::analysisOf(test::manyKernels(2)), ReportFormat::Text);
    CHECK(contains(others, "Only in the baseline\n- transpose<float, 32>: "));
    CHECK(contains(others, "Only in the candidate\n- "));
    CHECK_FALSE(contains(text, "\033["));
    CHECK(contains(render(a, b, ReportFormat::Text, {.colour = true}), "\033[32m1.25× faster"));
}

TEST_CASE("JSON: stable keys, numbers, null for what is missing") {
    const Analysis a = showcase(1, false);
    test::SyntheticProfile bare;
    bare.launch(bare.kernel("void ops::transpose<float, 32>(float const*, float*, int)"),
                {256, 256, 1}, {32, 8, 1});
    const Analysis b = test::analysisOf(bare);
    const Json json = Json::parse(render(a, b, ReportFormat::Json));
    CHECK(json["format"] == "roofscope-comparison");
    CHECK(json["schema"] == Json::array({2, 0}));
    CHECK(json["total"].is_null());
    // Kernels not compared in full are compared when they are written.
    const Matching matching = matchKernels(a, a);
    for (const bool all : {false, true}) {
        const auto written = [&](std::size_t most) {
            return renderJson(a, a, compareProfiles(a, a, matching, most), all);
        };
        CHECK(written(0) == written(a.kernels.size()));
    }
    REQUIRE(json["kernels"].size() == 1);
    const Json& kernel = json["kernels"][0];
    CHECK(kernel["duration"]["state"] == "not-measured");
    CHECK(kernel["duration"]["candidate"]["median_ns"].is_null());
    CHECK(kernel["duration"]["baseline"]["median_ns"] == 329200.0);
    CHECK(kernel["duration"]["speedup"].is_null());
    CHECK(kernel["quantities"]["dram_read_bytes"]["candidate"].is_null());
    CHECK(contains(kernel["quantities"]["dram_read_bytes"]["missing"].get<std::string>(),
                   "dram__bytes_read.sum"));
    CHECK(kernel["promises"][0]["outcome"] == "cannot-tell");
    CHECK(json["only_in_baseline"].size() == 4);
    // The Markdown report says the same.
    const std::string markdown = render(a, b, ReportFormat::Markdown);
    CHECK(contains(markdown, "the candidate has no duration"));
    CHECK(contains(markdown, "**Not compared:**"));
    CHECK_FALSE(contains(markdown, "→ 0 "));
}

TEST_CASE("JSON: quantities that did not move are counted, and written when asked for") {
    const Analysis a = showcase(1, false), b = showcase(0.5, true);
    const auto json = [&](const Analysis& to, bool all) {
        return Json::parse(renderJson(a, to, compareProfiles(a, to, matchKernels(a, to), 0), all));
    };
    const Json some = json(b, false), every = json(b, true);
    REQUIRE(some["kernels"].size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        const Json &part = some["kernels"][i], &whole = every["kernels"][i];
        Json moved = Json::object();
        int same = 0, missing = 0;
        for (const auto& [key, quantity] : whole["quantities"].items()) {
            const bool none = quantity["baseline"].is_null() && quantity["candidate"].is_null();
            if (none)
                ++missing;
            else if (quantity["direction"] == "same")
                ++same;
            else
                moved[key] = quantity;
        }
        CHECK(part["quantities"] == moved);
        CHECK(part["quantities_left_out"] == Json{{"same", same}, {"missing", missing}});
        CHECK(whole["quantities_left_out"] == Json{{"same", 0}, {"missing", 0}});
        CHECK(same > 0);
        CHECK(missing > 0);
    }
    // The first kernel's bank conflicts are gone.
    CHECK(some["kernels"][0]["quantities"].contains("shared_wavefronts"));
    // A profile compared with itself: a valid comparison in which nothing moved.
    const Json itself = json(a, false);
    CHECK(itself["comparable"] == true);
    for (const Json& kernel : itself["kernels"]) {
        CHECK(kernel["quantities"].empty());
        CHECK(kernel["comparable"] == true);
    }
}

TEST_CASE("nothing to compare is said, never shown as no change") {
    test::SyntheticProfile none;
    const Analysis empty = test::analysisOf(none), some = showcase(1, false);
    for (const auto& [a, b] : {std::pair{&empty, &empty}, {&some, &empty}, {&empty, &some}}) {
        CHECK(contains(render(*a, *b, ReportFormat::Markdown), "**Nothing could be compared:**"));
        CHECK(contains(render(*a, *b, ReportFormat::Text), "Nothing could be compared"));
        CHECK(Json::parse(render(*a, *b, ReportFormat::Json))["comparable"] == false);
    }
    CHECK_FALSE(renderComparison({}, empty, empty, ReportFormat::Csv).ok());
    CHECK_FALSE(renderComparison({}, {}, {}, ReportFormat::Text).ok());
}

TEST_CASE("hostile names change nothing but themselves in a comparison") {
    for (const std::string& name : test::hostileNames()) {
        INFO(name.substr(0, 40));
        const auto profileOf = [&](double us, bool other) {
            Device device = test::SyntheticProfile::h200();
            device.name = name + (other ? "2" : "");
            test::SyntheticProfile p(device);
            test::idleLaunch(p, name, {8, 1, 1}, {256, 1, 1}, us).range(name + "r");
            test::idleLaunch(p, name + (other ? "x" : "y"), {8, 1, 1}, {256, 1, 1}, us);
            p.profile().capture.strategy = name + (other ? "s" : "t");
            return test::analysisOf(p);
        };
        const Analysis a = profileOf(100, false), b = profileOf(50, true);
        const CompareOptions options{.baselinePath = name, .candidatePath = name};
        for (const auto format : kFormats) {
            const std::string text = render(a, b, format, options);
            CHECK(text.size() < 200000);
            CHECK_FALSE(contains(text, "\x1b"));
            CHECK_FALSE(contains(text, "\xC2\x9B"));
            CHECK_FALSE(contains(text, "\xE2\x80\xAE"));
            if (format == ReportFormat::Json) CHECK_FALSE(contains(text, "</script>"));
            if (format == ReportFormat::Json) CHECK_NOTHROW(Json::parse(text));
            if (format != ReportFormat::Markdown) continue;
            CHECK_FALSE(contains(text, "\n# Ignore"));
            CHECK_FALSE(contains(text, "\n| a | b |"));
            // The device's name is not in a code span: it must not turn into a link or tag.
            CHECK_FALSE(contains(text, ", </script>"));
            CHECK_FALSE(contains(text, ", [click](javascript"));
        }
    }
}

TEST_CASE("the hint report says what happened since the baseline") {
    const Analysis before = showcase(1, false), after = showcase(0.5, true);
    ReportOptions options{.profilePath = "after.roofscope.json"};
    options.baseline = std::make_shared<const ReportBaseline>(
        ReportBaseline{std::make_shared<const Analysis>(before),
                       compareProfiles(before, after, matchKernels(before, after))});
    const std::string markdown = renderReport(after, ReportFormat::Markdown, options).value();
    const auto part = markdown.find("**Since the baseline:**");
    REQUIRE(part != std::string::npos);
    CHECK(part > markdown.find("**Ruled out:**"));
    CHECK(part < markdown.find("**Ask:**"));
    CHECK(contains(markdown, "2.00× faster"));
    CHECK(contains(markdown, "(`shared-bank-conflict`): **came true**"));
    CHECK(
        contains(renderReport(after, ReportFormat::Text, options).value(), "Since the baseline: "));
    // Without a baseline this part is missing.
    options.baseline.reset();
    CHECK_FALSE(contains(renderReport(after, ReportFormat::Markdown, options).value(),
                         "Since the baseline"));
}

namespace {

/// Six steps with three elementwise kernels in a row, or with a fused one.
Analysis stepsOf(bool fused) {
    test::SyntheticProgram p;
    p.launch("init", 1).sync();
    for (int i = 0; i < 6; ++i) {
        p.push("step").launch("gemm", 500);
        if (fused)
            p.launch("scaleBiasGelu", 440);
        else
            p.launch("scale", 200).launch("bias", 220).launch("gelu", 235);
        p.launch("sum", 50).sync().pop();
    }
    return analyze(std::make_shared<const Profile>(p.build()));
}

}  // namespace

TEST_CASE("a comparison opens with the program, and says which kernels became one") {
    const Analysis before = stepsOf(false), after = stepsOf(true);
    const std::string markdown = render(before, after, ReportFormat::Markdown);
    INFO(markdown);
    CHECK(markdown.find("**Program**: 6 × `step`, 1.2") < markdown.find("- Baseline:"));
    CHECK(contains(markdown, "Moved: kernels 1.21 ms → 990 µs."));
    CHECK(contains(markdown, "## Replaced kernels"));
    CHECK(contains(markdown,
                   "- `scale`, `bias`, `gelu` → `scaleBiasGelu`, fused: 655 µs → 440 µs per "
                   "window, **1.49× faster**"));
    CHECK_FALSE(contains(markdown, "Only in the baseline"));
    CHECK_FALSE(contains(markdown, "Only in the candidate"));
    const std::string chinese =
        render(before, after, ReportFormat::Markdown, {.language = test::kZh});
    CHECK(contains(chinese, "**程序**：先前 6 × `step`"));
    CHECK(contains(chinese, "已融合：每个窗口 655 µs → 440 µs，**加速 1.49×**"));

    const Json json = Json::parse(render(before, after, ReportFormat::Json));
    CHECK(json["program"]["comparable"] == true);
    CHECK(json["program"]["seconds_before"].get<double>() >
          json["program"]["seconds_after"].get<double>() + 210e-6);
    CHECK(json["program"]["moved"][0]["class"] == "kernels");
    CHECK(json["program"]["baseline"]["shares"]["kernels"].get<double>() > 0.9);
    REQUIRE(json["groups"].size() == 1);
    CHECK(json["groups"][0]["kind"] == "fused");
    CHECK(json["groups"][0]["baseline"].size() == 3);
    CHECK(json["groups"][0]["candidate"][0]["name"] == "scaleBiasGelu");
    CHECK(json["groups"][0]["before_seconds"].get<double>() == Approx(655e-6));
    CHECK(json["groups"][0]["after_seconds"].get<double>() == Approx(440e-6));
    CHECK(json["only_in_baseline"].empty());
    // A report with a baseline starts with what changed.
    const std::string since =
        renderReport(after, ReportFormat::Markdown,
                     {.baseline = std::make_shared<const ReportBaseline>(ReportBaseline{
                          std::make_shared<const Analysis>(before),
                          compareProfiles(before, after, matchKernels(before, after))})})
            .value();
    INFO(since);
    CHECK(contains(since, "Since the baseline: 1.2"));
    // Two kernels of one profile are not two programs.
    const Comparison pair = bundledPair("transpose_unpadded", "transpose_padded");
    const Json none =
        Json::parse(renderComparison(pair, bundled(), bundled(), ReportFormat::Json).value());
    CHECK(none["program"].is_null());
    CHECK(none["groups"].empty());
}
