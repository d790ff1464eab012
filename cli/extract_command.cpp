// SPDX-License-Identifier: Apache-2.0
// `roofscope extract --kernel NAME --out FOLDER -- PROGRAM`: makes a folder of one launch that
// replays it and judges edits of its kernel.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/number_check.h"
#include "cli/program_words.h"
#include "cli/redact_option.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "collector/run/processes/child_process.h"
#include "collector/run/processes/interruptions.h"
#include "collector/run/recording/record.h"
#include "extract/choice/launch_choice.h"
#include "extract/folder/candidate_text.h"
#include "extract/folder/launch_folder.h"
#include "extract/folder/scratch_folder.h"
#include "profile/errors/usage_error.h"
#include "profile/names/name_pattern.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"
#include "reports/language/number_format.h"
#include "reports/report.h"

namespace roofscope::cli {
namespace {

namespace fs = std::filesystem;

struct ExtractArguments {
    std::string launch = "median", out, limit = "4GiB";
    std::vector<std::string> kernels, ranges;
    double timeout = 0;
    std::size_t top = 0;
    bool noCheck = false, quiet = false, endAll = false;

    /// Whether `out` gets one folder per launch.
    [[nodiscard]] bool several() const { return top > 0 || kernels.size() > 1; }
};

constexpr const char* kFooter =
    "The program runs three times: for times, for counters (report.md), and to keep the launch. "
    "Then\nthe folder's own check replays the original. With --top, or several --kernel, FOLDER "
    "holds "
    "a\nfolder for each kernel, and the program runs twice and once more for each.\n\n"
    "Examples:\n"
    "  roofscope extract --kernel fan2 --out fan2/ ./gaussian -s 4096\n"
    "  roofscope extract --kernel softmax --launch slowest --out softmax/ python3 serve.py\n"
    "  roofscope extract --top 5 --out kernels/ python3 serve.py\n"
    "  cd fan2 && ./check                       is the result the program's?\n"
    "  cp kernel.cu candidate.cu                edit it, then\n"
    "  ./check candidate.cu                     better, not better, or wrong\n"
    "What can be extracted, and what the folder contains: docs/extract.md";

std::string launchWords(const Profile& profile, const ChosenLaunch& chosen, bool several) {
    const Launch& launch = profile.launches[chosen.launch];
    std::string text = shortKernelName(profile.kernels[launch.kernel].name);
    if (launch.duration) text += ", " + formatTime(*launch.duration);
    text +=
        chosen.among == 1 ? ", its only launch" : fmt::format(", one of {} launches", chosen.among);
    if (!several && chosen.kernels > 1)
        text += fmt::format("; {} kernels match, and it takes the most time", chosen.kernels);
    return text;
}

/// Why a launch was not captured, according to the issues from `firstIssue` on.
Error whyNot(const Profile& profile, std::size_t firstIssue) {
    const std::span issues = std::span(profile.issues).subspan(firstIssue);
    // Messages of the injected library about this launch come first.
    for (const char* code : {"capture-refused", "interrupted", "timeout"})
        if (const auto issue = std::ranges::find(issues, code, &Issue::code); issue != issues.end())
            return {.code = ErrorCode::Unavailable,
                    .what = issue->message,
                    .where = "extract",
                    .advice = issue->advice};
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error)
            return {.code = ErrorCode::Unavailable, .what = issue.message, .advice = issue.advice};
    return {.code = ErrorCode::Unavailable,
            .what = "the launch did not come again when the program ran once more",
            .where = "extract",
            .advice =
                "\"--launch first\" needs the least; a program that behaves differently in "
                "each run cannot be extracted from"};
}

/// The profile without paths, arguments and names of people and machines.
Result<std::shared_ptr<const Profile>> withoutNames(const Profile& profile) {
    const auto redaction = chooseRedaction("private");
    if (!redaction) return redaction.error();
    return std::make_shared<const Profile>(redact(profile, **redaction));
}

/// report.md: what limits the kernel.
std::string reportOf(const std::shared_ptr<const Profile>& profile, std::uint32_t launch) {
    const Analysis analysis = analyze(profile);
    for (std::size_t k = 0; k < analysis.kernels.size(); ++k)
        if (std::ranges::binary_search(analysis.kernels[k].group.launches, launch))
            return renderKernelHints(analysis, k, {.ask = false}) +
                   "\n**Ask:** make one change in a copy of `kernel.cu`, and run `./check COPY.cu` "
                   "(TASK.md).\n";
    return std::string("There is no report: the kernel was not measured.\n");
}

/// Replays the extracted launch as a user would. Returns the exit code.
int replay(const fs::path& folder, bool quiet) {
    ExitStatus status;
    const auto said = captureChild({fs::absolute(folder / "check").string()}, false, kMostCaptured,
                                   &status, toolPatience());
    if (!said) {
        Error error = said.error();
        if (!status.code && !status.signal)
            error.advice =
                "run check in the folder, which has no time limit, or leave it out here with "
                "\"--no-check\"; a kernel that waits for another one does not end alone";
        printError("the folder is written, but its original was not replayed as in the program: " +
                   error.message());
        return kExitPartial;
    }
    if (!quiet)
        for (std::size_t at = 0; at < said->size();) {
            const std::size_t end = std::min(said->find('\n', at), said->size());
            printNote(std::string_view(*said).substr(at, end - at));
            at = end + 1;
        }
    return 0;
}

/// Writes the folders. Chooses the launches after the first run of the program, then asks for one
/// more run to capture each.
class Extraction {
public:
    Extraction(const ExtractArguments& arguments, LaunchChoice choice, std::uint64_t limit)
        : m_arguments(arguments), m_choice(choice), m_limit(limit) {}

