// SPDX-License-Identifier: Apache-2.0
// Texts are English in the source, and come from files in other languages.
#include "analyzer/language/words.h"
#include "analyzer/diagnosis/rule.h"
#include "analyzer/language/sentence.h"
#include "tests/support/catch.h"
#include "tests/support/languages.h"

using namespace roofscope;
using test::kZh;

TEST_CASE("Languages are those that have files, English first", "[words]") {
    CHECK(languages().front() == Language::En);
    CHECK(parseLanguage("en") == Language::En);
    CHECK(toString(kZh) == std::string("zh"));
    CHECK_FALSE(parseLanguage("klingon"));
    CHECK_FALSE(parseLanguage(""));
    CHECK(languageCodes().starts_with("en"));
    CHECK(languageCodes().find("zh") != std::string::npos);
    CHECK(factsOf(kZh).english == "Chinese");
    CHECK(factsOf(kZh).locale == "zh_CN");
    CHECK(marksOf(Language::En).gap == " ");
    CHECK(marksOf(kZh).gap.empty());
}

TEST_CASE("A text without translation is shown in English", "[words]") {
    CHECK(Words("shared memory").in(kZh) == "共享内存");
    CHECK(Words("a text that nobody has translated").in(kZh) ==
          "a text that nobody has translated");
    CHECK_FALSE(findTranslation(kZh, "a text that nobody has translated"));
    // A translation for another context is not used.
    CHECK(Words(inContext("a place that is unknown", "shared memory")).in(kZh) == "shared memory");
    // Text in gaps is translated separately.
    const Words both = wordsOf("untranslated, of {}", Words("shared memory"));
    CHECK(both.in(Language::En) == "untranslated, of shared memory");
    CHECK(both.in(kZh) == "untranslated, of 共享内存");
}

TEST_CASE("Gaps of words are filled in the order of the language", "[words]") {
    const Words place = wordsOf("line {}", std::uint32_t{26});
    const Words stored = wordsOf(inContext("instruction at a line", "{} at {}"), "STG", place);
    CHECK(stored.in(Language::En) == "STG at line 26");
    CHECK(stored.in(kZh) == "第 26 行的 STG");
    const Words said = wordsOf("{:.0f} % of that at {}, {}", 83.4, stored, Words::same("x"));
    CHECK(said.in(Language::En) == "83 % of that at STG at line 26, x");
    CHECK(said.in(kZh) == "其中 83 % 在第 26 行的 STG，等待x");
    // Names from a profile are data, whatever they contain.
    CHECK(wordsOf("line {}", std::string("{}{0}{name}")).in(Language::En) == "line {}{0}{name}");
}

TEST_CASE("Words that are the same everywhere are not looked up", "[words]") {
    CHECK(Words::same("shared memory").in(kZh) == "shared memory");
    CHECK(Words::lasting("shared memory").in(kZh) == "shared memory");
    CHECK(Words("shared memory").in(kZh) == "共享内存");  // beside one of the same letters
    CHECK(Words::inEach([](Language l) { return std::string(toString(l)); }).in(kZh) == "zh");
    CHECK(Words().empty());
    CHECK(Words("").empty());
    CHECK(Words::same("").empty());
    CHECK(Words().in(kZh).empty());
}

TEST_CASE("Words are equal when they say the same with the same in their gaps", "[words]") {
    CHECK(Words("shared memory") == Words::translatable(std::string("shared memory")));
    CHECK_FALSE(Words("shared memory") == Words::lasting("shared memory"));
    CHECK_FALSE(Words("registers") == Words(inContext("what limits the occupancy", "registers")));
    CHECK(wordsOf("line {}", 1) == wordsOf("line {}", 1));
    CHECK_FALSE(wordsOf("line {}", 1) == wordsOf("line {}", 2));
    CHECK(wordsOf("line {}", Words("shared memory")) == wordsOf("line {}", Words("shared memory")));
}

TEST_CASE("Stored words are told by what they say, not by where they stood", "[words]") {
    std::string text = "one";
    const Words first = Words::translatable(text);
    text[0] = 'O';
    const Words second = Words::translatable(text);
    CHECK(first.in(Language::En) == "one");
    CHECK(second.in(Language::En) == "One");
}

TEST_CASE("A rule's sentences are those of the language", "[words]") {
    const Rule& rule = *findRule("wave-tail");
    CHECK(rule.text(Language::En).title == rule.en.title);
    CHECK(rule.text(kZh).title == "最后一个波次大部分空着");
}
