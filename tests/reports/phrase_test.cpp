// SPDX-License-Identifier: Apache-2.0
#include "reports/language/phrase.h"

#include "analyzer/diagnosis/rule.h"
#include "reports/escape/escape.h"
#include "tests/support/catch.h"

using namespace roofscope;

namespace {
constexpr std::size_t kLongest = 20;
}  // namespace

TEST_CASE("placeholders become numbers with units or clean texts") {
    const std::vector<Arg> args{
        {.name = "degree", .value = 16.5, .unit = Unit::Ways},
        {.name = "who", .value = 0, .unit = Unit::Count, .text = Words::same("{degree}")}};
    CHECK(fillPhrase("at least {degree}.", args, kLongest, Language::En) == "at least 16.5-way.");
    CHECK(fillPhrase("by {who}", args, kLongest, Language::En) ==
          "by {degree}");  // an inserted text is not filled in again
    const std::vector<Arg> hostile{{.name = "who", .text = Words::same("a\x1b[31m\nb")},
                                   {.name = "all", .text = Words::same(std::string(99, 'x'))}};
    CHECK(fillPhrase("by {who}.", hostile, kLongest, Language::En) ==
          "by " + cleanText("a\x1b[31m\nb", kLongest) + ".");
    CHECK(fillPhrase("{all}", hostile, kLongest, Language::En) == std::string(19, 'x') + "…");
    CHECK(fillPhrase("{missing} {", args, kLongest, Language::En) == "{missing} {");
    CHECK(fillPhrase("{{x}}", args, kLongest, Language::En) == "{x}");
    CHECK(fillPhrase("", args, kLongest, Language::En).empty());
}

TEST_CASE("words agree with the number that is shown") {
    const auto text = [](double count) {
        const std::vector<Arg> args{{.name = "n", .value = count}};
        return fillPhrase("{n} {n?copy:copies} {n?moves:move}", args, kLongest, Language::En);
    };
    CHECK(text(1) == "1 copy moves");
    CHECK(text(2) == "2 copies move");
    CHECK(text(0) == "0 copies move");
    CHECK(text(1.25) == "1.25 copies move");
    CHECK(text(1.0001) == "1 copy moves");  // the rounded value decides
    CHECK(fillPhrase("{m?copy:copies}", {}, kLongest, Language::En) == "{m?copy:copies}");
    const std::vector<Arg> one{{.name = "n", .value = 1}};
    CHECK(fillPhrase("{n?}", one, kLongest, Language::En).empty());
    CHECK(fillPhrase("kernel{n?:s}", one, kLongest, Language::En) == "kernel");
    CHECK(unfilledPhrase("{n} {n?copy:copies} {n?moves:move} {b} {") == "{n} copies move {b} {");
}

TEST_CASE("the sentences of all rules have closed placeholders") {
    for (const Rule* rule : allRules())
        for (const std::string_view text :
             {rule->en.sentence, rule->en.mechanism, rule->en.edit, rule->en.editInTriton,
              rule->en.editInNumba, rule->en.ruledOut}) {
            CAPTURE(rule->id);
            CHECK(std::count(text.begin(), text.end(), '{') ==
                  std::count(text.begin(), text.end(), '}'));
        }
}
