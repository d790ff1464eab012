// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::replay {

/// A JSON value. Just enough to read `launch.json`: a folder must build without libraries.
class JsonValue {
public:
    /// Throws std::runtime_error with the position if the text is not JSON, nests deeper than
    /// kDeepest, or has text after the value.
    static JsonValue parse(std::string_view text);

    /// A member of an object. Throws if this is not an object or has no such member.
    [[nodiscard]] const JsonValue& at(const std::string& key) const {
        const auto it = m_members.find(key);
        if (it == m_members.end()) throw std::runtime_error("\"" + key + "\" is missing");
        return it->second;
    }
    [[nodiscard]] bool has(const std::string& key) const { return m_members.count(key) != 0; }
    [[nodiscard]] bool isNull() const { return m_kind == Kind::Null; }
    [[nodiscard]] const std::vector<JsonValue>& items() const {
        require(Kind::Array, "a list");
        return m_items;
    }
    [[nodiscard]] const std::string& text() const {
        require(Kind::Text, "a text");
        return m_text;
    }
    [[nodiscard]] bool flag() const {
        require(Kind::Flag, "true or false");
        return m_text == "true";
    }
    /// A whole number from 0 to `most`.
    [[nodiscard]] std::uint64_t number(std::uint64_t most = ~0ULL) const {
        require(Kind::Number, "a number");
        std::uint64_t value = 0;
        for (const char c : m_text) {
            if (c < '0' || c > '9') throw std::runtime_error(m_text + " is not a whole number");
            const auto digit = static_cast<std::uint64_t>(c - '0');
            if (value > (~0ULL - digit) / 10) throw std::runtime_error(m_text + " is too large");
            value = value * 10 + digit;
        }
        if (value > most) throw std::runtime_error(m_text + " is too large");
        return value;
    }
    /// A number that may have a fraction.
    [[nodiscard]] double real() const {
        require(Kind::Number, "a number");
        char* end = nullptr;
        const double value = std::strtod(m_text.c_str(), &end);
        // strtod() also reads "-nan", "-inf" and the beginning of "1.2.3".
        if (*end != '\0' || !std::isfinite(value))
            throw std::runtime_error(m_text + " is not a number");
        return value;
    }

private:
    enum class Kind { Null, Flag, Number, Text, Array, Object };
    static constexpr int kDeepest = 16;

    class Parser;
    void require(Kind kind, const char* what) const {
        if (m_kind != kind) throw std::runtime_error(std::string("expected ") + what);
    }

    Kind m_kind = Kind::Null;
    std::string m_text;
    std::vector<JsonValue> m_items;
    std::map<std::string, JsonValue> m_members;
};

class JsonValue::Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    JsonValue whole() {
        JsonValue result = value(0);
        skipSpace();
        if (m_at != m_text.size()) fail("something follows the value");
        return result;
    }

private:
    [[noreturn]] void fail(const char* why) const {
        throw std::runtime_error("is not JSON at byte " + std::to_string(m_at) + ": " + why);
    }
    void skipSpace() {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    char peek() {
        skipSpace();
        if (m_at >= m_text.size()) fail("it ends too early");
        return m_text[m_at];
    }
    void expect(char c) {
        if (peek() != c) fail("unexpected character");
        ++m_at;
    }
    bool takes(char c) {
        if (peek() != c) return false;
        ++m_at;
        return true;
    }

    JsonValue value(int depth) {
        if (depth > kDeepest) fail("it nests too deep");
        JsonValue result;
        const char c = peek();
        if (c == '{') {
            result.m_kind = Kind::Object;
            expect('{');
            if (takes('}')) return result;
            do {
                std::string key = text();
                expect(':');
                if (!result.m_members.emplace(std::move(key), value(depth + 1)).second)
                    fail("a name comes twice");
            } while (takes(','));
            expect('}');
        } else if (c == '[') {
            result.m_kind = Kind::Array;
            expect('[');
            if (takes(']')) return result;
            do result.m_items.push_back(value(depth + 1));
            while (takes(','));
            expect(']');
        } else if (c == '"') {
            result.m_kind = Kind::Text;
            result.m_text = text();
        } else {
            word(result);
        }
        return result;
    }

    void word(JsonValue& result) {
        const std::size_t first = m_at;
        while (m_at < m_text.size() &&
               (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '-' ||
                m_text[m_at] == '+' || m_text[m_at] == '.'))
            ++m_at;
        result.m_text = m_text.substr(first, m_at - first);
        const char c = result.m_text.empty() ? ' ' : result.m_text[0];
        if (result.m_text == "true" || result.m_text == "false")
            result.m_kind = Kind::Flag;
        else if (c == '-' || std::isdigit(static_cast<unsigned char>(c)))
            result.m_kind = Kind::Number;
        else if (result.m_text != "null")
            fail("unknown word");
    }

    std::string text() {
        expect('"');
        std::string result;
        for (;;) {
            if (m_at >= m_text.size()) fail("a text does not end");
            const char c = m_text[m_at++];
            if (c == '"') return result;
            result += c == '\\' ? escaped() : std::string(1, c);
        }
    }

    std::string escaped() {
        if (m_at >= m_text.size()) fail("a text does not end");
        const char c = m_text[m_at++];
        switch (c) {
            case 'n':
                return "\n";
            case 't':
                return "\t";
            case 'r':
                return "\r";
            case 'b':
            case 'f':
                return " ";
            case 'u':
                // Only control characters are written as hexadecimal escapes; replace them.
                if (m_text.size() - m_at < 4) fail("a text does not end");
                m_at += 4;
                return "?";
            default:
                return std::string(1, c);
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

inline JsonValue JsonValue::parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace roofscope::replay
