// SPDX-License-Identifier: Apache-2.0
// What rules declare about themselves as types, compared with what they do on the recordings.
#include <algorithm>

#include "analyzer/diagnosis/rule.h"
#include "tests/support/catch.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

constexpr const char* kRecordings[]{"h200_bundled",      "h200_atomics",      "h200_compare",
                                    "h200_source",       "h200_tensor",       "h200_torch_chain",
                                    "h200_torch_triton", "h200_triton_source"};

bool has(const std::vector<CounterGroup>& groups, CounterGroup group) {
    return std::ranges::find(groups, group) != groups.end();
}

}  // namespace

TEST_CASE("a rule that cannot tell names groups that it needs and the profile lacks") {
    for (const char* file : kRecordings) {
        const Analysis& analysis = test::recorded(file);
        for (const KernelAnalysis& kernel : analysis.kernels)
            for (const CannotTell& unknown : kernel.cannotTell) {
                CAPTURE(file, kernel.fullName, unknown.ruleId);
                const Rule* const rule = findRule(unknown.ruleId);
                REQUIRE(rule);
                for (const CounterGroup group : unknown.groups) {
                    CHECK((has(rule->needs, group) || has(rule->helpedBy, group)));
                    CHECK(std::ranges::find(analysis.profile->capture.groups, toString(group)) ==
                          analysis.profile->capture.groups.end());
                    CHECK(unknown.advice.in(Language::En).find(toString(group)) !=
                          std::string::npos);
                }
            }
    }
}

TEST_CASE("only rules that name lines find places") {
    for (const char* file : kRecordings)
        for (const KernelAnalysis& kernel : test::recorded(file).kernels)
            for (const Finding& finding : kernel.findings) {
                CAPTURE(file, kernel.fullName, finding.ruleId);
                const Rule* const rule = findRule(finding.ruleId);
                REQUIRE(rule);
                CHECK((finding.places.empty() || rule->namesLine != NamesLine::No));
            }
}

TEST_CASE("every rule needs something, and what removes a launch is made in the program") {
    for (const Rule* rule : allRules()) {
        CAPTURE(rule->id);
        CHECK_FALSE(rule->needs.empty());
        if (rule->removesLaunch) CHECK(rule->editPlace == EditPlace::Program);
        if (rule->canChangeVerdict)
            CHECK(std::ranges::any_of(rule->needs,
                                      [](CounterGroup g) { return g != CounterGroup::Default; }));
    }
}

TEST_CASE("a verdict is of low confidence while a rule that may change it cannot tell") {
    std::size_t seen = 0;
    for (const char* file : kRecordings)
        for (const KernelAnalysis& kernel : test::recorded(file).kernels)
            for (const CannotTell& unknown : kernel.cannotTell) {
                if (!findRule(unknown.ruleId)->canChangeVerdict) continue;
                CAPTURE(file, kernel.fullName, unknown.ruleId);
                ++seen;
                CHECK(kernel.verdict.confidence == Confidence::Low);
                CHECK(std::ranges::find(kernel.verdict.reason.undecided, unknown.ruleId) !=
                      kernel.verdict.reason.undecided.end());
            }
    CHECK(seen > 0);
}
