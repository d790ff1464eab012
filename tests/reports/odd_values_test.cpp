// SPDX-License-Identifier: Apache-2.0
// No report of any recording spells out that there is nothing, or calls an estimate a bound.
#include <sstream>
#include <string>
#include <vector>

#include "profile/codec/codec.h"
#include "profile/names/name_pattern.h"
#include "reports/answer/finding_words.h"
#include "reports/language/number_format.h"
#include "reports/report.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"
#include "tests/support/samples.h"

using namespace roofscope;

namespace {

/// Useless statements, as regular expressions on lines.
const std::vector<std::pair<const char*, const char*>> kOdd{
    {"a bound of nothing", "(at most|about|至多|约) 0 (s|ns|B)\\b"},
    {"a speed-up of nothing", "[(（]1\\.00×"},
    {"below nothing", "[≤≥≈] ?[<>]|≤ 0( [a-zA-Z%]|[^.0-9])|≤ 0$"},
    {"above everything", "≥ 100 %"},
    {"at least everything", "([Aa]t least|至少) 100 %"},
    {"a threshold of nothing", "(threshold|阈值) 0([^.0-9]|$)"},
    {"a rate of nothing", "[^.0-9]0 (FLOP|B)/s"},
    {"a plural of one", "(^|[^.,0-9])1 (launches|kernels|blocks|passes|findings)\\b"},
    {"no number", "\\b(nan|inf)\\b|-0 "},
    {"a name that was not filled in", "\\{[a-zA-Z]+\\}"},
    {"tensor cores by constants", "(: |· )(tensor|张量) (< )?0 %"},
};

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("no report of any recording has an odd value") {
    std::vector<std::pair<const char*, NamePattern>> odd;
    for (const auto& [what, expression] : kOdd) {
        auto pattern = NamePattern::compile(expression);
        REQUIRE(pattern.ok());
        odd.emplace_back(what, std::move(*pattern));
    }
    for (const std::string& path : test::allRecordings()) {
        const Analysis analysis = test::analysisIn(path);
        for (const ReportFormat format : {ReportFormat::Markdown, ReportFormat::Text})
            for (const Language language : languages()) {
                const auto report = renderReport(analysis, format, {.language = language});
                REQUIRE(report.ok());
                for (const std::string& line : linesOf(*report))
                    for (const auto& [what, pattern] : odd) {
                        if (!pattern.matches(line)) continue;
                        CAPTURE(path, line);
                        FAIL_CHECK(what);
                    }
            }
    }
}

TEST_CASE("a target at the end of its scale is not worded as a bound") {
    CHECK(targetWords(139e6, 0, Unit::Count) == "0");
    CHECK(targetWords(61.5e6, 0, Unit::Bytes) == "0 B");
    CHECK(targetWords(0.485, 1.0, Unit::Share) == "100 %");
    CHECK(targetWords(0.485, 0.99999, Unit::Share) == "100 %");
    CHECK(targetWords(0.485, 0.9, Unit::Share) == "≥ 90 %");
    CHECK(targetWords(1.39, 1.0, Unit::Factor) == "1.00×");
    CHECK(targetWords(16, 1, Unit::Ways) == "1-way");
    CHECK(targetWords(4.19e6, 1.05e6, Unit::Count) == "≤ 1.05 M");
}

TEST_CASE("an estimate is never called a bound") {
    CHECK(boundWords({208e-6}, false, Language::En) == "at most 208 µs");
    CHECK(boundWords({208e-6}, true, Language::En) == "about 208 µs");
    CHECK(boundWords({208e-6}, true, test::kZh) == "约 208 µs");
    CHECK(boundMark(Seconds{208e-6}, false) == "≤ 208 µs");
    CHECK(boundMark(Seconds{208e-6}, true) == "≈ 208 µs");
    CHECK(boundMark(Ratio{0.12}, false) == "≤ 12 %");
}
