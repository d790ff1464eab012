// SPDX-License-Identifier: Apache-2.0
#include "collector/run/measure/answer_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "collector/run/join/join_parts.h"
#include "collector/run/measure/over_time.h"
#include "collector/run/measure/sources.h"
#include "profile/names/instrumented.h"

namespace roofscope {
namespace {

/// Those of `launches` that gained counter values from `before` to `after`.
std::vector<std::uint32_t> newlyCounted(const Profile& before, const Profile& after,
                                        const std::vector<std::uint32_t>& launches) {
    const auto has = [](const CounterColumn& column, std::uint32_t row) {
        return row < column.size() && std::isfinite(column[row]);
    };
    std::set<std::uint32_t> found;
    for (const std::string& name : after.counters.names()) {
        const auto old = before.counters.column(name), now = after.counters.column(name);
        for (const std::uint32_t row : launches)
            if (has(now, row) && !has(old, row)) found.insert(row);
    }
    return {found.begin(), found.end()};
}

/// The launches of the details (per instruction, or over time) that `after` has but `before` lacks.
template <class Detail>
std::vector<std::uint32_t> newlyDetailed(const std::vector<Detail>& before,
                                         const std::vector<Detail>& after) {
    std::vector<std::uint32_t> found;
    for (std::size_t i = before.size(); i < after.size(); ++i)
        if (after[i].launch) found.push_back(*after[i].launch);
    return found;
}

std::string namesOf(const Question& question) {
    std::string text;
    for (const std::string& group : question.groups) text += (text.empty() ? "" : ", ") + group;
    return text;
}

/// Whether an issue tells why a run gave less than expected: all above
/// Info, and differing launches.
bool isFailure(const Issue& issue) {
    return issue.severity != Severity::Info || issue.code == "launch-sequence-differs";
}

/// Rewords an issue of a follow-up run for the whole recording, whose earlier data are complete.
Issue inRecording(Issue issue, const Question& question) {
    const bool ended = issue.code == "time-limit" || issue.code == "interrupted";
    if (issue.code == "time-limit") issue.message = "it reached the time limit";
    if (ended || !question.required) issue.severity = Severity::Info;
    issue.message =
        fmt::format("an additional run for {} failed: {}", namesOf(question), issue.message);
    if (ended) issue.advice = "the recording up to that run is complete";
    return issue;
}

}  // namespace

bool recordQuestion(ProgramRuns& runner, RunConfiguration configuration,
                    const RecordOptions& options, const OneRun& program, const Question& question,
                    Profile& base) {
    std::vector<std::uint32_t> launches = question.launches;
    std::ranges::sort(launches);
    const bool source = question.groups == std::vector<std::string>{"source"};
    const bool overTime = question.groups == std::vector<std::string>{"over-time"};
    RecordOptions asked = options;
    asked.counters.clear();
    asked.ranges.clear();
    asked.source = {};
    asked.overTime = {};
    asked.progress = nullptr;
    // A few launches of each kernel are enough, even if the first runs counted all.
    if (asked.perKernel == 0) asked.perKernel = kDefaultPerKernel;
    asked.perSmallKernel = asked.perKernel;

    Profile next = base;
    next.issues.clear();
    Result<void> ran;
    std::vector<std::uint32_t> read;
    const unsigned runsBefore = runner.runs();
    if (source) {
        asked.source.launches = launches;
        // Of long launches there are only samples.
        const bool isLong = std::ranges::any_of(launches, [&](std::uint32_t row) {
            const auto& duration = base.launches[row].duration;
            return duration && isLongToInstrument(duration->value);
        });
        asked.stallSamples = asked.stallSamples && (question.stallSamples || isLong);
        ran = recordSources(runner, std::move(configuration), asked, next);
        read = newlyDetailed(base.sources, next.sources);
    } else if (overTime) {
        asked.overTime.launches = launches;
        ran = recordOverTime(runner, std::move(configuration), asked, next);
        read = newlyDetailed(base.overTime, next.overTime);
    } else {
        asked.groups = question.groups;
        configuration.mode = CountersMode{.groups = question.groups};
        const auto counted =
            recordCounters(runner, std::move(configuration), asked, program, next, &launches);
        if (!counted) ran = counted.error();
        read = newlyCounted(base, next, launches);
    }
    if (ran && runner.runs() == runsBefore) return false;
    std::vector<Issue> issues = std::exchange(next.issues, base.issues);
    if (!ran)
        issues.push_back({.severity = Severity::DataLoss,
                          .source = "record",
                          .code = "follow-up-failed",
                          .message = ran.error().what,
                          .advice = ran.error().advice});
    const bool gained = !read.empty();
    // If nothing failed and yet nothing was gained, the GPU lacks these counters: do not ask again.
    const bool inVain = !gained && std::ranges::none_of(issues, isFailure);
    for (Issue& issue : issues) {
        // The first runs have reported these already.
        const bool told = std::ranges::any_of(base.issues, [&](const Issue& other) {
            return other.code == issue.code && other.message == issue.message;
        });
        if (!told)
            addIssue(next, isFailure(issue) ? inRecording(std::move(issue), question) : issue);
    }
    if (!gained && !inVain) {
        base.issues = std::move(next.issues);
        return false;
    }
    const std::uint32_t passes = next.capture.passes - base.capture.passes;
    next.capture = base.capture;
    next.capture.further.push_back({.groups = question.groups,
                                    .launches = std::move(gained ? read : launches),
                                    .passes = source || overTime ? 0 : passes});
    base = std::move(next);
    return gained;
}

}  // namespace roofscope
