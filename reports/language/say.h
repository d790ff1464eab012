// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "analyzer/model/language.h"
#include "reports/document/text.h"

/// Sentences in all languages at the place where they are used. The compiler checks that each uses
/// all of its gaps, in any order ("{1} of {0}"), and that none is empty:
///
///     say(language, "{} of {} launches", "{1} 次启动中的 {0} 次", some, all)       // a string
///     tell(language, "`{}` is not shown", "…", name)                            // looks:
///     doc::Text sayCount(language, n, "{} kernel", "{} kernels", "{} 个内核")               //
///     plurals
namespace roofscope {

/// How many gaps a format string has: "{}" in their order, or "{1}" by number, which may come in
/// any order and more than once.
consteval std::size_t gapsIn(std::string_view text) {
    std::size_t counted = 0, highest = 0;
    unsigned seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '{') continue;
        if (at + 1 < text.size() && text[at + 1] == '{') {
            ++at;
            continue;
        }
        const std::size_t index =
            text[at + 1] >= '0' && text[at + 1] <= '9' ? text[at + 1] - '0' + 0U : counted++;
        seen |= 1U << index;
        highest = index + 1 > highest ? index + 1 : highest;
    }
    for (std::size_t i = 0; i < highest; ++i)
        if ((seen >> i & 1U) == 0) throw std::logic_error("a gap is skipped");
    return highest;
}

/// A sentence with gaps. It has to use all of them, and each for what it can show.
template <class... Gaps>
class Sentence {
public:
    consteval Sentence(const char* text) : m_text(text) {  // NOLINT: written as literals
        (void)fmt::format_string<const Gaps&...>(text);
        if (m_text.empty()) throw std::logic_error("a sentence without words");
        if (gapsIn(text) != sizeof...(Gaps)) throw std::logic_error("a gap is left out");
    }
    [[nodiscard]] std::string operator()(const Gaps&... gaps) const {
        return fmt::vformat(fmt::string_view(m_text.data(), m_text.size()),
                            fmt::make_format_args(gaps...));
    }

private:
    std::string_view m_text;
};

/// The sentence of a language with its gaps filled, by fmt's rules.
template <class... Gaps>
[[nodiscard]] std::string say(Language language, std::type_identity_t<Sentence<Gaps...>> en,
                              std::type_identity_t<Sentence<Gaps...>> zh, const Gaps&... gaps) {
    return (language == Language::Zh ? zh : en)(gaps...);
}

/// A sentence about a number of things, which is its first gap; Chinese has no plural.
template <class... Gaps>
[[nodiscard]] std::string sayCount(Language language, std::size_t count,
                                   std::type_identity_t<Sentence<std::size_t, Gaps...>> one,
                                   std::type_identity_t<Sentence<std::size_t, Gaps...>> many,
                                   std::type_identity_t<Sentence<std::size_t, Gaps...>> zh,
                                   const Gaps&... gaps) {
    return (language == Language::Zh ? zh : count == 1 ? one : many)(count, gaps...);
}

/// A sentence whose gaps hold words with looks. In the sentence itself, not in what fills its gaps,
/// `code` and **strong** words are marked as in markdown; gaps have no format ("{:.2f}").
template <std::size_t gaps>
class Template {
public:
    consteval Template(const char* text) : m_text(text) {  // NOLINT: written as literals
        if (m_text.empty()) throw std::logic_error("a sentence without words");
        if (gapsIn(text) != gaps) throw std::logic_error("a gap is left out");
        bool code = false, strong = false;
        for (std::size_t at = 0; at < m_text.size(); ++at) {
            if (m_text[at] == '`') code = !code;
            if (!code && m_text.substr(at).starts_with("**")) strong = !strong, ++at;
            if (m_text[at] == '{' && m_text[at + 1] == ':')
                throw std::logic_error("a gap with a format");
        }
        if (code || strong) throw std::logic_error("a mark is not closed");
    }
    constexpr operator std::string_view() const { return m_text; }  // NOLINT

private:
    std::string_view m_text;
};

/// Fills a template that has passed the compiler's check; `tell` calls it.
[[nodiscard]] doc::Text fillTemplate(std::string_view text, const doc::Text* gaps,
                                     std::size_t count);

/// The sentence of a language as words with looks; gaps are doc::Text, strings and whole numbers.
template <std::convertible_to<doc::Text>... Gaps>
[[nodiscard]] doc::Text tell(Language language, Template<sizeof...(Gaps)> en,
                             Template<sizeof...(Gaps)> zh, const Gaps&... gaps) {
    const std::array<doc::Text, sizeof...(Gaps)> filled{doc::Text(gaps)...};
    return fillTemplate(language == Language::Zh ? zh : en, filled.data(), filled.size());
}

/// The same of words that may be empty: then there is nothing to tell.
[[nodiscard]] doc::Text tellOf(const doc::Text& words, Language language, Template<1> en,
                               Template<1> zh);

/// The same about a number of things, which is the first gap.
template <std::convertible_to<doc::Text>... Gaps>
[[nodiscard]] doc::Text tellCount(Language language, std::size_t count,
                                  Template<sizeof...(Gaps) + 1> one,
                                  Template<sizeof...(Gaps) + 1> many,
                                  Template<sizeof...(Gaps) + 1> zh, const Gaps&... gaps) {
    return tell(language, count == 1 ? one : many, zh, count, gaps...);
}

/// What stands between words in a language.
struct Marks {
    std::string_view stop, comma, listComma, semicolon, colon;
    std::string_view gap;  ///< between two sentences; nothing in Chinese
};
[[nodiscard]] const Marks& marksOf(Language language);
/// A remark in brackets behind words.
[[nodiscard]] std::string bracketed(Language language, const std::string& words,
                                    const std::string& remark);
[[nodiscard]] doc::Text bracketed(Language language, const doc::Text& words,
                                  const doc::Text& remark);

}  // namespace roofscope
