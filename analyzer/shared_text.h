// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// A text of which there are few and that very many values carry: the formula of a quantity, the
/// counters that it lacks. Each is stored once, until the program ends, and a value holds a
/// pointer: a kernel has about a hundred of them. Not for names from a profile, of which there may
/// be any number.
class SharedText {
public:
    SharedText() = default;
    SharedText(std::string_view text) : m_text(text.empty() ? nullptr : &stored(text)) {}
    SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
    SharedText(const char* text) : SharedText(std::string_view(text)) {}

    [[nodiscard]] const std::string& str() const { return m_text ? *m_text : none(); }
    operator const std::string&() const { return str(); }
    [[nodiscard]] bool empty() const { return !m_text; }
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
    static const std::string& stored(std::string_view text);
    static const std::string& none();

    const std::string* m_text = nullptr;
};

}  // namespace roofscope
