// SPDX-License-Identifier: Apache-2.0
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/language_option.h"
#include "cli/number_check.h"
#include "cli/output_file.h"
#include "cli/sample_profile.h"
#include "cli/source_root.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "profile/codec.h"
#include "profile/output_conflict.h"
#include "profile/redact.h"
#include "profile/usage_error.h"
#include "reports/escape.h"
#include "reports/nearest_kernels.h"
#include "reports/report.h"

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

/// Sections of a report for people when --top is not given; files for programs hold all kernels.
constexpr std::size_t kDefaultTop = 10;
/// Of kernels and tokens: more than any report has.
constexpr std::uint64_t kMostOfAnything = 1'000'000'000'000;

struct Options {
    std::vector<std::string> profiles;
    std::string format, out, kernel, baseline, theme, redact, lang, sourceRoot,
        convention = "roofscope";
    std::optional<std::uint64_t> top, budget;
    bool forAgent = false;
};

/// Names of this user and this machine: what a profile that was recorded here may contain.
std::vector<std::string> privateWords() {
    std::vector<std::string> words;
    const auto add = [&words](const char* word) {
        // Everybody's names tell nothing about anybody.
        if (word && *word && std::strcmp(word, "root") != 0 && std::strcmp(word, "localhost") != 0)
            words.emplace_back(word);
    };
    for (const char* variable : {"USER", "LOGNAME", "HOSTNAME"}) add(std::getenv(variable));
    if (const passwd* entry = getpwuid(getuid())) add(entry->pw_name);
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0) {
        add(host.data());
        if (char* dot = std::strchr(host.data(), '.')) *dot = '\0';
        add(host.data());
    }
    return words;
}

Result<int> report(Options options) {
    for (std::string& path : options.profiles) path = orSample(path);
    if (options.forAgent) {
        if (options.profiles.size() > 1)
            return usageError("one packet tells of one profile", "--for-agent",
                              "give one profile at a time");
        return becomePython("show", {"program", options.profiles.front()});
    }
    const auto chosen = chooseFormat(reportFormats(), options.format, options.out, "a report");
    if (!chosen) return chosen.error();
    const ReportFormatEntry& entry = *chosen                 ? **chosen
                                     : isatty(STDOUT_FILENO) ? entryOf(ReportFormat::Text)
                                                             : entryOf(ReportFormat::Markdown);
    if (options.profiles.size() > 1 && entry.several == Several::Refused)
        return usageError("this format shows one profile", "--format " + std::string(entry.name),
                          "give one profile at a time");
    if (!options.theme.empty() && options.theme != "light" && options.theme != "dark")
        return usageError("unknown theme \"" + options.theme + "\"", "--theme",
                          "use light or dark");

    const auto convention = parseConvention(options.convention);
    if (!convention)
        return usageError("unknown convention \"" + options.convention + "\"", "--convention",
                          "use roofscope or ncu");
    const Result<Language> language = chooseLanguage(options.lang);
    if (!language) return language.error();
    RedactOptions redaction;
    if (!options.redact.empty()) {
        const auto what = parseRedaction(options.redact);
        if (!what)
            return usageError("unknown value \"" + options.redact + "\"", "--redact",
                              "use --redact or --redact=names");
        redaction = {.what = *what, .words = privateWords()};
    }

    std::vector<fs::path> inputs(options.profiles.begin(), options.profiles.end());
    inputs.emplace_back(options.baseline);
    if (auto ok = checkOutputIsNoInput("--out", options.out, inputs); !ok) return ok.error();

    std::optional<Analysis> baseline;
    if (!options.baseline.empty()) {
        if (!entry.document)
            return usageError("only markdown and text reports say what changed", "--baseline",
                              "\"roofscope compare --format json\" writes it for programs");
        Result<Profile> profile = readProfile(options.baseline);
        if (!profile) return profile.error();
        if (!options.redact.empty()) *profile = redact(*profile, redaction);
        baseline = analyze(std::make_shared<const Profile>(std::move(*profile)),
                           {.convention = *convention});
    }

    std::string text, nearest;
    bool matched = options.kernel.empty();
    const bool toStdout = options.out.empty() || options.out == "-";
    for (const std::string& path : options.profiles) {
        Result<Profile> profile = readProfile(path);
        if (!profile) return profile.error();
        if (!options.sourceRoot.empty())
            if (const auto added = addSourceTexts(*profile, options.sourceRoot); !added)
                return added.error();
        const AnalyzeOptions analyzeOptions{.convention = *convention};
        Analysis analysis =
            analyze(std::make_shared<const Profile>(std::move(*profile)), analyzeOptions);
        // The filter is for the names that its author knows, so before they may become hashes.
        Result<std::vector<std::size_t>> matching = matchingKernels(analysis, options.kernel);
        if (!matching) return matching.error();
        std::string shownPath = path, shownFilter = options.kernel;
        if (!options.redact.empty()) {
            shownPath = redactPath(path, *analysis.profile, redaction);
            if (!shownFilter.empty()) shownFilter = kRedacted;
            analysis =
                analyze(std::make_shared<const Profile>(redact(*analysis.profile, redaction)),
                        analyzeOptions);
            analysis.notes.emplace_back(
                redaction.what == Redaction::Names
                    ? Words(
                          "redacted: paths, arguments, user and host names are left out, kernel "
                          "names and NVTX ranges are hashes",
                          "已脱敏：省略了路径、参数、用户名和主机名，内核名称和 NVTX 区间为哈希值")
                    : Words("redacted: paths, arguments, user and host names are left out",
                            "已脱敏：省略了路径、参数、用户名和主机名"));
            // A hash that stands in a report finds its kernel, too.
            const auto again = matchingKernels(analysis, options.kernel);
            if (again && matching->empty()) matching = *again;
        }
        matched = matched || !matching->empty();
        if (!matched) nearest = nearestKernels(analysis, options.kernel);
        ReportOptions reportOptions{.top = options.top,
                                    .kernelFilter = shownFilter,
                                    .budgetTokens = options.budget,
                                    .profilePath = shownPath,
                                    .colour = toStdout && wantsColour(STDOUT_FILENO),
                                    .width = terminalWidth(),
                                    .dark = options.theme == "dark",
                                    .kernels = std::move(*matching),
                                    .language = *language};
        const auto ask = [&](std::string_view option) {
            reportOptions.askOptions += (reportOptions.askOptions.empty() ? "" : " ");
            reportOptions.askOptions += option;
        };
        if (*convention == Convention::Ncu) ask("--convention ncu");
        if (!options.redact.empty())
            ask(redaction.what == Redaction::Names ? "--redact=names" : "--redact");
        else if (!options.sourceRoot.empty())
            ask("--source-root " + shellArgument(options.sourceRoot));
        if (*language != Language::En)
            reportOptions.askOptions +=
                (reportOptions.askOptions.empty() ? "--lang " : " --lang ") +
                std::string(toString(*language));
        if (!reportOptions.top && entry.document) reportOptions.top = kDefaultTop;
        if (baseline)
            reportOptions.baseline = std::make_shared<const ReportBaseline>(ReportBaseline{
                std::make_shared<const Analysis>(*baseline),
                compareProfiles(*baseline, analysis, matchKernels(*baseline, analysis))});
        const auto rendered = renderReport(analysis, entry.format, reportOptions);
        if (!rendered) return rendered.error();
        if (!text.empty() && entry.several == Several::Table) {
            text += rendered->substr(rendered->find('\n') + 1);  // one header, then all rows
            continue;
        }
        if (!text.empty() && entry.several == Several::Paragraphs) text += "\n";
        text += *rendered;
    }
    // A filter that matches nothing anywhere is a typing error more often than an answer.
    if (!matched)
        return usageError("no kernel matches \"" + options.kernel + "\"", "--kernel",
                          nearest + "; --format csv without --kernel lists all");
    if (const auto written = writeOutput(options.out, text); !written) return written.error();
    return 0;
}

}  // namespace

void addReportCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("report", "Say what limits each kernel, and what to edit");
    command
        ->add_option(
            "PROFILE", options->profiles,
            "Profiles, NAME.roofscope.json[.gz]; \"sample\" is one that comes with roofscope")
        ->required()
        ->check(fileName())
        ->type_name("");
    addFormatOption(*command, options->format, reportFormats(),
                    "by --out's suffix; text on a terminal, else markdown");
    command->add_option("--out,-o", options->out, "File to write; \"-\" is stdout")
        ->check(fileName())
        ->type_name("PATH");
    command
        ->add_option("--kernel,-k", options->kernel,
                     "Only the kernel of this id, or kernels whose name or NVTX range matches this "
                     "regular expression")
        ->type_name("ID|REGEX");
    command
        ->add_option(
            "--top,-n", options->top,
            "At most so many kernels, by GPU time (default: 10 in markdown and text, else all)")
        ->check(wholeNumber(1, kMostOfAnything))
        ->type_name("N");
    command
        ->add_option("--budget", options->budget,
                     "Leave out what matters least until the report has at most so many tokens "
                     "(markdown and text)")
        ->check(wholeNumber(1, kMostOfAnything))
        ->type_name("TOKENS");
    command
        ->add_option("--baseline,-b", options->baseline,
                     "An older profile: say what changed since (markdown and text)")
        ->check(fileName())
        ->type_name("PROFILE");
    command
        ->add_option("--theme", options->theme,
                     "Colours of the plot: light (default) or dark; a page follows the system")
        ->type_name("THEME");
    command
        ->add_option("--source-root", options->sourceRoot,
                     "Look for source files under this folder when the profile does not hold "
                     "their text (see record --source)")
        ->check(fileName())
        ->type_name("DIR");
    command
        ->add_flag("--redact{private}", options->redact,
                   "Leave out paths, arguments, user and host names; with --redact=names kernel "
                   "names and NVTX ranges become hashes")
        ->type_name("");
    command
        ->add_option("--convention", options->convention,
                     "How L2 and L1 bytes are counted: roofscope (default) or ncu, as Nsight "
                     "Compute does; verdicts do not change")
        ->type_name("NAME");
    addLanguageOption(*command, options->lang);
    command
        ->add_flag("--for-agent", options->forAgent,
                   "At most 1,000 tokens for an assistant, with ids for \"roofscope show\"")
        ->excludes("--format", "--out", "--kernel", "--top", "--budget", "--baseline", "--lang");
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
