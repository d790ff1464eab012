// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "analyzer/language/words.h"

namespace roofscope {

/// The number of gaps in a format string: "{}" count in their order; "{1}" is a gap by number,
/// which may come in any order and more than once.
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

/// An English sentence with gaps. Checked at compile time: all gaps are used, and each with a
/// format that fits its value. A test checks that translations have the same gaps.
template <class... Gaps>
class Sentence {
public:
    consteval Sentence(const char* english) : Sentence(inContext("", english)) {}  // NOLINT
    consteval Sentence(InContext text)  // NOLINT: written as literals
        : m_text(text) {
        (void)fmt::format_string<const Gaps&...>(text.english);
        if (english().empty()) throw std::logic_error("a sentence without words");
        if (gapsIn(english()) != sizeof...(Gaps)) throw std::logic_error("a gap is left out");
    }
    [[nodiscard]] constexpr std::string_view english() const { return m_text.english; }
    [[nodiscard]] constexpr std::string_view context() const { return m_text.context; }
    [[nodiscard]] constexpr InContext text() const { return m_text; }

private:
    InContext m_text;
};

/// Fills the gaps of a sentence by fmt's rules.
[[nodiscard]] std::string fillSentence(std::string_view sentence, fmt::format_args gaps);

/// Words with gaps. The gaps are filled when the words are put into a language; they may hold
/// words.
template <class... Gaps>
[[nodiscard]] Words wordsOf(
    std::type_identity_t<
        Sentence<std::conditional_t<std::same_as<Gaps, Words>, std::string, Gaps>...>>
        sentence,
    const Gaps&... gaps) {
    return {sentence.text(), {WordsGap(gaps)...}};
}

}  // namespace roofscope
