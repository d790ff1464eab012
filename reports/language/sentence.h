// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reports/language/say.h"

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

/// A sentence about a number of things, which is its first gap.
template <class... Gaps>
struct Plural {
    Sentence<std::size_t, Gaps...> one, many;
    [[nodiscard]] std::string operator()(std::size_t count, const Gaps&... gaps) const {
        return count == 1 ? one(count, gaps...) : many(count, gaps...);
    }
};

}  // namespace roofscope
