// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "profile/errors/edit_distance.h"

namespace roofscope::cli {
namespace {

std::string adviceFor(const CLI::App& command, const std::string& nearest) {
    const std::string help = "see \"" + helpOf(command) + "\"";
    return nearest.empty() ? help : "did you mean " + nearest + "? Else " + help;
}

}  // namespace

std::string pathOf(const CLI::App& command) {
    if (!command.get_parent()) return {};
    const std::string above = pathOf(*command.get_parent());
    return above + (above.empty() ? "" : " ") + command.get_name();
}

std::string helpOf(const CLI::App& command) {
    const std::string path = pathOf(command);
    return "roofscope " + path + (path.empty() ? "" : " ") + "--help";
}

std::string nearestName(std::string_view word, const std::vector<std::string>& names) {
    std::string nearest;
    // Up to one wrong letter in three is a misspelling; more is another word.
    std::size_t least = word.size() / 3 + 1;
    const auto letters = [](std::string_view text) {
        std::string sorted(text);
        std::ranges::sort(sorted);
        return sorted;
    };
    for (const std::string& name : names)
        // Swapped letters are one mistake, not two.
        if (const std::size_t distance =
                letters(word) == letters(name) ? 1 : editDistance(word, name);
            distance < least) {
            least = distance;
            nearest = name;
        }
    if (!nearest.empty() || word.size() < 3) return nearest;
    // If the word is the beginning of exactly one name, it means that name.
    for (const std::string& name : names)
        if (name.starts_with(word)) {
            if (!nearest.empty()) return {};
            nearest = name;
        }
    return nearest;
}

Error unknownOption(const CLI::App& command, std::string_view word) {
    std::vector<std::string> names;
    for (const CLI::Option* each : command.get_options())
        for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
    const std::string option(word.substr(0, word.find('=')));
    return {.code = ErrorCode::Usage,
            .what = "there is no option " + option,
            .where = pathOf(command),
            .advice = adviceFor(command, nearestName(option, names))};
}

Error unknownCommand(const CLI::App& app, std::string_view word) {
    std::vector<std::string> names;
    for (const CLI::App* command :
         app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
        names.push_back(command->get_name());
    return {.code = ErrorCode::Usage,
            .what = fmt::format("there is no command{} \"{}\"", app.get_parent() ? "" : " or file",
                                word),
            .where = pathOf(app),
            .advice = adviceFor(app, nearestName(word, names))};
}

}  // namespace roofscope::cli
