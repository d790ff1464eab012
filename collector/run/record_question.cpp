// SPDX-License-Identifier: Apache-2.0
#include "collector/run/record_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "collector/run/join_parts.h"
#include "collector/run/record_over_time.h"
#include "collector/run/record_sources.h"

namespace roofscope {
namespace {

/// How many values the launches have.
std::size_t valuesOf(const Profile& profile, const std::vector<std::uint32_t>& launches) {
    std::size_t count = 0;
    for (const std::string& name : profile.counters.names()) {
        const auto column = profile.counters.column(name);
        count += std::ranges::count_if(launches, [&](std::uint32_t row) {
            return row < column.size() && std::isfinite(column[row]);
        });
    }
    return count;
}

/// The rows of `launches` that a run with these picks reads.
std::vector<std::uint32_t> pickedRows(
    const Profile& profile, const std::vector<std::uint32_t>& launches,
    const std::map<std::uint64_t, std::vector<std::uint32_t>>& picks) {
    std::vector<std::uint32_t> rows;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> seen;
    for (std::uint32_t row = 0; row < profile.launches.size(); ++row) {
        const Launch& launch = profile.launches[row];
        const std::uint64_t signature = launchSignature(profile, launch);
        const auto picked = picks.find(signature);
        if (picked == picks.end()) continue;
        const std::uint32_t ordinal = seen[{launch.process, signature}]++;
        if (std::ranges::find(picked->second, ordinal) != picked->second.end() &&
            std::ranges::binary_search(launches, row))
            rows.push_back(row);
    }
    return rows;
}

std::string namesOf(const Question& question) {
    std::string text;
    for (const std::string& group : question.groups) text += (text.empty() ? "" : ", ") + group;
    return text;
}

/// Why a run gave less than expected: its issues, without those of severity Info.
bool isFailure(const Issue& issue) {
    return issue.severity != Severity::Info || issue.code == "launch-sequence-differs";
}

/// An issue of a follow-up run, reworded for the whole recording, whose earlier data are complete.
Issue inRecording(Issue issue, const Question& question) {
    const bool ended = issue.code == "time-limit" || issue.code == "interrupted";
    if (issue.code == "time-limit") issue.message = "it reached the time limit";
    if (ended || !question.required) issue.severity = Severity::Info;
    issue.message = fmt::format("a further run that was to read {} failed: {}", namesOf(question),
                                issue.message);
    if (ended) issue.advice = "the recording before it is complete";
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
    // A few launches stand for all, even if counters were read of all.
    if (asked.perKernel == 0) asked.perKernel = kDefaultPerKernel;
    asked.perSmallKernel = asked.perKernel;
    configuration.counters.clear();
    configuration.measuredRanges.clear();
    configuration.callSites = false;

    Profile next = base;
    next.issues.clear();
    std::vector<std::uint32_t> read;
    Result<void> ran;
    const unsigned runsBefore = runner.runs();
    if (source) {
        asked.source.launches = launches;
        for (const SourceTarget& target : sourceTargets(base, asked.source))
            read.push_back(target.launch);
        ran = recordSources(runner, std::move(configuration), asked, next);
    } else if (overTime) {
        asked.overTime.launches = launches;
        for (const SourceTarget& target : sourceTargets(base, asked.overTime))
            read.push_back(target.launch);
        ran = recordOverTime(runner, std::move(configuration), asked, next);
    } else {
        asked.groups = configuration.groups = question.groups;
        read = pickedRows(base, launches, representativeLaunches(base, asked.perKernel, launches));
        const auto counted =
            recordCounters(runner, std::move(configuration), asked, program, next, &launches);
        if (!counted) ran = counted.error();
    }
    if (ran && runner.runs() == runsBefore) return false;
    std::vector<Issue> issues = std::exchange(next.issues, base.issues);
    if (!ran)
        issues.push_back({.severity = Severity::DataLoss,
                          .source = "record",
                          .code = "follow-up-failed",
                          .message = ran.error().what,
                          .advice = ran.error().advice});
    const bool gained = source     ? next.sources.size() > base.sources.size()
                        : overTime ? next.overTime.size() > base.overTime.size()
                                   : valuesOf(next, read) > valuesOf(base, read);
    // Counters that the GPU lacks are not asked for again.
    const bool inVain = !gained && std::ranges::none_of(issues, isFailure);
    for (Issue& issue : issues) {
        // The first runs have reported these.
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
                                    .launches = std::move(read),
                                    .passes = source || overTime ? 0 : passes});
    base = std::move(next);
    return gained;
}

}  // namespace roofscope
