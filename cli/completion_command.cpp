// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/commands.h"
#include "cli/output_file.h"

namespace roofscope::cli {
namespace {

/// The allowed values of an option ("TEXT:{auto,kernel}"), separated by spaces; empty if any value
/// is allowed.
std::string valuesOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t from = type.find('{'), to = type.find('}');
    if (from == type.npos || to == type.npos || to < from) return {};
    std::string values = type.substr(from + 1, to - from - 1);
    std::replace(values.begin(), values.end(), ',', ' ');
    return values;
}

/// Whether a command is listed in the help.
bool isShown(const CLI::App* command) { return !command->get_group().empty(); }

/// Words that can follow a command. Read from the live parser, so completion is never out of date.
std::string wordsOf(const CLI::App& command) {
    std::string words;
    for (const CLI::App* sub : command.get_subcommands(isShown)) words += sub->get_name() + " ";
    for (const CLI::Option* option : command.get_options()) {
        for (const auto& name : option->get_lnames()) words += "--" + name + " ";
        if (const std::string values = valuesOf(*option);
            option->get_positional() && !values.empty())
            words += values + " ";
    }
    if (!words.empty()) words.pop_back();
    return words;
}

/// The names of all commands, separated by spaces.
std::string commandsOf(const CLI::App& app) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands(isShown))
        names += (names.empty() ? "" : " ") + command->get_name();
    return names;
}

/// Branches of a shell `case`, one for each option of a command with a fixed list of values.
std::string valueCases(const CLI::App& command, const std::string& words) {
    std::string cases;
    for (const CLI::App* sub : command.get_subcommands({}))
        cases += valueCases(*sub, words + " " + sub->get_name());
    for (const CLI::Option* option : command.get_options()) {
        const std::string values = valuesOf(*option);
        if (values.empty()) continue;
        std::string names;
        const auto add = [&](const std::string& name) {
            names += fmt::format("{}\"{} {}\"", names.empty() ? "" : "|", words, name);
        };
        for (const auto& name : option->get_lnames()) add("--" + name);
        for (const auto& name : option->get_snames()) add("-" + name);
        if (!names.empty()) cases += fmt::format("        {}) words=\"{}\" ;;\n", names, values);
    }
    return cases;
}

std::string bashScript(const CLI::App& app) {
    std::string cases, values;
    for (const CLI::App* command : app.get_subcommands(isShown)) {
        values += valueCases(*command, command->get_name());
        const std::string words = wordsOf(*command);
        const std::string_view own = pythonOptions(command->get_name()),
                               more = pythonArguments(command->get_name());
        cases += fmt::format("        {}) words=\"{}{}{}{}\" ;;\n", command->get_name(), words, own,
                             more.empty() ? "" : " ", more);
        for (const CLI::App* sub : command->get_subcommands({}))
            cases += fmt::format("        \"{} {}\") words=\"{}\" ;;\n", command->get_name(),
                                 sub->get_name(), wordsOf(*sub));
    }
    for (const PythonWords& each : pythonWords())
        (std::string_view(each.after).find(" --") == std::string_view::npos ? cases : values) +=
            fmt::format("        \"{}\") words=\"{}\" ;;\n", each.after, each.words);
    cases += fmt::format("        help) words=\"{}\" ;;\n", commandsOf(app));
    return fmt::format(
        R"(# bash completion for roofscope; also works in zsh after "autoload bashcompinit; bashcompinit".
if [[ -n "${{ZSH_VERSION:-}}" ]]; then
    mapfile() {{  # zsh has none
        COMPREPLY=()
        local line
        while IFS= read -r line; do COMPREPLY+=("$line"); done
    }}
fi
_roofscope() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" words="" i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ "${{COMP_WORDS[i]}}" == "--" ]]; then
            mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
            return
        fi
    done
    local command="${{COMP_WORDS[1]}}" pair="${{COMP_WORDS[1]}} ${{COMP_WORDS[2]:-}}"
    local before="${{COMP_WORDS[COMP_CWORD - 1]}}"
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current")
        # A file is reported.
        if [[ -n "$current" && ${{#COMPREPLY[@]}} == 0 ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        return
    fi
    for i in "$command $before" "$pair $before"; do
        case "$i" in
{}        esac
    done
    # What these take is checked later, and the parser does not know it.
    case "$before" in
        --theme) words="light dark" ;;
        --plot) words="roofline over-time" ;;
        --convention) words="roofscope ncu" ;;
        --window) words="auto loop run" ;;
        --lang) words="en zh" ;;
    esac
    if [[ -n "$words" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        return
    fi
    case "$command" in
{}    esac
    if ((COMP_CWORD > 2)); then
        case "$pair" in
{}        esac
    fi
    # One candidate per line: file names have spaces.
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
}}
complete -o filenames -F _roofscope roofscope
)",
        wordsOf(app), values, cases, cases);
}

