// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "analyzer/program/program.h"
#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/help_format.h"
#include "cli/kept.h"
#include "cli/language_option.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/redact_option.h"
#include "cli/sample_profile.h"
#include "cli/source_root.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "cli/window_option.h"
#include "profile/errors/usage_error.h"
#include "profile/files/output_conflict.h"
#include "profile/trials/trial_results.h"
#include "reports/escape/escape.h"
#include "reports/kernels/nearest_kernels.h"
#include "reports/report.h"

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

/// Default of --top in text and markdown; formats for programs have all kernels.
constexpr std::size_t kKernelsShown = 10;
/// Upper limit of --top and --budget: more than any report has.
constexpr std::uint64_t kMostOfAnything = 1'000'000'000'000;

struct ReportArguments {
    std::vector<std::string> profiles;
    std::string format, out, kernel, baseline, theme, plot, redact, lang, sourceRoot,
        convention = "roofscope", window = "auto";
    std::optional<std::uint64_t> top, budget;
    bool forAgent = false;
};

/// The options after checking.
struct Request {
    const ReportFormatEntry* format = nullptr;
    AnalyzeOptions analysis;
    Language language = Language::En;
    std::optional<RedactOptions> redaction;
    std::shared_ptr<const Analysis> baseline;  ///< null without --baseline
};

/// The chosen format, or the default for stdout.
Result<const ReportFormatEntry*> formatOf(const ReportArguments& options) {
    const auto chosen = chooseFormat(reportFormats(), options.format, options.out, "a report");
    if (!chosen) return chosen.error();
    const ReportFormatEntry& entry = *chosen                 ? **chosen
                                     : isatty(STDOUT_FILENO) ? entryOf(ReportFormat::Text)
                                                             : entryOf(ReportFormat::Markdown);
    if (options.profiles.size() > 1 && entry.several == Several::Refused)
        return usageError("this format takes only one profile",
                          "--format " + std::string(entry.name), "give one profile at a time");
    return &entry;
}

Result<std::shared_ptr<const Analysis>> readBaseline(const ReportArguments& options,
                                                     const Request& request) {
    if (options.baseline.empty()) return std::shared_ptr<const Analysis>();
    if (!request.format->document)
        return usageError("only markdown and text reports say what changed", "--baseline",
                          "\"roofscope compare --format json\" writes it for programs");
    Result<Profile> profile = readAnyProfile(options.baseline);
    if (!profile) return profile.error();
    if (request.redaction) *profile = redact(*profile, *request.redaction);
    return std::make_shared<const Analysis>(
        analyze(std::make_shared<const Profile>(std::move(*profile)), request.analysis));
}

/// Checks the options, and reads the baseline.
Result<Request> understand(const ReportArguments& options) {
    Request request;
    const auto format = formatOf(options);
    if (!format) return format.error();
    request.format = *format;
    if (!options.theme.empty() && options.theme != "light" && options.theme != "dark")
        return usageError("unknown theme \"" + options.theme + "\"", "--theme",
                          "use light or dark");
    if (!options.plot.empty() && options.plot != "roofline" && options.plot != "over-time")
        return usageError("unknown plot \"" + options.plot + "\"", "--plot",
                          "use roofline or over-time");
    if (!options.plot.empty() && request.format->format != ReportFormat::Svg)
        return usageError("--plot needs --format svg", "--plot",
                          "add --format svg or --out FILE.svg; a page has them all");
    if (options.budget && !request.format->document)
        return usageError("only markdown and text reports can be cut to a size", "--budget",
                          "leave it out, or choose --format markdown or text");
    const auto convention = parseConvention(options.convention);
    if (!convention)
        return usageError("unknown convention \"" + options.convention + "\"", "--convention",
                          "use roofscope or ncu");
    const Result<WindowChoice> window = chooseWindow(options.window);
    if (!window) return window.error();
    request.analysis = {.convention = *convention, .window = *window};
    const Result<Language> language = chooseLanguage(options.lang);
    if (!language) return language.error();
    request.language = *language;
    auto redaction = chooseRedaction(options.redact);
    if (!redaction) return redaction.error();
    request.redaction = std::move(*redaction);

    std::vector<fs::path> inputs(options.profiles.begin(), options.profiles.end());
    inputs.emplace_back(options.baseline);
    if (auto ok = checkOutputIsNoInput("--out", options.out, inputs); !ok) return ok.error();
    auto baseline = readBaseline(options, request);
    if (!baseline) return baseline.error();
    request.baseline = std::move(*baseline);
    return request;
}

/// Options that the commands in the report's "Ask" section must repeat.
std::string askOptions(const ReportArguments& options, const Request& request) {
    std::string text;
    const auto ask = [&](const std::string& option) { text += (text.empty() ? "" : " ") + option; };
    if (request.analysis.convention == Convention::Ncu) ask("--convention ncu");
    if (request.analysis.window != WindowChoice::Auto) ask("--window " + options.window);
    if (request.redaction)
        ask(request.redaction->what == Redaction::Names ? "--redact=names" : "--redact");
    else if (!options.sourceRoot.empty())
        ask("--source-root " + shellArgument(options.sourceRoot));
    if (request.language != Language::En) ask("--lang " + std::string(toString(request.language)));
    return text;
}

