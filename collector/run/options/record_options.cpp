// SPDX-License-Identifier: Apache-2.0
#include "collector/run/options/record_options.h"

#include <set>

#include "collector/rank/rank.h"
#include "profile/chips/chip.h"
#include "profile/names/launchers.h"
#include "profile/names/name_pattern.h"

namespace roofscope {
namespace {

/// Whether the regular expression compiles.
Result<void> checkPattern(const std::string& option, const std::string& pattern) {
    const auto compiled = NamePattern::compile(pattern);
    if (compiled) return {};
    Error error = compiled.error();
    error.where = option + " " + pattern;
    error.advice = "example: " + option + " 'gemm|softmax'";
    return error;
}

}  // namespace

// Called before the program runs, whose own process would notice a wrong
// group only after its start-up.
Result<void> checkGroups(const std::vector<std::string>& groups) {
    std::set<std::string> known;
    for (const auto& chip : knownChips())
        if (const auto table = chipTable(chip))
            for (const auto& [name, group] : table->groups) known.insert(name);
    std::string list;
    for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
    if (groups.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "no counter group is given",
                     .where = "--groups",
                     .advice = "known: " + list};
    for (const auto& group : groups)
        if (!known.contains(group))
            return Error{.code = ErrorCode::Usage,
                         .what = "there is no counter group \"" + group + "\"",
                         .where = "--groups",
                         .advice = "known: " + list};
    return {};
}

bool runsOnce(const RecordOptions& options) {
    return options.onlyOnce ||
           (startsOnce() && (options.command.empty() || !isLauncher(options.command.front())));
}

unsigned timingRunsOf(const RecordOptions& options) {
    const bool severalAnyway =
        options.timingOnly || !options.ranges.empty() || options.source.any() ||
        options.overTime.any() || options.cacheControl == CacheControl::Flush ||
        (options.replay != ReplayChoice::Auto && options.replay != ReplayChoice::Kernel);
    return options.timingRuns.value_or(runsOnce(options) && !severalAnyway ? 0 : 1);
}

Result<void> checkRecordOptions(const RecordOptions& options) {
    if (auto ok = checkGroups(options.groups); !ok) return ok.error();
    if (auto ok = checkPattern("--kernel", options.selection.kernel); !ok) return ok.error();
    if (auto ok = checkPattern("--source", options.source.pattern); !ok) return ok.error();
    if (auto ok = checkPattern("--over-time", options.overTime.pattern); !ok) return ok.error();
    const unsigned timingRunsAsked = timingRunsOf(options);
    if (timingRunsAsked == 0 && (options.replay == ReplayChoice::Application ||
                                 options.replay == ReplayChoice::Multiplex || options.timingOnly))
        return Error{.code = ErrorCode::Usage,
                     .what = "this needs a timing run",
                     .where = "--timing-repeats",
                     .advice = "leave it out, or give 1 or more"};
    const bool flush = options.cacheControl == CacheControl::Flush;
    if (flush &&
        (timingRunsAsked == 0 || (options.replay == ReplayChoice::Kernel && !options.timingOnly)))
        return Error{.code = ErrorCode::Usage,
                     .what =
                         "caches cannot be flushed under kernel replay: CUPTI repeats the "
                         "launch by itself",
                     .where = "--cache-control flush",
                     .advice = "use --replay application or multiplex, and a timing run"};
    if (timingRunsAsked == 0 && !options.ranges.empty())
        return Error{.code = ErrorCode::Usage,
                     .what = "ranges are measured in further runs, after a timing run",
                     .where = "--range",
                     .advice = "leave --timing-repeats 0 out"};
    return {};
}

Result<void> checkQuestions(const RecordOptions& options) {
    const auto no = [](ErrorCode code, const char* what, const char* where) {
        return Error{.code = code, .what = what, .where = where};
    };
    if (options.timingOnly) return no(ErrorCode::Usage, "this reads no counters", "--timing-only");
    if (options.replay == ReplayChoice::Multiplex)
        return no(ErrorCode::Usage, "this runs the program once with counters",
                  "--replay multiplex");
    if (timingRunsOf(options) == 0 && options.timingRuns)
        return no(ErrorCode::Usage, "this runs the program once", "--timing-repeats 0");
    if (timingRunsOf(options) == 0)
        return no(ErrorCode::Unavailable, "under an MPI launcher a program may start only once",
                  "record");
    if (isOneOfRanks())
        return no(ErrorCode::Unavailable, "all ranks must run the program the same number of times",
                  "record");
    return {};
}

}  // namespace roofscope
