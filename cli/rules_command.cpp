// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/diagnosis/rule.h"
#include "cli/commands.h"
#include "cli/language_option.h"
#include "cli/output_file.h"
#include "profile/errors/edit_distance.h"
#include "reports/language/phrase.h"
#include "reports/language/say.h"

namespace roofscope::cli {
namespace {

std::string_view editOf(const RuleText& text) {
    return text.editInGeneral.empty() ? text.edit : text.editInGeneral;
}

nlohmann::ordered_json toJson(const Rule& rule, Language language) {
    const RuleText& text = rule.text(language);
    return {{"id", rule.id},
            {"category", rule.category},
            {"title", text.title},
            {"fires_when", text.firesWhen},
            {"needs", join(rule.needs)},
            {"helped_by", join(rule.helpedBy)},
            {"edit_place", toString(rule.editPlace)},
            {"removes_launch", rule.removesLaunch},
            {"names_line", rule.namesLine != NamesLine::No},
            {"roof_is_not_the_end", rule.canBeatItsRoof},
            {"sentence", unfilledPhrase(text.sentence)},
            {"mechanism", text.mechanism},
            {"edit", editOf(text)},
            {"edit_in_triton", text.editInTriton},
            {"edit_in_numba", text.editInNumba},
            {"gain", text.gain},
            {"before", rule.before},
            {"after", rule.after},
            {"ruled_out", unfilledPhrase(text.ruledOut)}};
}

std::string categoryWords(std::string_view category, Language language) {
    if (category == "memory") return say(language, "memory");
    if (category == "parallelism") return say(language, "parallelism");
    if (category == "latency") return say(language, "latency");
    return std::string(category);
}

/// "default, stalls (+ source)": counter groups that the rule needs, and others that help it.
std::string countersOf(const Rule& rule) {
    const std::string more = join(rule.helpedBy);
    return join(rule.needs) + (more.empty() ? "" : " (+ " + more + ")");
}

/// Prints the text; returns exit code 0 if it could be written.
Result<int> shown(const std::string& text) {
    if (const auto written = writeOutput("", text); !written) return written.error();
    return 0;
}

Result<int> listRules(bool json, const std::string& lang) {
    const Result<Language> language = chooseLanguage(lang);
    if (!language) return language.error();
    if (json) {
        auto list = nlohmann::ordered_json::array();
        for (const Rule* rule : allRules()) list.push_back(toJson(*rule, *language));
        return shown(list.dump(2) + "\n");
    }
    std::string lines;
    for (const Rule* rule : allRules()) {
        const RuleText& text = rule->text(*language);
        lines += say(*language, "{}  ({}, counters: {})\n    {}\n    Fires when: {}\n", rule->id,
                     categoryWords(rule->category, *language), countersOf(*rule), text.title,
                     text.firesWhen);
    }
    return shown(lines + say(*language, "\"roofscope rules show ID\" shows one rule.\n"));
}

std::string adviceFor(std::string_view id) {
    const Rule* nearest = nullptr;
    std::size_t best = id.size() / 2 + 1;  // with more edits it is not a typing error
    for (const Rule* rule : allRules()) {
        const bool part = !id.empty() && rule->id.find(id) != std::string_view::npos;
        const std::size_t edits = part ? 0 : editDistance(id, rule->id);
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

Result<int> showRule(const std::string& id, bool json, const std::string& lang) {
    const Result<Language> language = chooseLanguage(lang);
    if (!language) return language.error();
    const Rule* rule = findRule(id);
    if (!rule)
        return Error{.code = ErrorCode::Usage,
                     .what = fmt::format("there is no rule \"{}\"", id.substr(0, 64)),
                     .where = "rules show",
                     .advice = adviceFor(id)};
    if (json) {
        return shown(toJson(*rule, *language).dump(2) + "\n");
    }
    const RuleText& text = rule->text(*language);
    std::cout << rule->id << marksOf(*language).colon << text.title << "\n\n";
    const auto line = [](std::string_view name, std::string_view value) {
        std::cout << name << value << "\n";
    };
    line(say(*language, "  Category     "), categoryWords(rule->category, *language));
    line(say(*language, "  Counters     "), countersOf(*rule));
    line(say(*language, "  Fires when   "), text.firesWhen);
    line(say(*language, "  Says         "), unfilledPhrase(text.sentence));
    line(say(*language, "  Why          "), text.mechanism);
    line(say(*language, "  Edit         "), editOf(text));
    if (!text.editInTriton.empty())
        line(say(*language, "  In Triton    "), unfilledPhrase(text.editInTriton));
    if (!text.editInNumba.empty())
        line(say(*language, "  In Numba     "), unfilledPhrase(text.editInNumba));
    line(say(*language, "  Gain at most "), text.gain);
    if (!rule->before.empty())
        std::cout << "\n" + say(*language, "  Before\n") + "      " + indented(rule->before) +
                         "\n" + say(*language, "  After\n") + "      " + indented(rule->after) +
                         "\n";
    std::cout << "\n";
    line(say(*language, "  Ruled out    "), unfilledPhrase(text.ruledOut));
    std::cout << say(*language, "  Names in braces stand for measured numbers.\n");
    return 0;
}

}  // namespace

void addRulesCommand(CLI::App& app, Action& run) {
    auto* rules = app.add_subcommand("rules", "Show the diagnosis rules of this build");
    rules->require_subcommand(1);
    rules->footer(
        "Examples:\n"
        "  roofscope rules list\n"
        "  roofscope rules show shared-bank-conflict");

    const auto lang = std::make_shared<std::string>();
    const auto listJson = std::make_shared<bool>(false);
    auto* list = rules->add_subcommand("list", "List all rules and when they fire");
    list->add_flag("--json", *listJson, "As JSON");
    addLanguageOption(*list, *lang);
    list->callback([&run, listJson, lang] { run = [=] { return listRules(*listJson, *lang); }; });

    const auto id = std::make_shared<std::string>();
    const auto showJson = std::make_shared<bool>(false);
    auto* show = rules->add_subcommand("show", "Show one rule with its edit");
    show->add_option("ID", *id, "Rule id, as in reports: shared-bank-conflict")->required();
    show->add_flag("--json", *showJson, "As JSON");
    addLanguageOption(*show, *lang);
    show->callback(
        [&run, id, showJson, lang] { run = [=] { return showRule(*id, *showJson, *lang); }; });
}

}  // namespace roofscope::cli