/// The results of `roofscope try` for this recording; null if there are none. An unusable file is
/// only reported, because the report is correct without it.
std::shared_ptr<const TrialResults> trialsOf(const std::string& path) {
    auto trials = readTrialsOf(path);
    if (!trials) printNote("trials are left out: " + trials.error().message());
    if (!trials || !*trials) return nullptr;
    return std::make_shared<const TrialResults>(**std::move(trials));
}

/// The trials without texts from the program.
std::shared_ptr<const TrialResults> redacted(const TrialResults& trials) {
    TrialResults result = trials;
    for (TrialResult& trial : result.trials) trial.why.clear();
    return std::make_shared<const TrialResults>(std::move(result));
}

/// The analysis of the redacted profile, with a note about the redaction.
Analysis redacted(const Analysis& analysis, const Request& request) {
    AnalyzeOptions options = request.analysis;
    if (analysis.trials) options.trials = redacted(*analysis.trials);
    Analysis result = analyze(
        std::make_shared<const Profile>(redact(*analysis.profile, *request.redaction)), options);
    result.notes.emplace_back(
        request.redaction->what == Redaction::Names
            ? Words("redacted: paths, arguments, user and host names are left out, kernel "
                    "names and NVTX ranges are hashes")
            : Words("redacted: paths, arguments, user and host names are left out"));
    return result;
}

/// The report of one profile.
struct OneReport {
    Analysis analysis;
    ReportOptions options;
    bool matched = false;  ///< --kernel matches something in this profile
    std::string nearest;   ///< similar names if it does not
};

Result<OneReport> reportOn(const std::string& path, const ReportArguments& options,
                           const Request& request) {
    Result<Profile> profile = readAnyProfile(path);
    if (!profile) return profile.error();
    if (!options.sourceRoot.empty())
        if (const auto added = addSourceTexts(*profile, options.sourceRoot); !added)
            return added.error();
    AnalyzeOptions wanted = request.analysis;
    wanted.trials = trialsOf(path);
    Analysis analysis = analyze(std::make_shared<const Profile>(std::move(*profile)), wanted);
    // Filter first: the pattern is for the real names, which redaction may replace by hashes.
    Result<std::vector<std::size_t>> matching = matchingKernels(analysis, options.kernel);
    if (!matching) return matching.error();
    std::string shownPath = path, shownFilter = options.kernel;
    if (request.redaction) {
        shownPath = redactPath(path, *analysis.profile, *request.redaction);
        if (!shownFilter.empty()) shownFilter = kRedacted;
        analysis = redacted(analysis, request);
        // The pattern may also be a hash from a redacted report.
        const auto again = matchingKernels(analysis, options.kernel);
        if (again && matching->empty()) matching = *again;
    }
    const bool matched = options.kernel.empty() || !matching->empty();
    const std::string nearest = matched ? std::string() : nearestKernels(analysis, options.kernel);

    ReportOptions reportOptions{
        .top = options.top,
        .kernelFilter = shownFilter,
        .budgetTokens = options.budget,
        .profilePath = shownPath,
        .colour = isStdout(options.out) && wantsColour(STDOUT_FILENO),
        .width = terminalWidth(),
        .dark = options.theme == "dark",
        .kernels = options.kernel.empty() ? std::nullopt : std::optional(std::move(*matching)),
        .askOptions = askOptions(options, request),
        .language = request.language,
        .plot = options.plot == "over-time" ? ReportPlot::OverTime : ReportPlot::Roofline};
    if (!reportOptions.top && request.format->document) {
        reportOptions.top = kKernelsShown;
        reportOptions.essentials = !reportOptions.budgetTokens;
    }
    if (request.baseline)
        reportOptions.baseline = std::make_shared<const ReportBaseline>(ReportBaseline{
            request.baseline, compareProfiles(*request.baseline, analysis,
                                              matchKernels(*request.baseline, analysis))});
    return OneReport{.analysis = std::move(analysis),
                     .options = std::move(reportOptions),
                     .matched = matched,
                     .nearest = nearest};
}

/// Adds the report of a further profile.
void append(std::string& text, const std::string& report, Several several) {
    if (!text.empty() && several == Several::Table) {
        text += report.substr(report.find('\n') + 1);  // one header, then all rows
        return;
    }
    if (!text.empty() && several == Several::Paragraphs) text += "\n";
    text += report;
}

