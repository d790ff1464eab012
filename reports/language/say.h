// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "analyzer/language/sentence.h"
#include "reports/document/text.h"

/// Sentences are written in English where they are used and shown in the reader's language. The
/// compiler checks that each uses all of its gaps, in any order ("{1} of {0}"), and is not empty;
/// translations are looked up (docs/languages.md):
///
///     say(language, "{} of {} launches", some, all)              // a string
///     tell(language, "`{}` is not shown", name)                  // formatted text
///     sayCount(language, n, "{} kernel", "{} kernels")           // plurals
namespace roofscope {

/// The translated sentence with its gaps filled, in fmt's syntax.
template <class... Gaps>
[[nodiscard]] std::string say(Language language, std::type_identity_t<Sentence<Gaps...>> sentence,
                              const Gaps&... gaps) {
    return fillSentence(translated(language, sentence.english(), sentence.context()),
                        fmt::make_format_args(gaps...));
}

/// The translation for a count. A language without a singular form uses the plural form.
[[nodiscard]] std::string_view translatedCount(Language language, std::size_t count,
                                               std::string_view one, std::string_view many,
                                               std::string_view context);

/// A count as sentences say it: "6,500".
[[nodiscard]] std::string countInWords(std::size_t count);

/// A sentence about a count, which fills its first gap.
template <class... Gaps>
[[nodiscard]] std::string sayCount(Language language, std::size_t count,
                                   std::type_identity_t<Sentence<std::size_t, Gaps...>> one,
                                   std::type_identity_t<Sentence<std::size_t, Gaps...>> many,
                                   const Gaps&... gaps) {
    const std::string shown = countInWords(count);
    return fillSentence(
        translatedCount(language, count, one.english(), many.english(), many.context()),
        fmt::make_format_args(shown, gaps...));
}

/// A sentence whose gaps hold formatted text. The sentence itself (not the values of its gaps) may
/// mark `code` and **strong** as in markdown; gaps have no format ("{:.2f}").
template <std::size_t gaps>
class Template {
public:
    consteval Template(const char* english) : Template(inContext("", english)) {}  // NOLINT
    consteval Template(InContext text)  // NOLINT: written as literals
        : m_english(text.english), m_context(text.context) {
        if (m_english.empty()) throw std::logic_error("a sentence without words");
        if (gapsIn(m_english) != gaps) throw std::logic_error("a gap is left out");
        bool code = false, strong = false;
        for (std::size_t at = 0; at < m_english.size(); ++at) {
            if (m_english[at] == '`') code = !code;
            if (!code && m_english.substr(at).starts_with("**")) strong = !strong, ++at;
            if (m_english[at] == '{' && m_english[at + 1] == ':')
                throw std::logic_error("a gap with a format");
        }
        if (code || strong) throw std::logic_error("a mark is not closed");
    }
    [[nodiscard]] constexpr std::string_view english() const { return m_english; }
    [[nodiscard]] constexpr std::string_view context() const { return m_context; }

private:
    std::string_view m_english, m_context;
};

/// Fills a template that passed the compile-time check, or its translation; called by `tell`.
[[nodiscard]] doc::Text fillTemplate(std::string_view text, const doc::Text* gaps,
                                     std::size_t count);

/// The translated sentence as formatted text; gaps take doc::Text, strings and integers.
template <std::convertible_to<doc::Text>... Gaps>
[[nodiscard]] doc::Text tell(Language language, Template<sizeof...(Gaps)> sentence,
                             const Gaps&... gaps) {
    const std::array<doc::Text, sizeof...(Gaps)> filled{doc::Text(gaps)...};
    return fillTemplate(translated(language, sentence.english(), sentence.context()), filled.data(),
                        filled.size());
}

/// The same for one gap; returns empty text if `words` is empty.
[[nodiscard]] doc::Text tellOf(const doc::Text& words, Language language, Template<1> sentence);

/// The same for a count, which fills the first gap.
template <std::convertible_to<doc::Text>... Gaps>
[[nodiscard]] doc::Text tellCount(Language language, std::size_t count,
                                  Template<sizeof...(Gaps) + 1> one,
                                  Template<sizeof...(Gaps) + 1> many, const Gaps&... gaps) {
    const std::array<doc::Text, sizeof...(Gaps) + 1> filled{doc::Text(countInWords(count)),
                                                            doc::Text(gaps)...};
    return fillTemplate(
        translatedCount(language, count, one.english(), many.english(), many.context()),
        filled.data(), filled.size());
}

/// `words`, followed by a remark in brackets.
[[nodiscard]] std::string bracketed(Language language, const std::string& words,
                                    const std::string& remark);
[[nodiscard]] doc::Text bracketed(Language language, const doc::Text& words,
                                  const doc::Text& remark);

}  // namespace roofscope