    /// Writes the folder of the last captured launch, and returns how to capture the next one.
    std::optional<CaptureMode> next(const Profile& profile) {
        if (!m_begun) choose(profile);
        m_begun = true;
        finishLast(profile);
        if (m_next == m_chosen.size() || Interruptions::seen()) return {};
        const ChosenLaunch& chosen = m_chosen[m_next];
        m_scratch = std::make_unique<ScratchFolder>(m_arguments.out);
        if (!m_scratch->path()) {
            m_error = m_scratch->path().error();
            m_scratch.reset();
            return {};
        }
        if (!m_arguments.quiet)
            printNote("one more run, to keep " +
                      launchWords(profile, chosen, m_arguments.several()));
        m_firstIssue = profile.issues.size();
        return CaptureMode{.signature = chosen.signature,
                           .ordinal = chosen.ordinal,
                           .limitBytes = m_limit,
                           .folder = m_scratch->path()->string()};
    }

    /// The exit code, after the last run of the program.
    Result<int> finish(const Recording& recording, const std::string& program) {
        // The last run was cut short.
        if (m_scratch) {
            m_firstIssue = 0;
            finishLast(recording.profile);
        }
        if (m_written > 0) return m_error ? (printError(m_error->message()), kExitPartial) : m_exit;
        if (recording.programExit != 0)
            return Error{.code = ErrorCode::Unavailable,
                         .what = fmt::format("the program ended with {}", recording.programExit),
                         .where = program,
                         .advice = "only a program that runs to its end can be extracted from"};
        if (m_error) return *m_error;
        if (recording.profile.processes.empty())
            return Error{.code = ErrorCode::NoInput,
                         .what = "the program did not use CUDA",
                         .where = program};
        return whyNot(recording.profile, 0);
    }

private:
    void choose(const Profile& profile) {
        const auto add = [&](const Result<std::vector<ChosenLaunch>>& found) {
            if (!found)
                noteError(found.error());
            else
                for (const ChosenLaunch& one : *found)
                    if (std::ranges::find(m_chosen, one.launch, &ChosenLaunch::launch) ==
                        m_chosen.end())
                        m_chosen.push_back(one);
        };
        if (m_arguments.top > 0 || m_arguments.kernels.size() == 1)
            return add(
                chooseLaunches(profile, m_choice, std::max<std::size_t>(m_arguments.top, 1)));
        for (const std::string& kernel : m_arguments.kernels) {
            const auto pattern = NamePattern::compile(kernel);
            if (!pattern) return noteError(pattern.error());
            auto found = chooseLaunches(profile, m_choice, 1, [&](const Kernel& one) {
                return pattern->matchesKernel(one.name);
            });
            if (!found) {
                Error error = found.error();
                error.where = "--kernel " + kernel;
                noteError(error);
            } else {
                add(found);
            }
        }
    }

