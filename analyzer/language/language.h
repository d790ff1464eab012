// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace roofscope {

/// A language that reports can be written in (docs/languages.md). The code contains the sentences
/// in English, where they are used. Every other language is a set of files,
/// `*/translations/CODE.json`, which the build compiles in; the code does not name these languages.
enum class Language : std::uint8_t {
    En  ///< English; the others follow, see languages()
};

/// All languages of this build, English first.
[[nodiscard]] std::span<const Language> languages();
[[nodiscard]] const char* toString(Language language);  ///< its code: "en", "zh"
[[nodiscard]] std::optional<Language> parseLanguage(std::string_view code);
/// The codes of all languages for a sentence: "en or zh".
[[nodiscard]] std::string languageCodes();

/// Punctuation of a language.
struct Marks {
    std::string stop = ".", comma = ", ", listComma = ", ", semicolon = "; ", colon = ": ";
    std::string gap = " ";  ///< between two sentences; empty in Chinese
};

/// Facts about a language, from the head of `analyzer/translations/CODE.json`.
struct LanguageFacts {
    std::string name = "English";       ///< in the language itself
    std::string english = "English";    ///< its English name
    std::string language = "Language";  ///< its word for "language"
    std::string locale = "en";          ///< "zh_CN"
    bool spaces = true;                 ///< whether spaces separate words
    Marks marks;
};
[[nodiscard]] const LanguageFacts& factsOf(Language language);
[[nodiscard]] inline const Marks& marksOf(Language language) { return factsOf(language).marks; }

/// An English text and its context, for the few texts that other languages translate differently in
/// different places: `say(language, inContext("places", "{} more"), left)`. Both are literals.
struct InContext {
    const char* context;
    const char* english;
};
constexpr InContext inContext(const char* context, const char* english) {
    return {.context = context, .english = english};
}

/// The translation of an English text, or that text if there is none. A context distinguishes uses
/// of one English text that other languages translate differently.
[[nodiscard]] std::string_view translated(Language language, std::string_view english,
                                          std::string_view context = {});
/// The translation, or nullopt.
[[nodiscard]] std::optional<std::string_view> findTranslation(Language language,
                                                              std::string_view english,
                                                              std::string_view context = {});

}  // namespace roofscope
