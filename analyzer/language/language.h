// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace roofscope {

/// A language that reports can be written in (docs/languages.md). Sentences are written in English,
/// at the place that says them. Every other language is a set of files, `*/translations/CODE.json`,
/// which the build compiles in; code names none of them.
enum class Language : std::uint8_t {
    En  ///< English; the others follow, see languages()
};

/// All languages of this build, English first.
[[nodiscard]] std::span<const Language> languages();
[[nodiscard]] const char* toString(Language language);  ///< its code: "en", "zh"
[[nodiscard]] std::optional<Language> parseLanguage(std::string_view code);
/// The codes of all languages for a sentence: "en or zh".
[[nodiscard]] std::string languageCodes();

/// What stands between words in a language.
struct Marks {
    std::string stop = ".", comma = ", ", listComma = ", ", semicolon = "; ", colon = ": ";
    std::string gap = " ";  ///< between two sentences; nothing in Chinese
};

/// What is to be known of a language, from the head of `analyzer/translations/CODE.json`.
struct LanguageFacts {
    std::string name = "English";       ///< in the language itself
    std::string english = "English";    ///< its English name
    std::string language = "Language";  ///< its word for "language"
    std::string locale = "en";          ///< "zh_CN"
    bool spaces = true;                 ///< between words
    Marks marks;
};
[[nodiscard]] const LanguageFacts& factsOf(Language language);
[[nodiscard]] inline const Marks& marksOf(Language language) { return factsOf(language).marks; }

/// An English text and where it stands, for the few that other languages say differently there:
/// `say(language, inContext("places", "{} more"), left)`. Both are literals.
struct InContext {
    const char* context;
    const char* english;
};
constexpr InContext inContext(const char* context, const char* english) {
    return {.context = context, .english = english};
}

/// The translation of an English text, or that text where there is none. A context tells apart what
/// is one text in English and several in other languages.
[[nodiscard]] std::string_view translated(Language language, std::string_view english,
                                          std::string_view context = {});
/// The translation or nothing.
[[nodiscard]] std::optional<std::string_view> findTranslation(Language language,
                                                              std::string_view english,
                                                              std::string_view context = {});

}  // namespace roofscope