    void noteError(const Error& error) {
        if (m_error && m_arguments.several()) printError(m_error->message());
        m_error = error;
    }

    /// A folder in `out` named after the kernel, or `out` itself.
    [[nodiscard]] Result<fs::path> folderOf(const std::string& kernel) {
        const fs::path out = m_arguments.out;
        if (!m_arguments.several()) return out;
        std::error_code error;
        fs::create_directory(out, error);
        if (error)
            return Error{
                .code = ErrorCode::CannotCreate, .what = error.message(), .where = out.string()};
        std::string name = identifierOf(kernel);
        if (const int before = m_names[name]++; before > 0) name += fmt::format("-{}", before + 1);
        return out / name;
    }

    void finishLast(const Profile& profile) {
        if (!m_scratch) return;
        if (auto ok = write(profile, m_chosen[m_next++].launch); !ok) noteError(ok.error());
        m_scratch.reset();
    }

    Result<void> write(const Profile& profile, std::uint32_t row) {
        const auto capture = findCapture(*m_scratch->path());
        if (!capture) return whyNot(profile, m_firstIssue);
        const Launch& launch = profile.launches[row];
        const std::string& kernel = profile.kernels[launch.kernel].name;
        const auto shown = withoutNames(profile);
        if (!shown) return shown.error();
        const auto folder = folderOf(kernel);
        if (!folder) return folder.error();
        const auto written = writeLaunchFolder({.capture = *capture,
                                                .name = kernel,
                                                .programTime = launch.duration,
                                                .report = reportOf(*shown, row),
                                                .profile = shown->get()},
                                               *folder);
        if (!written) return written.error();
        ++m_written;
        if (!m_arguments.quiet) {
            for (const std::string& note : written->notes) printNote(note);
            printNote(fmt::format(
                "{} of memory, {} in {}; it holds the program's data and perhaps a vendor's code",
                formatNumber(static_cast<double>(written->memory.memoryBytes), Unit::Bytes),
                formatNumber(static_cast<double>(written->memory.storedBytes), Unit::Bytes),
                folder->string()));
        }
        if (!m_arguments.noCheck) m_exit = std::max(m_exit, replay(*folder, m_arguments.quiet));
        return {};
    }

