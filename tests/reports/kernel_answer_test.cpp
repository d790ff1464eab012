// SPDX-License-Identifier: Apache-2.0
// What an answer states about a finding, before it is put into words.
#include "reports/answer/kernel_answer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "reports/answer/finding_words.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {

/// "Only {active} of the lanes take part in the average instruction: {cause}."
Finding idleLanes() {
    Finding finding;
    finding.ruleId = "idle-lanes";
    finding.args = {{.name = "active", .value = 0.25, .unit = Unit::Share},
                    {.name = "cause", .value = 7, .text = Words("7 branches diverge")},
                    {.name = "other", .value = 0.5, .unit = Unit::Share}};
    finding.gain = Derived<Seconds>::of({1e-6}, "");
    return finding;
}

Evidence evidence(const char* label, double value, Unit unit) {
    return {.label = Words::same(label), .value = value, .unit = unit};
}

}  // namespace

TEST_CASE("evidence is told unless the sentence of the fault mentions its number") {
    KernelAnalysis kernel;
    Finding finding = idleLanes();
    finding.evidence = {evidence("active lanes", 0.25, Unit::Share),
                        evidence("ways", 0.25, Unit::Ways),    // another unit
                        evidence("half", 0.5, Unit::Share),    // not in the sentence
                        evidence("branches", 7, Unit::Count),  // in an argument's text
                        evidence("sectors", 0, Unit::Count)};
    kernel.findings = {finding};
    const AnsweredFinding answer = answerOf(kernel, kernel.findings.front(), 1);
    std::vector<std::string> told;
    for (const Evidence* piece : answer.evidence) told.push_back(piece->label.in(Language::En));
    CHECK(told == std::vector<std::string>{"ways", "half", "sectors"});
}

TEST_CASE("a wait says which finding before it is its cause") {
    KernelAnalysis kernel;
    Finding wait = idleLanes();
    wait.ruleId = "dominant-stall";
    wait.cause = "idle-lanes";
    kernel.findings = {idleLanes(), wait};
    const AnsweredFinding answer = answerOf(kernel, kernel.findings[1], 2);
    CHECK(answer.cause == 1);
    CHECK(answer.says(Statement::Cause));
    CHECK(causeSentence(answer, Language::En).plain() == "The edit of finding 1 also fixes this.");
    // If the cause cannot be edited by the user, it is not a finding.
    kernel.findings.erase(kernel.findings.begin());
    const AnsweredFinding alone = answerOf(kernel, kernel.findings.front(), 1);
    CHECK_FALSE(alone.cause);
    CHECK(causeSentence(alone, Language::En).empty());
}

TEST_CASE("statements come in one order, and only those that have something to say") {
    KernelAnalysis kernel;
    kernel.findings = {idleLanes()};
    kernel.findings.front().expected = {{.counter = Words::same("c"),
                                         .what = moved::Counters{"c"},
                                         .from = 1,
                                         .to = 2,
                                         .unit = Unit::Count}};
    AnsweredFinding answer = answerOf(kernel, kernel.findings.front(), 1);
    CHECK(std::ranges::is_sorted(answer.statements));
    CHECK_FALSE(answer.says(Statement::Where));
    CHECK_FALSE(answer.says(Statement::Evidence));
    CHECK(answer.says(Statement::Expect));
    // A rule unknown to this build has no sentences.
    kernel.findings.front().ruleId = "of-another-version";
    answer = answerOf(kernel, kernel.findings.front(), 1);
    CHECK(answer.statements == std::vector{Statement::Expect});
}
