// SPDX-License-Identifier: Apache-2.0
#include "reports/ask_command.h"

#include <algorithm>
#include <charconv>

#include "profile/launchers.h"
#include "reports/edit_text.h"
#include "reports/escape.h"
#include "reports/kernel_id.h"

namespace roofscope {

std::string nextProfileName(std::string_view path) {
    constexpr std::string_view kSuffix = ".roofscope.json", kAfter = "-after";
    if (path.ends_with(".gz")) path.remove_suffix(3);
    if (path.ends_with(kSuffix))
        path.remove_suffix(kSuffix.size());
    else if (path.ends_with(".json"))
        path.remove_suffix(5);
    if (path.empty() || path == "-") return "after" + std::string(kSuffix);
    const std::size_t last = path.rfind(kAfter);
    if (last != std::string_view::npos) {
        const std::string_view digits = path.substr(last + kAfter.size());
        int number = 1;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (digits.empty() || (error == std::errc() && end == digits.data() + digits.size() &&
                               number >= 2 && number < 1000))
            return std::string(path.substr(0, last)) + std::string(kAfter) +
                   std::to_string(number + 1) + std::string(kSuffix);
    }
    return std::string(path) + std::string(kAfter) + std::string(kSuffix);
}

std::vector<std::string> lackingGroups(const Profile& profile, const KernelAnalysis& kernel) {
    const Capture& capture = profile.capture;
    std::vector<std::string> lacking;
    // Other tools have other groups; times alone lack everything, which the report says once.
    if (capture.origin == "imported" || profile.counters.names().empty()) return lacking;
    for (const CannotTell& unknown : kernel.cannotTell)
        for (const CounterGroup group : unknown.groups)
            if (isNamedGroup(group) && std::ranges::find(lacking, toString(group)) == lacking.end())
                lacking.emplace_back(toString(group));
    return lacking;
}

namespace {

/// How the recording was made, as far as it changes what is measured: options that "roofscope
/// record" knows, with their values quoted.
std::string howRecorded(const Capture& capture) {
    constexpr std::string_view kFilters[] = {
        "--kernel",      "--nvtx",         "--nvtx-exclude",       "--device",
        "--launch-skip", "--launch-count", "--profile-from-start", "--autotuning"};
    constexpr std::size_t kLongest = 200;
    std::string text;
    if (capture.cacheControl == "flush") text += " --cache-control flush";
    if (capture.strategy == "multiplex") text += " --replay multiplex";
    for (const std::string& filter : capture.filters) {
        const std::size_t space = std::min(filter.find(' '), filter.size());
        const std::string name = filter.substr(0, space);
        if (std::find(std::begin(kFilters), std::end(kFilters), name) == std::end(kFilters) ||
            filter.size() > kLongest)
            continue;
        text += " " + name;
        if (space < filter.size()) text += " " + shellArgument(filter.substr(space + 1));
    }
    return text;
}

/// Whether each of several ranks recorded itself: the command is not that of their launcher.
bool ranksRecordedThemselves(const Profile& profile) {
    const auto of = [](const Process& process) {
        return process.rank && process.worldSize.value_or(1) > 1;
    };
    if (!std::any_of(profile.processes.begin(), profile.processes.end(), of)) return false;
    const std::vector<std::string>& command = profile.capture.command;
    return !command.empty() && !isLauncher(command.front());
}

}  // namespace

std::string askCommand(const Analysis& analysis, std::size_t kernelIndex,
                       const ReportOptions& options, const std::vector<std::string>& more) {
    const Profile& profile = *analysis.profile;
    const KernelAnalysis& kernel = analysis.kernels[kernelIndex];
    const Capture& capture = profile.capture;
    constexpr std::size_t kLongestPath = 500;
    std::string next = shellArgument(nextProfileName(options.profilePath));
    if (next.size() > kLongestPath) next = nextProfileName({});
    std::string groups;
    for (const std::string& group : capture.groups) groups += (groups.empty() ? "" : ",") + group;
    for (const std::string& group : more) groups += (groups.empty() ? "default," : ",") + group;
    std::string program = shellCommand(capture.command);
    // Other tools name the process, not its arguments.
    if (!program.empty() && capture.origin == "imported") program += " ARGS";
    if (program.empty()) program = "PROGRAM ARGS";
    std::string text = "roofscope record --out " + next;
    if (!groups.empty() && groups != "default" && groups.size() < 500)
        text += " --groups " + shellArgument(groups);
    // What a redacted report hides is not in its command either.
    if (options.askOptions.find("--redact") == std::string::npos) text += howRecorded(capture);
    // Lines again, so that both reports can be laid side by side. A hash is no name to look for.
    if (const std::string pattern = exactPattern(kernel.fullName);
        kernel.source && !pattern.empty() &&
        options.askOptions.find("--redact=names") == std::string::npos)
        text += " --source " + shellArgument(pattern);
    text += " -- " + program;
    // See redact(): an ellipsis stands for all arguments.
    const bool redacted =
        options.askOptions.find("--redact") != std::string::npos && capture.command.size() > 1;
    if (capture.command.empty())
        text += "  # the command line was not recorded";
    else if (program == "PROGRAM ARGS")
        text += "  # the command line is too long to repeat here";
    else if (redacted)
        text += "  # with the arguments that were left out here";
    else if (ranksRecordedThemselves(profile))
        text += "  # in every rank, as their launcher started them";
    text += "\nroofscope report " + next + " --format markdown";
    // What replaces a kernel has another name.
    if (editKeepsKernel(kernel)) text += " --kernel " + kernelIds(analysis)[kernelIndex];
    if (!options.askOptions.empty()) text += " " + options.askOptions;
    // The new report then says whether this one's promise came true.
    const std::string baseline = shellArgument(options.profilePath);
    if (!options.profilePath.empty() && options.profilePath != "-" &&
        baseline.size() <= kLongestPath)
        text += " --baseline " + baseline;
    return text + "\n";
}

}  // namespace roofscope
