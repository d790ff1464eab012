// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace roofscope::cli {

/// Help that fits into 100 columns. If a command has `--help-all`, only that option lists options
/// outside of the group "Options".
class HelpFormat : public CLI::Formatter {
public:
    HelpFormat();
    std::string make_help(const CLI::App* command, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_usage(const CLI::App* command, std::string name) const override;
    std::string make_option(const CLI::Option* option, bool positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* command) const override;
};

/// Gives a command the option `--help-all`, which also lists options that few people need.
void addHelpAll(CLI::App& command);
/// Moves options to a group that only `--help-all` shows.
void showLater(CLI::App& command, const char* group, std::initializer_list<const char*> options);

}  // namespace roofscope::cli
