// SPDX-License-Identifier: Apache-2.0
#include "reports/profile/ask_command.h"

#include <algorithm>
#include <charconv>

#include "analyzer/launches/grouping.h"
#include "profile/names/launchers.h"
#include "reports/answer/edit_text.h"
#include "reports/escape/escape.h"
#include "reports/kernels/kernel_id.h"

namespace roofscope {

std::string nextProfileName(std::string_view path) {
    constexpr std::string_view kSuffix = ".roofscope.json", kAfter = "-after";
    if (path.ends_with(".gz")) path.remove_suffix(3);
    for (const std::string_view suffix :
         {kSuffix, std::string_view(".json"), std::string_view(".sqlite"),
          std::string_view(".nsys-rep")}) {
        if (!path.ends_with(suffix)) continue;
        path.remove_suffix(suffix.size());
        break;
    }
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
    // Other tools have other groups. A profile with times only lacks everything, which the report
    // says once.
    if (capture.origin == "imported" || profile.counters.names().empty()) return lacking;
    for (const CannotTell& unknown : kernel.cannotTell)
        for (const CounterGroup group : unknown.groups)
            if (isNamedGroup(group) && std::ranges::find(lacking, toString(group)) == lacking.end())
                lacking.emplace_back(toString(group));
    return lacking;
}

std::string recordingOptions(const Capture& capture) {
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
        if (std::ranges::find(kFilters, name) == std::end(kFilters) || filter.size() > kLongest)
            continue;
        text += " " + name;
        if (space < filter.size()) text += " " + shellArgument(filter.substr(space + 1));
    }
    return text;
}

namespace {

/// Whether several ranks each recorded themselves, so that the command lacks their launcher.
bool ranksRecordedThemselves(const Profile& profile) {
    const auto of = [](const Process& process) {
        return process.rank && process.worldSize.value_or(1) > 1;
    };
    if (!std::ranges::any_of(profile.processes, of)) return false;
    const std::vector<std::string>& command = profile.capture.command;
    return !command.empty() && !isLauncher(command.front());
}

/// Groups that only further runs read for this kernel (`--effort`). Findings may rely on them, so
/// the next recording must read them, too, to be comparable.
std::vector<std::string> furtherGroups(const Capture& capture, const KernelAnalysis& kernel) {
    std::vector<std::string> groups;
    for (const CounterGroup group : kNamedGroups)
        if (std::ranges::find(capture.groups, toString(group)) == capture.groups.end() &&
            wasRead(capture, kernel.group, group))
            groups.emplace_back(toString(group));
    return groups;
}

constexpr std::size_t kLongestPath = 500;

bool hides(const ReportOptions& options, std::string_view what) {
    return options.askOptions.find(what) != std::string::npos;
}

/// Whether Nsight Compute took the measurement, so that only it can repeat it.
bool isMeasuredByNcu(const Capture& capture) {
    return capture.origin == "imported" &&
           capture.strategy.starts_with("imported from Nsight Compute");
}

/// "app.ncu-rep" → "app-after.ncu-rep"; also accepts files exported or imported from a report.
std::string nextNcuReport(std::string_view path) {
    constexpr std::string_view kReport = ".ncu-rep", kProfile = ".roofscope.json";
    for (const std::string_view ending : {".gz", ".csv", ".tsv", ".ncu-rep"})
        if (path.ends_with(ending)) path.remove_suffix(ending.size());
    std::string next = nextProfileName(path);
    next.resize(next.size() - kProfile.size());
    return next + std::string(kReport);
}

/// The file of the next recording.
std::string nextFile(const Capture& capture, const ReportOptions& options) {
    const auto name = isMeasuredByNcu(capture) ? nextNcuReport : nextProfileName;
    std::string next = shellArgument(name(options.profilePath));
    return next.size() > kLongestPath ? name({}) : next;
}

/// The call ("roofscope.measure(model.step)") if a function was measured inside a running process;
/// empty for programs.
std::string measuredCall(const Capture& capture) {
    constexpr std::string_view kCall = "roofscope.measure(";
    constexpr std::size_t kLongest = 200;
    const std::vector<std::string>& command = capture.command;
    if (command.size() != 3 || command[1] != "-c" || !command[2].starts_with(kCall)) return {};
    return cleanText(command[2], kLongest);
}

/// "roofscope record --out …": the same program with the same options. `added` are groups that
/// further runs read, `more` are further groups to read, `detail` are options for kernels to
/// measure in detail, each with a leading blank.
std::string recordCommand(const Profile& profile, const ReportOptions& options,
                          std::vector<std::string> added, const std::vector<std::string>& more,
                          const std::string& detail) {
    const Capture& capture = profile.capture;
    std::string groups;
    for (const std::string& group : capture.groups) groups += (groups.empty() ? "" : ",") + group;
    const bool asked = !added.empty();
    for (const std::string& group : more)
        if (std::ranges::find(added, group) == added.end()) added.push_back(group);
    for (const std::string& group : added) groups += (groups.empty() ? "default," : ",") + group;
    if (const std::string call = measuredCall(capture); !call.empty())
        return "# in the process that called it: " + call +
               (groups.empty() || groups == "default" ? "" : " with groups " + groups) + "\n";
    std::string program = shellCommand(capture.command);
    // Imported profiles have the process name but not its arguments.
    if (!program.empty() && capture.origin == "imported") program += " ARGS";
    if (program.empty()) program = "PROGRAM ARGS";
    // With the options as before, so that both reports can be compared.
    if (isMeasuredByNcu(capture) && !capture.toolCommand.empty() && !capture.command.empty())
        return shellCommand(capture.toolCommand) + " -o " + nextFile(capture, options) + " " +
               shellCommand(capture.command) + "\n";
    if (isMeasuredByNcu(capture))
        return "ncu OPTIONS -o " + nextFile(capture, options) + " " + program +
               "  # the same options and arguments as before\n";
    if (capture.snap)
        return "roofscope snap PID" +
               (capture.snap->steps ? " --steps " + std::to_string(*capture.snap->steps) : "") +
               " --out " + nextFile(capture, options) +
               "  # of the armed process (\"roofscope ps\"), with the edit in it\n";
    std::string text = "roofscope record --out " + nextFile(capture, options);
    if (!groups.empty() && groups != "default" && groups.size() < 500)
        text += " --groups " + shellArgument(groups) + (asked ? " --effort auto" : "");
    // A redacted report must not reveal options in its command.
    if (!hides(options, "--redact")) text += recordingOptions(capture);
    text += detail + " -- " + program;
    // redact() replaces all arguments by an ellipsis.
    const bool redacted = hides(options, "--redact") && capture.command.size() > 1;
    if (capture.command.empty())
        text += "  # the command line was not recorded";
    else if (program == "PROGRAM ARGS")
        text += "  # the command line is too long to repeat here";
    else if (redacted)
        text += "  # with the arguments that were left out here";
    else if (ranksRecordedThemselves(profile))
        text += "  # in every rank, as their launcher started them";
    return text + "\n";
}

/// The path of this profile, quoted for a command; empty if unknown or too long.
std::string baselineOf(const ReportOptions& options) {
    const std::string path = shellArgument(options.profilePath);
    const bool known =
        !options.profilePath.empty() && options.profilePath != "-" && path.size() <= kLongestPath;
    return known ? path : std::string();
}

}  // namespace

