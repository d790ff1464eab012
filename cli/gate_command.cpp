// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "analyzer/compare/comparison.h"
#include "analyzer/names/kernel_name.h"
#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/kept.h"
#include "cli/language_option.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/text_checks.h"
#include "gate/gate.h"
#include "gate/keys.h"
#include "profile/errors/usage_error.h"
#include "profile/files/input_file.h"
#include "profile/files/output_conflict.h"
#include "profile/text/count_text.h"
#include "reports/escape/escape.h"
#include "reports/gate/gate_report.h"

namespace roofscope::cli {

namespace {

namespace fs = std::filesystem;

struct GateArguments {
    std::string profile, baseline, rules, format, out, lang;
    std::vector<std::string> allowMissing;
    bool update = false;
};

/// Reads a text file of at most `most` bytes. `ifMissing` is the advice if it does not exist.
Result<std::string> readSmall(const std::string& path, std::size_t most, const char* ifMissing) {
    Result<std::string> text = readInput(path, most);
    if (!text) {
        Error error = text.error();
        std::error_code ignored;
        if (!fs::exists(path, ignored) && !ignored) error.advice = ifMissing;
        return error;
    }
    if (text->size() > most)
        return Error{.code = ErrorCode::BadData,
                     .what = "too large for a baseline or a rules file",
                     .where = path};
    return text;
}

/// --update overwrites only baselines, not another file whose name was mistyped. Damaged or newer
/// baselines and empty files count as baselines.
Result<void> checkReplaceable(const std::string& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return {};
    const auto text = readSmall(path, gate::kMaxBaselineBytes, "");
    if (!text && text.error().code != ErrorCode::BadData) return text.error();
    // Accept the header on any line: git may have put conflict markers above it.
    if (text && ("\n" + *text).find("\nroofscope-baseline ") != std::string::npos) return {};
    return Error{.code = ErrorCode::BadData,
                 .what = "is not a baseline, and --update would overwrite it",
                 .where = path,
                 .advice = "choose another --baseline, or remove this file first"};
}

/// No input may be overwritten, neither by the report nor by a new baseline.
Result<void> checkInputsNotOverwritten(const GateArguments& options) {
    if (options.update) {
        if (auto ok = checkOutputIsNoInput("--baseline", options.baseline,
                                           {options.profile, options.rules});
            !ok)
            return ok.error();
        return checkReplaceable(options.baseline);
    }
    return checkOutputIsNoInput("--out", options.out,
                                {options.profile, options.baseline, options.rules});
}

/// A path below the current folder is shown relative to it, as in a repository.
std::string shownPath(const std::string& path) {
    std::error_code error;
    const fs::path relative = fs::relative(path, error);
    if (error || relative.empty() || *relative.begin() == "..") return path;
    return relative.string();
}

/// Lists the kernels that the new baseline no longer has.
void sayDropped(const GateArguments& options, const gate::Baseline& now) {
    std::error_code error;
    if (!fs::exists(options.baseline, error)) return;
    const auto text = readSmall(options.baseline, gate::kMaxBaselineBytes, "");
    if (!text) return;
    const auto before = gate::parseBaseline(*text, options.baseline);
    if (!before) {
        printNote("the old baseline could not be read, so what it had is not known");
        return;
    }
    std::set<std::pair<std::string_view, std::string_view>> kept;
    for (const gate::BaselineKernel& kernel : now.kernels) kept.emplace(kernel.name, kernel.range);
    constexpr std::size_t kNamed = 3;
    std::size_t dropped = 0;
    std::string names;
    for (const gate::BaselineKernel& kernel : before->kernels) {
        if (kept.contains({kernel.name, kernel.range})) continue;
        if (++dropped <= kNamed)
            names += (names.empty() ? "" : ", ") + shortKernelName(kernel.name);
    }
    if (dropped > 0)
        printNote(fmt::format("dropped {} that this profile does not have: {}{}",
                              countText(dropped, "kernel", "kernels"), names,
                              dropped > kNamed ? ", …" : ""));
}

Result<int> update(const GateArguments& options, const Analysis& analysis) {
    const gate::BaselineText baseline = gate::baselineText(analysis);
    if (baseline.kernels == 0)
        return Error{.code = ErrorCode::BadData,
                     .what = "a profile without kernels cannot be a baseline",
                     .where = options.profile,
                     .advice = "a gate that checks nothing always passes"};
    // Check that the baseline can be read again, or the next run of the gate would fail.
    if (const auto again = gate::checkBaseline(baseline.text, options.baseline); !again)
        return again.error();
    if (const auto now = gate::parseBaseline(baseline.text, options.baseline))
        sayDropped(options, *now);
    if (const auto written = writeOutput(options.baseline, baseline.text); !written)
        return written.error();
    printNote(fmt::format("wrote {}: {}, {}", options.baseline,
                          countText(baseline.kernels, "kernel", "kernels"),
                          countText(baseline.values, "value", "values")));
    if (baseline.fewLaunches > 0)
        printNote(
            fmt::format("{} of them have fewer than {} launches, so whether a longer time is noise "
                        "will not be known; record more launches, or ignore duration_ns in the "
                        "rules",
                        baseline.fewLaunches, kLeastRepeats));
    return 0;
}

Result<int> judge(const GateArguments& options) {
    const auto format = chooseFormat(gateFormats(), options.format, options.out, "a gate");
    if (!format) return format.error();
    const Result<Language> language = chooseLanguage(options.lang);
    if (!language) return language.error();
    if (options.update && (!options.out.empty() || !options.format.empty()))
        return usageError("--update writes the baseline instead of judging", "--update",
                          "leave --out and --format out");
    if (options.update && isStdout(options.baseline))
        return usageError("--update needs a file to write", "--baseline");
    if (auto ok = checkInputsNotOverwritten(options); !ok) return ok.error();
    gate::Rules rules;
    if (!options.rules.empty()) {
        const auto text = readSmall(options.rules, gate::kMaxRulesBytes, "");
        if (!text) return text.error();
        auto read = gate::parseRules(*text, options.rules);
        if (!read) return read.error();
        rules = std::move(*read);
    }
    Result<gate::Baseline> baseline = gate::Baseline{};
    if (!options.update) {
        const auto text = readSmall(options.baseline, gate::kMaxBaselineBytes,
                                    "make one with --update and commit it");
        if (!text) return text.error();
        baseline = gate::parseBaseline(*text, options.baseline);
        if (!baseline) return baseline.error();
    }
    Result<Profile> profile = readAnyProfile(options.profile);
    if (!profile) return profile.error();
    const Analysis& analysis = kept(analyze(std::make_shared<const Profile>(std::move(*profile))));
    if (options.update) return update(options, analysis);

    const gate::Judgement& judgement =
        kept(gate::judge(*baseline, analysis, rules, options.allowMissing));
    const GateOptions shown{.profilePath = shownPath(options.profile),
                            .baselinePath = shownPath(options.baseline),
                            .toolVersion = ROOFSCOPE_VERSION,
                            .colour = isStdout(options.out) && wantsColour(STDOUT_FILENO),
                            .language = *language};
    const std::string text =
        renderGate(judgement, *format ? (*format)->format : GateFormat::Text, shown);
    if (const auto written = writeOutput(options.out, text); !written) return written.error();
    if (judgement.status() == gate::Status::Fail) printNote("regression");
    if (judgement.status() == gate::Status::Incomparable) printNote("could not compare");
    return judgement.exitCode();
}

}  // namespace

void addGateCommand(CLI::App& app, Action& run) {
    auto options = std::make_shared<GateArguments>();
    CLI::App* command = app.add_subcommand(
        "gate", "Judge a profile against a committed baseline: the verdict for CI");
    command->add_option("PROFILE", options->profile, "Profile to judge")
        ->required()
        ->check(fileName())
        ->type_name("");
    command
        ->add_option("--baseline,-b", options->baseline,
                     "Baseline to compare with: the profile must not be worse")
        ->required()
        ->check(fileName())
        ->type_name("FILE");
    command->add_option("--rules,-r", options->rules, "Rules for kernels (JSON)")
        ->check(fileName())
        ->type_name("FILE");
    command->add_flag("--update,-u", options->update,
                      "Write the baseline from the profile instead of judging");
    addOutputOptions(*command, options->format, options->out, gateFormats(),
                     "by --out's suffix, else text");
    command
        ->add_option("--allow-missing,-a", options->allowMissing,
                     "Kernels (name or glob) that may be missing or not comparable; repeatable")
        ->type_name("NAME")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
    addLanguageOption(*command, options->lang);
    command->footer(
        "\nExamples:\n"
        "  roofscope gate app.roofscope.json --baseline perf.baseline --update\n"
        "  roofscope gate app.roofscope.json --baseline perf.baseline\n"
        "  roofscope gate app.roofscope.json -b perf.baseline -r perf-rules.json -o gate.xml\n"
        "Exit codes: 0 pass; 1 regression; 2 could not compare (other GPU, a kernel or counter is\n"
        "missing, too few launches) and not allowed by name; others: docs/exit-codes.md\n"
        "Rules, baseline and example workflows: docs/ci.md");
    command->callback([=, &run] { run = [=] { return judge(*options); }; });
}

}  // namespace roofscope::cli
