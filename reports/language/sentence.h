// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

/// Building blocks of a table of words. None can be left out of a table, be empty by accident, or
/// forget what it has to say: each of these is an error of the compiler.
namespace roofscope {

/// Words without gaps.
class Label {
public:
    consteval Label(const char* text) : m_text(text) {  // NOLINT: a table is written as literals
        if (m_text.empty()) throw std::logic_error("a label without words");
    }
    constexpr operator std::string_view() const { return m_text; }  // NOLINT
    [[nodiscard]] std::string str() const { return std::string(m_text); }

private:
    std::string_view m_text;
};
inline std::string operator+(const std::string& left, const Label& right) {
    return left + right.str();
}
inline std::string operator+(const Label& left, const std::string& right) {
    return left.str() + right;
}
inline std::string operator+(const Label& left, const char* right) { return left.str() + right; }
inline std::string operator+(const char* left, const Label& right) { return left + right.str(); }

/// What stands between words; a language may have nothing there.
class Mark {
public:
    consteval Mark(const char* text) : m_text(text) {}              // NOLINT
    constexpr operator std::string_view() const { return m_text; }  // NOLINT
    [[nodiscard]] std::string str() const { return std::string(m_text); }

private:
    std::string_view m_text;
};

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
    consteval Sentence(const char* text) : m_text(text) {  // NOLINT
        (void)fmt::format_string<const Gaps&...>(text);
        if (gapsIn(text) != sizeof...(Gaps)) throw std::logic_error("a gap is left out");
    }
    [[nodiscard]] std::string operator()(const Gaps&... gaps) const {
        return fmt::vformat(fmt::string_view(m_text.data(), m_text.size()),
                            fmt::make_format_args(gaps...));
    }

private:
    std::string_view m_text;
};

/// A sentence about a number of things, which is its first gap.
template <class... Gaps>
struct Plural {
    Sentence<std::size_t, Gaps...> one, many;
    [[nodiscard]] std::string operator()(std::size_t count, const Gaps&... gaps) const {
        return count == 1 ? one(count, gaps...) : many(count, gaps...);
    }
};

}  // namespace roofscope