std::string askCommand(const Analysis& analysis, std::size_t kernelIndex,
                       const ReportOptions& options, const std::vector<std::string>& more) {
    const KernelAnalysis& kernel = analysis.kernels[kernelIndex];
    // Measure in detail again, so that both reports can be compared. A hashed name cannot be used
    // as a pattern.
    std::string detail;
    if (!hides(options, "--redact=names")) {
        const std::string pattern = shellArgument(exactPattern(kernel.fullName));
        if (kernel.source) detail += " --source " + pattern;
        if (kernel.overTime) detail += " --over-time " + pattern;
    }
    std::string text = recordCommand(
        *analysis.profile, options, furtherGroups(analysis.profile->capture, kernel), more, detail);
    text +=
        "roofscope report " + nextFile(analysis.profile->capture, options) + " --format markdown";
    // If the edit replaces the kernel, the new one has another name.
    if (editKeepsKernel(kernel))
        text += " --kernel " +
                (options.ids ? (*options.ids)[kernelIndex] : kernelIds(analysis)[kernelIndex]);
    if (!options.askOptions.empty()) text += " " + options.askOptions;
    // With the baseline, the new report says whether this one's promise came true.
    if (const std::string baseline = baselineOf(options); !baseline.empty())
        text += " --baseline " + baseline;
    return text + "\n";
}

std::vector<std::string> groupsForNext(const Analysis& analysis) {
    constexpr double kMatters = 0.03;  // share of the kernels' time
    const auto& groups = analysis.profile->capture.groups;
    if (groups.empty() || (groups.size() == 1 && groups.front() == "default")) return {};
    std::vector<std::string> more;
    for (const KernelAnalysis& kernel : analysis.kernels)
        if (kernel.timeShare.has() && kernel.timeShare->value >= kMatters)
            for (const std::string& group : lackingGroups(*analysis.profile, kernel))
                if (std::ranges::find(more, group) == more.end()) more.push_back(group);
    return more;
}

std::string nextCommand(const Analysis& analysis, const ReportOptions& options) {
    const std::vector<std::string> more = groupsForNext(analysis);
    const std::string baseline = baselineOf(options),
                      next = nextFile(analysis.profile->capture, options);
    const std::size_t sampled = analysis.profile->overTime.size();
    std::string text = recordCommand(
        *analysis.profile, options, {}, more,
        sampled > 0 ? " --over-time top:" + std::to_string(std::min<std::size_t>(sampled, 16))
                    : std::string());
    text += baseline.empty() ? "roofscope report " + next
                             : "roofscope compare " + baseline + " " + next;
    if (options.language != Language::En)
        text += std::string(" --lang ") + toString(options.language);
    return text + "\n";
}

}  // namespace roofscope