    const ExtractArguments& m_arguments;
    LaunchChoice m_choice;
    std::uint64_t m_limit = 0;
    bool m_begun = false;
    std::vector<ChosenLaunch> m_chosen;
    std::size_t m_next = 0, m_written = 0, m_firstIssue = 0;
    std::unique_ptr<ScratchFolder> m_scratch;  ///< for the launch that is being captured
    std::map<std::string, int> m_names;
    std::optional<Error> m_error;
    int m_exit = 0;
};

RecordOptions recordOptions(const ExtractArguments& o, const std::vector<std::string>& program,
                            Extraction& extraction) {
    RecordOptions r;
    r.command = program;
    for (const std::string& kernel : o.kernels)
        r.selection.kernel += (r.selection.kernel.empty() ? "" : "|") +
                              (o.kernels.size() == 1 ? kernel : "(?:" + kernel + ")");
    r.selection.ranges = o.ranges;
    // If one run both counted and timed, it would not show all launches.
    r.timingRuns = 1;
    r.timeline = TimelineDetail::Off;
    r.cpuSamples = false;
    r.callSites = false;
    if (o.timeout > 0) r.timeoutSeconds = o.timeout;
    if (o.endAll) r.leftovers = Leftovers::End;
    if (!o.quiet) r.progress = [](const std::string& text) { printNote(text); };
    r.keep = [&extraction](const Profile& profile) { return extraction.next(profile); };
    return r;
}

Result<int> extract(const ExtractArguments& o, const std::vector<std::string>& program) {
    if (program.empty())
        return usageError("no program to extract from", "extract",
                          "example: roofscope extract --kernel gemm --out gemm/ ./app");
    if (o.kernels.empty() && o.top == 0)
        return usageError("which kernel?", "extract",
                          "name it with --kernel, or take those with the most time: --top 5");
    for (const std::string& kernel : o.kernels)
        if (const auto pattern = NamePattern::compile(kernel); !pattern)
            return usageError(pattern.error().what, "--kernel " + kernel, pattern.error().advice);
    const auto choice = LaunchChoice::parse(o.launch);
    if (!choice) return choice.error();
    if (o.several() && choice->which == LaunchChoice::Which::Number)
        return usageError("of several kernels, a number means another launch of each",
                          "--launch " + o.launch, "use first, median or slowest");
    const auto limit = parseBytes(o.limit);
    if (!limit)
        return usageError("must be a number of bytes", "--limit " + o.limit, "example: 4GiB");
    if (auto ok = checkFolderIsFree(o.out); !ok) return ok.error();
    const Interruptions interruptions;
    Extraction extraction(o, *choice, *limit);
    const auto recording = record(recordOptions(o, program, extraction));
    if (!recording) return recording.error();
    return extraction.finish(*recording, program.front());
}

}  // namespace

void addExtractCommand(CLI::App& app, Action& run, const std::vector<std::string>& afterDashes) {
    auto options = std::make_shared<ExtractArguments>();
    CLI::App* command = app.add_subcommand(
        "extract", "Make a folder of one launch that replays it and judges edits of its kernel");
    command
        ->add_option("--kernel,-k", options->kernels,
                     "The kernel: a regular expression on its full or base name (\"gemm\" of "
                     "\"ns::gemm<4>(int*)\"); repeatable, one folder each")
        ->allow_extra_args(false)
        ->type_name("REGEX");
    command
        ->add_option("--top", options->top,
                     "Of the kernels (that --kernel matches), the N with the most time, one folder "
                     "each")
        ->check(CLI::Range(1, 100))
        ->type_name("N");
    command
        ->add_option("--launch", options->launch,
                     "Which of its launches: first, median (default) or slowest by time, or N, "
                     "the N-th from 1")
        ->type_name("WHICH");
    command
        ->add_option("--nvtx", options->ranges,
                     "Only launches inside an NVTX range that matches this glob (repeatable)")
        ->type_name("GLOB");
    command
        ->add_option("--out,-o", options->out, "The folder to make; it must not exist, or be empty")
        ->required()
        ->check(fileName())
        ->type_name("FOLDER");
    command
        ->add_option("--limit", options->limit,
                     "The most memory that the launch may reach (default: 4GiB)")
        ->type_name("BYTES");
    command
        ->add_option("--timeout", options->timeout,
                     "End each run of the program after this many seconds")
        ->check(positiveNumber());
    command->add_flag("--end-all", options->endAll,
                      "End processes that the program leaves running, as \"record\" does");
    command->add_flag("--no-check", options->noCheck, "Do not replay the original afterwards");
    command->add_flag("--quiet,-q", options->quiet, "No progress and no summary on stderr");
    command->footer(kFooter);
    endsWithProgram(*command);
    command->callback([=, &run, &afterDashes] {
        run = [=, &afterDashes]() -> Result<int> {
            const auto program = programWords(*command, afterDashes);
            if (!program) return program.error();
            return extract(*options, *program);
        };
    });
}

}  // namespace roofscope::cli