Result<int> report(ReportArguments options) {
    for (std::string& path : options.profiles) path = resolveSampleName(path);
    if (options.forAgent) {
        if (options.profiles.size() > 1)
            return usageError("--for-agent takes one profile", "--for-agent",
                              "give one profile at a time");
        // "--", because a file name may look like an option.
        return execPythonPackage(
            "show", {"--window=" + options.window, "--", "program", options.profiles.front()});
    }
    const auto request = understand(options);
    if (!request) return request.error();
    const ReportFormatEntry& format = *request->format;
    const auto nothing = [&](const std::string& nearest) {
        return usageError("no kernel matches \"" + options.kernel + "\"", "--kernel",
                          nearest + "; --format csv without --kernel lists all");
    };
    if (options.profiles.size() == 1) {
        const auto& one = kept(reportOn(options.profiles.front(), options, *request));
        if (!one) return one.error();
        // If the filter matches nothing, it is probably a typing error.
        if (!one->matched) return nothing(one->nearest);
        const auto written = writeOutput(options.out, [&](const TextSink& sink) {
            return writeReport(one->analysis, format.format, one->options, sink);
        });
        if (!written) return written.error();
        return 0;
    }
    std::string text, nearest;
    bool matched = false;
    for (const std::string& path : options.profiles) {
        const auto one = reportOn(path, options, *request);
        if (!one) return one.error();
        matched = matched || one->matched;
        if (!matched) nearest = one->nearest;
        const auto rendered = renderReport(one->analysis, format.format, one->options);
        if (!rendered) return rendered.error();
        append(text, *rendered, format.several);
    }
    if (!matched) return nothing(nearest);  // in no profile
    if (const auto written = writeOutput(options.out, text); !written) return written.error();
    return 0;
}

}  // namespace

void addReportCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<ReportArguments>();
    CLI::App* command =
        app.add_subcommand("report", "Show what limits each kernel, and what to edit");
    command
        ->add_option(
            "PROFILE", options->profiles,
            "Profiles, NAME.roofscope.json[.gz]; \"sample\" is one that comes with roofscope")
        ->required()
        ->check(fileName())
        ->type_name("");
    addOutputOptions(*command, options->format, options->out, reportFormats(),
                     "by --out's suffix; text on a terminal, else markdown");
    command
        ->add_option("--kernel,-k", options->kernel,
                     "Only the kernel with this id, or kernels whose name or NVTX range matches "
                     "this regular expression")
        ->type_name("ID|REGEX");
    command
        ->add_option("--top,-n", options->top,
                     "At most N kernels, those with the most GPU time (default: all; in markdown "
                     "and text those whose edit changes the program)")
        ->check(wholeNumber(1, kMostOfAnything))
        ->type_name("N");
    command
        ->add_option("--budget", options->budget,
                     "Leave out the least important parts until the report has at most N tokens "
                     "(markdown and text)")
        ->check(wholeNumber(1, kMostOfAnything))
        ->type_name("TOKENS");
    command
        ->add_option("--baseline,-b", options->baseline,
                     "An older profile: say what changed since (markdown and text)")
        ->check(fileName())
        ->type_name("PROFILE");
    command
        ->add_option(
            "--theme", options->theme,
            "Colours of the plot: light (default) or dark; an HTML page follows the system")
        ->type_name("THEME");
    command
        ->add_option("--plot", options->plot,
                     "What an SVG shows: roofline (default), or over-time: activity over the time "
                     "of the first kernel that was recorded with --over-time")
        ->type_name("NAME");
    command
        ->add_option("--source-root", options->sourceRoot,
                     "Look for source files under this folder when the profile does not hold "
                     "their text (see record --source)")
        ->check(fileName())
        ->type_name("DIR");
    addRedactOption(*command, options->redact);
    command
        ->add_option("--convention", options->convention,
                     "How L2 and L1 bytes are counted: roofscope (default) or ncu, as Nsight "
                     "Compute does; verdicts do not change")
        ->type_name("NAME");
    addWindowOption(*command, options->window);
    addLanguageOption(*command, options->lang);
    command
        ->add_flag(
            "--for-agent", options->forAgent,
            "A summary of at most 1,000 tokens for an assistant, with ids for \"roofscope show\"")
        ->excludes("--format", "--out", "--kernel", "--top", "--budget", "--baseline", "--lang",
                   "--redact", "--convention", "--source-root", "--theme", "--plot");
    addHelpAll(*command);
    showLater(*command, "Plots, sources and definitions",
              {"--theme", "--plot", "--source-root", "--convention", "--window"});
    command->footer(
        "\nExamples:\n"
        "  roofscope report app.roofscope.json                       verdicts and hints to read\n"
        "  roofscope report app.roofscope.json --out hints.md        the same to paste to an "
        "assistant\n"
        "  roofscope report app.roofscope.json -k gemm --budget 2000 -f markdown\n"
        "  roofscope report app.roofscope.json --out roofline.svg --theme dark\n"
        "  roofscope report app.roofscope.json --out report.html     a page for the browser\n"
        "  roofscope report app.roofscope.json --out kernels.csv     one row per kernel\n"
        "  roofscope report app.roofscope.json --lang zh             in Chinese\n"
        "  roofscope report app.roofscope.json --redact --out public.html   to send to others\n"
        "What the reports contain: docs/hints.md; formats and JSON schema: docs/reports.md");
    command->callback([=, &run] { run = [=] { return report(*options); }; });
}

}  // namespace roofscope::cli
