// SPDX-License-Identifier: Apache-2.0
// `roofscope measure`: like `record`, but instead of running a program it asks the process that
// started it to call one of its functions. The Python package starts it
// (python/roofscope/_measure.py). They exchange lines:
//
//   measure → process   call FOLDER        call the function once and record into this folder
//   process → measure   done SECONDS       the function returned after this time
//                       failed WHY         nothing was recorded
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/record_output.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/recording/record.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct MeasureArguments {
    std::string out, name;
    std::string cacheControl = "none";
    bool mayLaunchNothing = false;
    RecordOptions record;
};

/// The rest of a line that begins with `word` and a space; nullopt for other lines.
std::optional<std::string> after(const std::string& line, std::string_view word) {
    if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ')
        return std::nullopt;
    return line.substr(word.size() + 1);
}

Result<ChildEnd> callOnce(const fs::path& folder) {
    fmt::print("call {}\n", folder.string());
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line))
        return Error{.code = ErrorCode::Unavailable, .what = "the process that measures has ended"};
    if (const auto why = after(line, "failed"))
        return Error{.code = ErrorCode::Unavailable, .what = *why};
    const auto seconds = after(line, "done");
    if (!seconds)
        return Error{.code = ErrorCode::Usage,
                     .what = "expected \"done SECONDS\" or \"failed WHY\"",
                     .where = "stdin"};
    return ChildEnd{.status = {.code = 0}, .seconds = std::strtod(seconds->c_str(), nullptr)};
}

/// Fails with the first error among the issues: the measurement is useless then.
Result<void> complete(const Profile& profile, bool mayLaunchNothing) {
    for (const Issue& issue : profile.issues)
        if (issue.severity == Severity::Error && !(mayLaunchNothing && issue.code == "no-launch"))
            return Error{.code = issue.code == "counters-not-permitted" ? ErrorCode::NoPermission
                                                                        : ErrorCode::Unavailable,
                         .what = issue.message,
                         .advice = issue.advice};
    return {};
}

Result<int> measure(const MeasureArguments& options) {
    if (auto ok = checkWritable(options.out); !ok) return ok.error();
    RecordOptions request = options.record;
    request.callOnce = callOnce;
    // Reports recognise Python's kernels by the first word.
    request.shownCommand = {"python3", "-c", "roofscope.measure(" + options.name + ")"};
    // Calling again in the running process is cheap, so there is no need to replay launches.
    request.replay = ReplayChoice::Application;
    request.callSites = false;
    if (options.cacheControl == "flush") request.cacheControl = CacheControl::Flush;
    const auto recording = record(request);
    if (!recording) return recording.error();
    const Profile& profile = recording->profile;
    if (auto ok = complete(profile, options.mayLaunchNothing); !ok) return ok.error();
    for (const Issue& issue : profile.issues)
        if (issue.severity == Severity::DataLoss)
            printNote(issue.advice.empty() ? issue.message
                                           : fmt::format("{} ({})", issue.message, issue.advice));
    const auto written = writeProfileTo(profile, {.path = options.out});
    return written ? Result<int>(0) : written.error();
}

}  // namespace

void addMeasureCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<MeasureArguments>();
    CLI::App* command = app.add_subcommand(
        "measure", "Measure a function of the calling process (roofscope.measure)");
    command->group("");  // for the Python package, not for people
    RecordOptions& record = options->record;
    command->add_option("--out", options->out, "Profile to write")->required()->check(fileName());
    command->add_option("--name", options->name, "What the profile calls the function")->required();
    addListOption(*command, "--groups", record.groups, "Counter groups");
    command->add_option("--timing-repeats", record.timingRuns, "Calls without counters");
    command->add_option("--cache-control", options->cacheControl, "As of record")
        ->check(CLI::IsMember({"none", "flush"}));
    command->add_flag("--may-launch-nothing", options->mayLaunchNothing,
                      "A call that launches no kernel is no error");
    command->add_flag("--timing-only", record.timingOnly, "No counters");
    command->callback([=, &run] { run = [=] { return measure(*options); }; });
}

}  // namespace roofscope::cli
