// SPDX-License-Identifier: Apache-2.0
// A stall is listed behind the fault that causes it, and is not an action of its own.
#include <algorithm>

#include "analyzer/counters/counter_names.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/source/stalls.h"
#include "profile/chips/chip.h"
#include "tests/analyzer/kernels.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"

using namespace roofscope;
using namespace roofscope::test;
using namespace roofscope::counter;

namespace {

constexpr const char* kNarrow = "global-narrow-access";
constexpr const char* kStall = "dominant-stall";

/// Sets all stall reasons to no warps, except this one, which gets most of them.
void waitFor(LaunchRef& launch, const char* reason) {
    const ChipTable chip = chipTable("GH100").value();
    launch.setAll(chip.groups.at("stalls").counters, 0);
    launch.set(stallCounter(reason), 18).set(stallCounter("selected"), 2);
}

/// A copy of 4 bytes per thread that keeps the DRAM half busy while its warps stall on `reason`.
SyntheticProfile narrowCopy(const char* reason) {
    SyntheticProfile p(testDevice());
    auto launch = copy(p, "rms", 268435456, 4, 230);
    waitFor(launch, reason);
    launch.launch().start = Seconds{0};
    launch.launch().duration = Seconds{230e-6};
    return p;
}

std::vector<std::string> rulesOf(const KernelAnalysis& kernel) {
    std::vector<std::string> rules;
    for (const Finding& finding : kernel.findings) rules.push_back(finding.ruleId);
    return rules;
}

std::vector<std::string> actionsOf(const SyntheticProfile& p) {
    const Program program = test::judged(p.build());
    std::vector<std::string> rules;
    for (const Action& action : program.actions) rules.push_back(action.rule);
    return rules;
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("narrow accesses come before the wait for memory that they cause") {
    for (const char* reason : {"long_scoreboard", "lg_throttle", "drain"}) {
        CAPTURE(reason);
        const SyntheticProfile p = narrowCopy(reason);
        const auto kernel = analyzeOne(p);
        REQUIRE(rulesOf(kernel) == Rules{kNarrow, kStall});
        const Finding& wait = kernel.findings[1];
        CHECK(wait.gain->value == Approx(kernel.findings[0].gain->value));
        CHECK(wait.stall == reason);
        CHECK(wait.cause == kNarrow);
        CHECK(kernel.findings[0].cause.empty());
        CHECK(actionsOf(p) == Rules{kNarrow});
    }
}

TEST_CASE("a wait that narrow accesses do not cause keeps its place") {
    const SyntheticProfile p = narrowCopy("barrier");
    const auto kernel = analyzeOne(p);
    REQUIRE(rulesOf(kernel) == Rules{kStall, kNarrow});
    CHECK(kernel.findings[0].cause.empty());
    CHECK(actionsOf(p) == Rules{kStall, kNarrow});
}

TEST_CASE("a cause that recovers much less than the wait is not all of it") {
    SyntheticProfile p(testDevice());
    auto launch = copy(p, "k", 134217728, 16, 200);
    waitFor(launch, "long_scoreboard");
    launch.set(kLocalSectors, 8e5);
    const auto kernel = analyzeOne(p);
    const Finding* spill = find(kernel, "local-memory-spill");
    const Finding* wait = find(kernel, kStall);
    REQUIRE(spill);
    REQUIRE(wait);
    CHECK_FALSE(spill->minor);
    CHECK(spill->gain->value < 0.9 * wait->gain->value);
    CHECK(&kernel.findings.front() == wait);
    CHECK(wait->cause.empty());
}

TEST_CASE("stalls that rules cause are reasons that chips count") {
    const ChipTable chip = chipTable("GH100").value();
    const auto& counted = chip.groups.at("stalls").counters;
    std::size_t named = 0;
    for (const Rule* rule : allRules())
        for (const std::string_view reason : rule->causesStalls) {
            CAPTURE(rule->id, reason);
            ++named;
            CHECK(std::ranges::find(counted, stallCounter(reason)) != counted.end());
            CHECK(findStallCause(reason));
        }
    CHECK(named > 0);
}

// --- Triton -----------------------------------------------------------------------------------

namespace {

/// The same program in Python, with a PyTorch kernel next to it.
SyntheticProfile inTriton(SyntheticProfile p) {
    p.profile().capture.command = {"python3", "rms.py"};
    p.kernel("_ZN2at6native29vectorized_elementwise_kernelILi4EEEvv");
    return p;
}

std::string editOf(const KernelAnalysis& kernel, const char* rule, Language language) {
    const Finding* finding = find(kernel, rule);
    REQUIRE(finding);
    return finding->edit.in(language);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// The first CUDA C++ word in a text for Triton authors.
std::string cudaWordIn(std::string_view text) {
    for (const char* word : {"float4", "uint4", "threadIdx", "blockDim", "gridDim", "__sync",
                             "__thread", "cp.async", "#pragma", "shared_", "launch bounds"})
        if (has(text, word)) return word;
    return {};
}

}  // namespace

TEST_CASE("the author of a kernel in Triton is told what Triton leaves to him") {
    const auto kernel = analyzeOne(inTriton(narrowCopy("long_scoreboard")));
    REQUIRE(kernel.origin == KernelOrigin::Triton);
    for (const Language language : languages()) {
        const std::string edit = editOf(kernel, kNarrow, language);
        CHECK(has(edit, "BLOCK"));
        CHECK(has(edit, "num_warps"));
        CHECK(has(edit, "tl.arange"));
        CHECK_FALSE(has(editOf(kernel, kStall, language), "num_stages"));  // it is an argument
    }
    CHECK(unfilled(kernel).empty());
    // 16 bytes for each of 256 threads.
    const auto& args = find(kernel, kNarrow)->args;
    const auto elements = std::ranges::find(args, "elements", &Arg::name);
    REQUIRE(elements != args.end());
    CHECK(elements->value == 2048);
    // In CUDA the same kernel gets the rule's own edit.
    CHECK(editOf(analyzeOne(narrowCopy("long_scoreboard")), kNarrow, Language::En).empty());
}

TEST_CASE("a wait in Triton has an edit that fits its reason") {
    const auto toldFor = [](const char* reason) {
        const auto kernel = analyzeOne(inTriton(narrowCopy(reason)));
        const Finding* finding = find(kernel, kStall);
        REQUIRE(finding);
        const auto edit = std::ranges::find(finding->args, "edit", &Arg::name);
        REQUIRE(edit != finding->args.end());
        return edit->text.in(Language::En);
    };
    CHECK(has(toldFor("long_scoreboard"), "num_stages"));
    CHECK(has(toldFor("barrier"), "num_warps=1"));
    CHECK(has(toldFor("lg_throttle"), "16 bytes"));
    CHECK(has(toldFor("short_scoreboard"), "tl.exp2"));
}

TEST_CASE("texts for Triton speak of Triton in both languages, not of CUDA") {
    std::size_t rules = 0, reasons = 0;
    for (const Rule* rule : allRules()) {
        if (rule->en.editInTriton.empty()) continue;
        ++rules;
        for (const Language language : languages()) {
            CAPTURE(rule->id);
            const std::string_view text = rule->text(language).editInTriton;
            CHECK((has(text, "Triton") || text == "{edit}" || rule->id == kStall));
            CHECK(cudaWordIn(text).empty());
        }
    }
    const ChipTable chip = chipTable("GH100").value();
    for (const std::string& counter : chip.groups.at("stalls").counters) {
        const auto from = counter.find("stalled_") + 8;
        const StallCause* cause =
            findStallCause(counter.substr(from, counter.find("_per_issue") - from));
        if (!cause || cause->inTriton.empty()) continue;
        ++reasons;
        CAPTURE(cause->reason);
        for (const Language language : languages()) {
            const std::string text = cause->inTriton.in(language);
            CHECK(has(text, "Triton"));
            CHECK(cudaWordIn(text).empty());
        }
    }
    CHECK(rules >= 12);
    CHECK(reasons >= 10);
}