std::string quotedForFish(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return quoted + "'";
}

/// What an option is for, in a few words: the first clause of its description. Empty if that clause
/// only explains a value ("kernel: each launch …").
std::string inShort(const std::string& description) {
    constexpr std::size_t kLongest = 60;
    if (const auto colon = description.find(": "); colon < description.find(' ')) return {};
    std::string text = description.substr(0, description.find_first_of(".:;("));
    while (text.ends_with(' ')) text.pop_back();
    return text.size() <= kLongest ? text : text.substr(0, text.rfind(' ', kLongest)) + " …";
}

/// `when` is the condition for offering the options of a command.
void addFishOptions(const CLI::App& command, const std::string& when, std::string& script) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_lnames().empty() || option->get_group().empty()) continue;
        script += fmt::format("complete -c roofscope -n {} -l {}", quotedForFish(when),
                              option->get_lnames().front());
        for (const std::string& letter : option->get_snames()) script += " -s " + letter;
        if (const std::string values = valuesOf(*option); !values.empty())
            script += " -x -a " + quotedForFish(values);
        else if (option->get_items_expected_max() > 0)
            script += " -r";
        if (const std::string about = inShort(option->get_description()); !about.empty())
            script += " -d " + quotedForFish(about);
        script += '\n';
    }
}

/// "ci init" gets its options, "ci init --for" its values.
void addFishWords(const PythonWords& of, std::string& script) {
    std::istringstream after{std::string(of.after)}, words{std::string(of.words)};
    std::string when, option;
    for (std::string word; after >> word;)
        if (word.starts_with("--"))
            option = word.substr(2);
        else
            when += (when.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    if (!option.empty()) {
        script +=
            fmt::format("complete -c roofscope -n '{}' -l {} -x -a '{}'\n", when, option, of.words);
        return;
    }
    for (std::string word; words >> word;)
        script += fmt::format("complete -c roofscope -n '{}' -l {}\n", when, word.substr(2));
}

std::string fishScript(const CLI::App& app) {
    std::string script = "# fish completion for roofscope\n";
    addFishOptions(app, "__fish_use_subcommand", script);
    for (const CLI::App* command : app.get_subcommands(isShown)) {
        script += fmt::format("complete -c roofscope -n __fish_use_subcommand -f -a {} -d {}\n",
                              command->get_name(), quotedForFish(command->get_description()));
        const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
        std::string parts;
        for (const CLI::App* part : command->get_subcommands({})) parts += " " + part->get_name();
        addFishOptions(*command, seen, script);
        for (const CLI::App* part : command->get_subcommands({})) {
            script += fmt::format(
                "complete -c roofscope -n '{}; and not __fish_seen_subcommand_from{}' -f -a {} -d "
                "{}\n",
                seen, parts, part->get_name(), quotedForFish(part->get_description()));
            addFishOptions(*part, seen + "; and __fish_seen_subcommand_from " + part->get_name(),
                           script);
        }
        // The Python package parses these itself.
        std::istringstream options{std::string(pythonOptions(command->get_name()))};
        for (std::string option; options >> option;)
            script += fmt::format("complete -c roofscope -n '{}' -l {}\n", seen, option.substr(2));
        if (const std::string_view words = pythonArguments(command->get_name()); !words.empty())
            script += fmt::format("complete -c roofscope -n '{}' -a '{}'\n", seen, words);
    }
    for (const PythonWords& each : pythonWords()) addFishWords(each, script);
    script +=
        fmt::format("complete -c roofscope -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                    commandsOf(app));
    return script;
}

}  // namespace

void addCompletionCommand(CLI::App& app, Action& run) {
    CLI::App* command = app.add_subcommand("completion", "Print a shell completion script");
    auto shell = std::make_shared<std::string>("bash");
    command->add_option("shell", *shell, "bash (default), zsh or fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer(
        "Examples:\n"
        "  roofscope completion bash > ~/.local/share/bash-completion/completions/roofscope\n"
        "  roofscope completion fish > ~/.config/fish/completions/roofscope.fish");
    command->callback([=, &app, &run] {
        run = [=, &app]() -> Result<int> {
            // Run compinit only if .zshrc has not: it is slow.
            std::string script;
            if (*shell == "fish") script = fishScript(app);
            if (*shell == "zsh")
                script =
                    "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }\n"
                    "autoload -U +X bashcompinit && bashcompinit\n";
            if (*shell != "fish") script += bashScript(app);
            if (const auto written = writeOutput("", script); !written) return written.error();
            return 0;
        };
    });
}

}  // namespace roofscope::cli
