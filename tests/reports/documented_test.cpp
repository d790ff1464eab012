// SPDX-License-Identifier: Apache-2.0
// What users can look up is documented: each new rule, quantity, check and format needs its line in
// the documentation, and each check its trick (CONTRIBUTING.md).
#include <set>
#include <sstream>
#include <string>

#include "analyzer/diagnosis/rule.h"
#include "analyzer/honesty/review.h"
#include "analyzer/quantities/catalog.h"
#include "reports/report_formats.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace roofscope;

namespace {

std::string page(const std::string& name) {
    return test::readText(ROOFSCOPE_SOURCE_DIR "/docs/" + name);
}

bool names(const std::string& text, std::string_view word) {
    return text.find("`" + std::string(word) + "`") != text.npos;
}

}  // namespace

TEST_CASE("every rule has a section in the catalogue of rules") {
    const std::string text = page("rules.md");
    std::set<std::string> titles;  // "integer-arithmetic, special-functions" stands for two rules
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("### ")) continue;
        std::istringstream words(line.substr(4));
        for (std::string word; words >> word;) titles.insert(word.substr(0, word.find(',')));
    }
    for (const Rule* rule : allRules()) {
        INFO(rule->id);
        CHECK(titles.contains(std::string(rule->id)));
    }
}

TEST_CASE("every quantity that the gate judges is in its documentation") {
    const std::string text = page("ci.md");
    for (const QuantityEntry& entry : catalog())
        if (entry.uses.gate != GateUse::No) {
            INFO(entry.key);
            CHECK(names(text, entry.key));
        }
}

TEST_CASE("every check of a review is in the list of checks, and has a trick that it must name") {
    const std::string text = page("honesty.md");
    const std::string tricks = test::readText(ROOFSCOPE_SOURCE_DIR "/tests/gpu/review_tricks.py");
    const auto checks = honesty::review({.kernel = "the claimed one"}, {}).checks;
    for (const honesty::Check& check : checks) {
        INFO(check.id);
        CHECK(names(text, check.id));
        const bool hasTrick = tricks.find('"' + check.id + '"') != tricks.npos;
        CHECK(hasTrick != (text.find("`" + check.id + "` has no trick") != text.npos));
    }
}

TEST_CASE("every format of a report is in the list of formats") {
    const std::string text = page("reports.md");
    for (const ReportFormatEntry& entry : reportFormats()) {
        INFO(entry.name);
        CHECK(text.find("\n| " + std::string(entry.name) + " |") != text.npos);
    }
}
