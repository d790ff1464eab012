// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analyzer/compare/comparison.h"
#include "analyzer/compare/kernel_pattern.h"
#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/kept.h"
#include "cli/language_option.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "cli/window_option.h"
#include "profile/errors/usage_error.h"
#include "profile/files/output_conflict.h"
#include "reports/compare/compare_report.h"
#include "reports/escape/escape.h"
#include "reports/kernels/nearest_kernels.h"

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

/// Default of --top in text and markdown; JSON has all kernels.
constexpr std::size_t kDefaultTop = 10;
/// Exit code if nothing can be compared; the same as the gate's.
constexpr int kCouldNotCompare = 2;

struct CompareArguments {
    std::vector<std::string> profiles;
    std::string format, out, kernel, with, lang;
    std::string window = "auto";
    std::optional<long> top;
    bool allQuantities = false;
};

Result<Analysis> load(const std::string& path, WindowChoice window) {
    Result<Profile> profile = readAnyProfile(path);
    if (!profile) return profile.error();
    return analyze(std::make_shared<const Profile>(std::move(*profile)), {.window = window});
}

Error nothingMatches(const Analysis& analysis, const std::string& pattern, const char* option) {
    return usageError("no kernel matches \"" + cleanText(pattern) + "\"", option,
                      nearestKernels(analysis, pattern));
}

/// The one kernel that matches a pattern.
Result<std::size_t> findOne(const Analysis& analysis, const std::string& pattern,
                            const char* option) {
    const std::vector<std::size_t> found = findKernels(analysis, pattern);
    if (found.empty()) return nothingMatches(analysis, pattern, option);
    if (found.size() == 1) return found.front();
    constexpr std::size_t kMostNames = 6;
    std::vector<std::string> names;
    for (const std::size_t index : found) {
        if (names.size() == kMostNames) break;
        const KernelAnalysis& kernel = analysis.kernels[index];
        names.push_back(kernel.name +
                        (kernel.range.empty() ? std::string() : " in " + kernel.range));
    }
    return usageError("\"" + cleanText(pattern) + "\" matches " + std::to_string(found.size()) +
                          " kernels, and one is needed",
                      option,
                      "choose by name or NVTX range: " + quotedNames(names) +
                          (found.size() > names.size() ? ", …" : ""));
}

/// Keeps the matches and kernels that --kernel chooses on either side.
Result<Matching> choose(Matching matching, const Analysis& baseline, const Analysis& candidate,
                        const std::string& pattern) {
    const std::vector<std::size_t> before = findKernels(baseline, pattern),
                                   after = findKernels(candidate, pattern);
    if (before.empty() && after.empty())
        return nothingMatches(candidate.kernels.empty() ? baseline : candidate, pattern,
                              "--kernel");
    const auto in = [](const std::vector<std::size_t>& list, std::size_t index) {
        return std::binary_search(list.begin(), list.end(), index);
    };
    std::erase_if(matching.matches, [&](const KernelMatch& match) {
        return !in(before, match.baseline) && !in(after, match.candidate);
    });
    std::erase_if(matching.gone, [&](std::size_t index) { return !in(before, index); });
    std::erase_if(matching.added, [&](std::size_t index) { return !in(after, index); });
    // The kernel may have been rewritten under another name. Since both match the pattern, they
    // belong together.
    if (matching.matches.empty() && matching.gone.size() == 1 && matching.added.size() == 1) {
        matching.matches.push_back(
            {.baseline = matching.gone.front(),
             .candidate = matching.added.front(),
             .tier = MatchTier::Given,
             .how = Words("the only kernel on each side that --kernel matches")});
        matching.gone.clear();
        matching.added.clear();
    }
    return matching;
}

Result<void> checkProfiles(const CompareArguments& options) {
    const bool oneProfile = options.profiles.size() == 1;
    if (options.profiles.size() > 2)
        return usageError("two profiles are compared at a time", options.profiles[2]);
    if (oneProfile && (options.kernel.empty() || options.with.empty()))
        return usageError("one profile needs two kernels to compare", "compare",
                          "add --kernel A --with B, or give a second profile");
    if (!oneProfile && !options.with.empty())
        return usageError("--with compares two kernels of one profile", "--with",
                          "give one profile, or leave --with out");
    return checkOutputIsNoInput("--out", options.out,
                                {options.profiles.begin(), options.profiles.end()});
}

