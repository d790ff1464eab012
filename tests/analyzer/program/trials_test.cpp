// SPDX-License-Identifier: Apache-2.0
// What trials of edits change: actions that have their times, and actions that are left out.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/program/program.h"
#include "profile/trials/trial_results.h"
#include "tests/analyzer/program/judged_steps.h"
#include "tests/support/catch.h"
#include "tests/support/copying_program.h"

using namespace roofscope;
using roofscope::test::copyingProgram;

namespace {

TrialResult trialWith(TrialOutcome outcome, std::vector<std::string> settles,
                      std::vector<std::string> suggestedBy) {
    return {.name = "loader",
            .title = "Load with workers",
            .outcome = outcome,
            .why = {},
            .per = "step",
            .before = Seconds{0.025},
            .after = Seconds{0.006},
            .kept = true,
            .largestDifference = 0,
            .suggestedBy = std::move(suggestedBy),
            .settles = std::move(settles)};
}

Program judgedWith(std::vector<TrialResult> trials) {
    auto results = std::make_shared<TrialResults>();
    results->trials = std::move(trials);
    return analyzeProgram(
        analyze(std::make_shared<const Profile>(copyingProgram()), {.trials = std::move(results)}));
}

const Action* pageable(const Program& program) {
    return test::actionNamed(program, "pageable-copy");
}

using Indices = std::vector<std::size_t>;
constexpr const char* kCopy = "pageable-copy";

}  // namespace

TEST_CASE("a trial that helped belongs to the action whose edit it is") {
    const Program program = judgedWith({trialWith(TrialOutcome::Helped, {}, {kCopy}),
                                        trialWith(TrialOutcome::Helped, {kCopy}, {kCopy}),
                                        trialWith(TrialOutcome::ResultsChanged, {}, {"host-bound"}),
                                        trialWith(TrialOutcome::Slower, {}, {kCopy})});
    REQUIRE(pageable(program));
    CHECK(pageable(program)->tried == Indices{1, 0});
}

TEST_CASE("an action whose edit was tried in vain is left out, and no other") {
    const Program plain = judgedWith({});
    REQUIRE(pageable(plain));
    for (const TrialOutcome vain :
         {TrialOutcome::WithinNoise, TrialOutcome::Slower, TrialOutcome::Failed}) {
        const Program program = judgedWith({trialWith(vain, {kCopy}, {kCopy})});
        CHECK_FALSE(pageable(program));
        CHECK(program.actions.size() + 1 == plain.actions.size());
        // It was only suggested: the action has another edit.
        CHECK(pageable(judgedWith({trialWith(vain, {}, {kCopy})})));
    }
    CHECK(pageable(judgedWith({trialWith(TrialOutcome::ResultsChanged, {kCopy}, {kCopy})})));
}
