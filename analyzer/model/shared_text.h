// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace roofscope {

/// A text from a small set that very many values carry: the formula of a quantity, the counters
/// that it lacks, the id of a rule. A kernel has hundreds of them, so each text is stored once,
/// until the program ends, and values point to it. Not for names from a profile: their number has
/// no bound.
class SharedText {
public:
    SharedText() = default;
    SharedText(std::string_view text) : m_text(text.empty() ? nullptr : stored(text)) {}
    SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
    SharedText(const char* text) : SharedText(std::string_view(text)) {}

    [[nodiscard]] const std::string& str() const {
        static const std::string none;
        return m_text ? *m_text : none;
    }
    operator const std::string&() const { return str(); }
    operator std::string_view() const { return str(); }
    [[nodiscard]] bool empty() const { return m_text == nullptr; }
    [[nodiscard]] std::size_t find(std::string_view part) const { return str().find(part); }

    bool operator==(const SharedText&) const = default;  // equal texts are the same one
    friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
    friend std::string operator+(std::string a, const SharedText& b) { return a += b.str(); }
    friend std::string operator+(const SharedText& a, std::string_view b) {
        return std::string(a.str()).append(b);
    }

private:
    /// Safe to call from several threads.
    static const std::string* stored(std::string_view text);

    const std::string* m_text = nullptr;  ///< null: empty
};

}  // namespace roofscope

/// Lets std::ranges algorithms compare SharedText with strings.
template <template <class> class A, template <class> class B>
struct std::basic_common_reference<roofscope::SharedText, std::string_view, A, B> {
    using type = std::string_view;
};
template <template <class> class A, template <class> class B>
struct std::basic_common_reference<std::string_view, roofscope::SharedText, A, B> {
    using type = std::string_view;
};
template <template <class> class A, template <class> class B>
struct std::basic_common_reference<roofscope::SharedText, std::string, A, B> {
    using type = std::string_view;
};
template <template <class> class A, template <class> class B>
struct std::basic_common_reference<std::string, roofscope::SharedText, A, B> {
    using type = std::string_view;
};