/// The two kernels of one profile that --kernel and --with name.
Result<Matching> namedPair(const Analysis& profile, const CompareArguments& options) {
    const Result<std::size_t> a = findOne(profile, options.kernel, "--kernel");
    if (!a) return a.error();
    const Result<std::size_t> b = findOne(profile, options.with, "--with");
    if (!b) return b.error();
    if (*a == *b)
        return usageError("--kernel and --with name the same kernel", "--with", "name another one");
    Matching matching;
    matching.matches.push_back({.baseline = *a,
                                .candidate = *b,
                                .tier = MatchTier::Given,
                                .how = Words("named on the command line")});
    return matching;
}

Result<int> compare(const CompareArguments& options) {
    const auto chosen = chooseFormat(compareFormats(), options.format, options.out, "a comparison");
    if (!chosen) return chosen.error();
    const ReportFormat format = *chosen                 ? (*chosen)->format
                                : isatty(STDOUT_FILENO) ? ReportFormat::Text
                                                        : ReportFormat::Markdown;
    const Result<Language> language = chooseLanguage(options.lang);
    if (!language) return language.error();
    if (options.top && *options.top < 1) return usageError("must be at least 1", "--top");
    const Result<WindowChoice> window = chooseWindow(options.window);
    if (!window) return window.error();
    if (const auto ok = checkProfiles(options); !ok) return ok.error();

    const Result<Analysis>& baseline = kept(load(options.profiles.front(), *window));
    if (!baseline) return baseline.error();
    const Analysis* second = nullptr;
    if (options.profiles.size() == 2) {
        const Result<Analysis>& candidate = kept(load(options.profiles.back(), *window));
        if (!candidate) return candidate.error();
        second = &*candidate;
    }
    Result<Matching> matching =
        !second ? namedPair(*baseline, options)
        : options.kernel.empty()
            ? matchKernels(*baseline, *second)
            : choose(matchKernels(*baseline, *second), *baseline, *second, options.kernel);
    if (!matching) return matching.error();
    const Analysis& candidate = second ? *second : *baseline;
    CompareOptions shown{.baselinePath = options.profiles.front(),
                         .candidatePath = options.profiles.back(),
                         .allQuantities = options.allQuantities,
                         .colour = isStdout(options.out) && wantsColour(STDOUT_FILENO),
                         .width = terminalWidth(),
                         .language = *language};
    if (options.top)
        shown.top = static_cast<std::size_t>(*options.top);
    else if (format != ReportFormat::Json)
        shown.top = kDefaultTop;
    const Comparison& comparison =
        kept(compareProfiles(*baseline, candidate, *matching,
                             format == ReportFormat::Json ? 0 : shown.top.value_or(kDefaultTop)));
    const auto written = writeOutput(options.out, [&](const TextSink& sink) {
        return writeComparison(comparison, *baseline, candidate, format, shown, sink);
    });
    if (!written) return written.error();
    if (comparison.comparable()) return 0;
    printNote("nothing could be compared");
    return kCouldNotCompare;
}

}  // namespace

void addCompareCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<CompareArguments>();
    CLI::App* command = app.add_subcommand(
        "compare", "Show what changed between two profiles beyond noise, by how much, and why");
    command
        ->add_option("PROFILES", options->profiles,
                     "Baseline and candidate; or one profile with --kernel and --with")
        ->required()
        ->check(fileName())
        ->type_name("");
    command
        ->add_option("--kernel,-k", options->kernel,
                     "Only this kernel: a name, a part of a name or NVTX range, or a glob")
        ->type_name("PATTERN");
    command
        ->add_option("--with,-w", options->with,
                     "With one profile: the kernel to compare with that of --kernel")
        ->type_name("PATTERN");
    addWindowOption(*command, options->window);
    addOutputOptions(*command, options->format, options->out, compareFormats(),
                     "by --out's suffix; text on a terminal, else markdown");
    command
        ->add_option("--top,-n", options->top,
                     "At most N kernels, those whose GPU time changed most (default: 10 in "
                     "markdown and text, else all)")
        ->type_name("N");
    command->add_flag("--all-quantities", options->allQuantities,
                      "JSON: every quantity of each kernel, not only those that changed");
    addLanguageOption(*command, options->lang);
    command->footer(
        "\nExamples:\n"
        "  roofscope compare before.roofscope.json after.roofscope.json\n"
        "  roofscope compare before.roofscope.json after.roofscope.json -k transpose --out "
        "change.md\n"
        "  roofscope compare app.roofscope.json --kernel 'softmax_triton*' --with softmax_cuda\n"
        "Exit codes: 0 compared, whatever the result; 2 nothing could be compared (no kernel in\n"
        "common, or different GPUs); others: docs/exit-codes.md\n"
        "How it is judged, and the JSON schema: docs/compare.md");
    command->callback([=, &run] { run = [=] { return compare(*options); }; });
}

}  // namespace roofscope::cli
