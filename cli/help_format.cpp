// SPDX-License-Identifier: Apache-2.0
#include "cli/help_format.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/commands.h"

namespace roofscope::cli {
namespace {

constexpr std::size_t kColumns = 100, kNames = 26;
constexpr const char* kFirstGroup = "Options";

/// A name and its description in two columns.
std::string row(const std::string& name, const std::string& description) {
    std::string text = "  " + name;
    std::size_t column = text.size();
    if (column + 2 > kNames) {
        text += '\n';
        column = 0;
    }
    text.append(kNames - column, ' ');
    column = kNames;
    std::istringstream words(description);
    for (std::string word; words >> word;) {
        if (column > kNames && column + 1 + word.size() > kColumns) {
            text += '\n' + std::string(kNames, ' ');
            column = kNames;
        }
        if (column > kNames) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
    }
    return text + "\n";
}

}  // namespace

HelpFormat::HelpFormat() { column_width(kNames); }

std::string HelpFormat::make_help(const CLI::App* command, std::string name,
                                  CLI::AppFormatMode mode) const {
    const bool all = !command->get_help_all_ptr() || mode == CLI::AppFormatMode::All;
    std::string text = make_description(command) + make_usage(command, std::move(name)) +
                       make_positionals(command);
    for (const std::string& group : command->get_groups()) {
        const auto options = command->get_options([&](const CLI::Option* option) {
            return option->get_group() == group && option->nonpositional();
        });
        if (group.empty() || options.empty()) continue;
        if (all || group == kFirstGroup) text += make_group(group, false, options);
    }
    const std::string footer = make_footer(command);
    text += make_subcommands(command, CLI::AppFormatMode::Normal) + "\n" +
            footer.substr(std::min(footer.find_first_not_of('\n'), footer.size()));
    if (mode != CLI::AppFormatMode::All) return text;
    for (const CLI::App* inner : command->get_subcommands([](const CLI::App*) { return true; })) {
        if (inner->get_group().empty()) continue;  // hidden commands have no group
        const std::string path = command->get_name() + " " + inner->get_name();
        text += "\n" + std::string(kColumns, '-') + "\n" + path + "\n";
        const std::string_view options = pythonOptions(inner->get_name());
        text += options.empty()
                    ? make_help(inner, command->get_name(), mode)
                    : inner->get_description() + "\n\n" + row("Options", std::string(options)) +
                          "\n\"" + path + " --help\" explains them.\n";
    }
    return text;
}

std::string HelpFormat::make_usage(const CLI::App* command, std::string name) const {
    std::string usage = CLI::Formatter::make_usage(command, std::move(name));
    if (!command->get_prefix_command()) return usage;
    usage.pop_back();
    return usage + " [--] PROGRAM [ARGS...]\n";
}

std::string HelpFormat::make_option(const CLI::Option* option, bool positional) const {
    return row(make_option_name(option, positional) + make_option_opts(option),
               option->get_description());
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
    if (option->get_type_size() == 0) return {};
    std::string type = option->get_type_name();
    // A list of values says more than "TEXT". Ranges of numbers are left to error messages.
    if (const auto values = type.find('{'); values != type.npos)
        type = type.substr(values, type.find('}') - values + 1);
    else
        type = type.substr(0, type.find(':'));
    if (type.empty()) return {};
    const bool list = option->get_expected_max() == CLI::detail::expected_max_vector_size &&
                      option->get_allow_extra_args();
    return " " + type + (list ? "..." : "");
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
    return row(command->get_display_name(true), command->get_description());
}

void addHelpAll(CLI::App& command) {
    command.set_help_all_flag("--help-all", "All options, with those that few people need");
}

void showLater(CLI::App& command, const char* group, std::initializer_list<const char*> options) {
    for (const char* option : options) command.get_option(option)->group(group);
}

}  // namespace roofscope::cli
