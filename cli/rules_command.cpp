// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/rule.h"
#include "cli/commands.h"

namespace roofscope::cli {
namespace {

nlohmann::ordered_json toJson(const Rule& rule) {
    return {{"id", rule.id},
            {"category", rule.category},
            {"title", rule.en.title},
            {"fires_when", rule.firesWhen},
            {"needs", rule.needs},
            {"sentence", rule.en.sentence},
            {"mechanism", rule.en.mechanism},
            {"edit", rule.en.edit},
            {"before", rule.en.before},
            {"after", rule.en.after},
            {"ruled_out", rule.en.ruledOut}};
}

Result<int> listRules(bool json) {
    if (json) {
        auto list = nlohmann::ordered_json::array();
        for (const Rule* rule : allRules()) list.push_back(toJson(*rule));
        std::cout << list.dump(2) << "\n";
        return 0;
    }
    for (const Rule* rule : allRules())
        std::cout << fmt::format("{}  ({}, counters: {})\n    {}\n    Fires when: {}\n", rule->id,
                                 rule->category, rule->needs, rule->en.title, rule->firesWhen);
    std::cout << "\"roofscope rules show ID\" tells more.\n";
    return 0;
}

/// Number of edits between two ids, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row.back();
}

std::string adviceFor(std::string_view id) {
    const Rule* nearest = nullptr;
    std::size_t best = id.size() / 2 + 1;  // farther than half of its letters is no typing error
    for (const Rule* rule : allRules()) {
        const bool part = !id.empty() && rule->id.find(id) != std::string_view::npos;
        const std::size_t edits = part ? 0 : distance(id.substr(0, 64), rule->id);
        if (edits < best) {
            best = edits;
            nearest = rule;
        }
    }
    return nearest ? fmt::format("did you mean \"{}\"?", nearest->id)
                   : "\"roofscope rules list\" shows all";
}

std::string indented(std::string_view code) {
    std::string out;
    for (const char c : code) {
        out += c;
        if (c == '\n') out += "      ";
    }
    return out;
}

Result<int> showRule(const std::string& id, bool json) {
    const Rule* rule = findRule(id);
    if (!rule)
        return Error{.code = ErrorCode::Usage,
                     .what = fmt::format("there is no rule \"{}\"", id.substr(0, 64)),
                     .where = "rules show",
                     .advice = adviceFor(id)};
    if (json) {
        std::cout << toJson(*rule).dump(2) << "\n";
        return 0;
    }
    const RuleText& text = rule->en;
    std::cout << fmt::format(
        "{}: {}\n\n"
        "  Category     {}\n"
        "  Counters     {}\n"
        "  Fires when   {}\n"
        "  Says         {}\n"
        "  Why          {}\n"
        "  Edit         {}\n",
        rule->id, text.title, rule->category, rule->needs, rule->firesWhen, text.sentence,
        text.mechanism, text.edit);
    if (!text.before.empty())
        std::cout << fmt::format("\n  Before\n      {}\n  After\n      {}\n", indented(text.before),
                                 indented(text.after));
    std::cout << fmt::format("\n  Ruled out    {}\n  Names in braces stand for measured numbers.\n",
                             text.ruledOut);
    return 0;
}

}  // namespace

void addRulesCommand(CLI::App& app, Action& run) {
    auto* rules = app.add_subcommand("rules", "Shows the diagnosis rules of this build");
    rules->require_subcommand(1);
    rules->footer(
        "Examples:\n"
        "  roofscope rules list\n"
        "  roofscope rules show shared-bank-conflict");

    const auto listJson = std::make_shared<bool>(false);
    auto* list = rules->add_subcommand("list", "Lists all rules and when they fire");
    list->add_flag("--json", *listJson, "As JSON");
    list->callback([&run, listJson] { run = [listJson] { return listRules(*listJson); }; });

    const auto id = std::make_shared<std::string>();
    const auto showJson = std::make_shared<bool>(false);
    auto* show = rules->add_subcommand("show", "Shows one rule with its edit");
    show->add_option("ID", *id, "Rule id, as in reports: shared-bank-conflict")->required();
    show->add_flag("--json", *showJson, "As JSON");
    show->callback(
        [&run, id, showJson] { run = [id, showJson] { return showRule(*id, *showJson); }; });
}

}  // namespace roofscope::cli
