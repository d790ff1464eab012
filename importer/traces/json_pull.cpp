// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/json_pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace roofscope::traces {
namespace {

constexpr std::size_t kPullBlock = std::size_t{1} << 18;

/// The bytes that numbers and words consist of.
constexpr std::array<bool, 256> kBareBytes = [] {
    std::array<bool, 256> bare{};
    for (int c = '0'; c <= '9'; ++c) bare[static_cast<std::size_t>(c)] = true;
    for (int c = 'a'; c <= 'z'; ++c) bare[static_cast<std::size_t>(c)] = true;
    for (int c = 'A'; c <= 'Z'; ++c) bare[static_cast<std::size_t>(c)] = true;
    for (const char c : {'+', '-', '.'}) bare[static_cast<std::size_t>(c)] = true;
    return bare;
}();
bool isBare(int c) { return c >= 0 && kBareBytes[static_cast<std::size_t>(c)]; }

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | code >> 6);
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

}  // namespace

JsonPull::JsonPull(std::streambuf& source) : m_source(source), m_bytes(kPullBlock) {
    for (const char c : {'\xEF', '\xBB', '\xBF'})  // a byte order mark
        if (peek() == static_cast<unsigned char>(c)) ++m_at;
}

bool JsonPull::more() {
    m_before += m_end;
    const auto count = m_source.sgetn(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
    m_at = 0;
    m_end = static_cast<std::size_t>(std::max<std::streamsize>(count, 0));
    return m_end > 0;
}

int JsonPull::next() {
    for (;; ++m_at) {
        const int c = peek();
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
    }
}

void JsonPull::fail(std::string what) const {
    throw TraceFault{std::move(what), fmt::format("byte {}", taken())};
}

void JsonPull::unexpected() {
    const int c = peek();
    if (c == kEnd)
        fail(taken() == 0
                 ? "the file is empty"
                 : "the file ends in the middle: it was cut off or is still being written");
    fail(fmt::format("not valid JSON at \"{}\"", c >= ' ' && c <= '~'
                                                     ? std::string(1, static_cast<char>(c))
                                                     : fmt::format("<{:02X}>", c)));
}

JsonPull::Kind JsonPull::kind() {
    const int c = next();
    switch (c) {
        case '{':
            return Kind::Object;
        case '[':
            return Kind::Array;
        case '"':
            return Kind::String;
        case kEnd:
            return Kind::End;
        default:
            break;
    }
    if (!isBare(c)) unexpected();
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ? Kind::Number : Kind::Word;
}

void JsonPull::expect(char bracket) {
    if (next() != bracket) unexpected();
    ++m_at;
}

bool JsonPull::nextKey(std::string_view& key) {
    int c = next();
    while (c == ',') {
        ++m_at;
        c = next();
    }
    if (c == '}') {
        ++m_at;
        return false;
    }
    if (c != '"') unexpected();
    key = readText();
    if (m_at < m_end && m_bytes[m_at] == ':') {
        ++m_at;
        return true;
    }
    // Reading on may overwrite the block that contains the key.
    if (key.data() != m_text.data()) {
        m_text = std::string(key);
        key = m_text;
    }
    if (next() != ':') unexpected();
    ++m_at;
    return true;
}

bool JsonPull::nextItem() {
    int c = next();
    while (c == ',') {
        ++m_at;
        c = next();
    }
    if (c != ']') return true;
    ++m_at;
    return false;
}

std::string_view JsonPull::text() {
    if (next() != '"') unexpected();
    return readText();
}

std::string_view JsonPull::readText() {
    ++m_at;
    const std::size_t begin = m_at;
    while (m_at < m_end && m_bytes[m_at] != '"' && m_bytes[m_at] != '\\') ++m_at;
    if (m_at < m_end && m_bytes[m_at] == '"') {
        const std::size_t length = m_at++ - begin;
        return {m_bytes.data() + begin, std::min(length, kLongestText)};
    }
    // The string contains an escape or continues in the next block.
    m_text.assign(m_bytes.data() + begin, m_at - begin);
    for (int c = peek(); c != '"'; c = peek()) {
        if (c == kEnd) unexpected();
        if (c == '\\') {
            ++m_at;
            appendEscape();
        } else {
            const std::size_t from = m_at;
            while (m_at < m_end && m_bytes[m_at] != '"' && m_bytes[m_at] != '\\') ++m_at;
            m_text.append(m_bytes.data() + from, m_at - from);
        }
        if (m_text.size() > kLongestText) {
            m_text.resize(kLongestText);
            skipText();
            return m_text;
        }
    }
    ++m_at;
    return m_text;
}

/// Skips the rest of a string and its closing quote.
void JsonPull::skipText() {
    for (;;) {
        while (m_at < m_end && m_bytes[m_at] != '"' && m_bytes[m_at] != '\\') ++m_at;
        const int c = peek();
        if (c == kEnd) unexpected();
        if (c == '"') {
            ++m_at;
            return;
        }
        if (c == '\\') {
            ++m_at;
            if (peek() == kEnd) unexpected();
            ++m_at;
        }
    }
}

/// Decodes an escape after its backslash, and appends the character.
void JsonPull::appendEscape() {
    const auto hex = [this](std::uint32_t& code) {
        code = 0;
        for (int i = 0; i < 4; ++i) {
            const int c = peek();
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) return false;
            code = code * 16 + static_cast<std::uint32_t>(digit);
            ++m_at;
        }
        return true;
    };
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const int c = peek();
    if (c == kEnd) unexpected();
    ++m_at;
    switch (c) {
        case 'n':
            m_text += '\n';
            return;
        case 't':
            m_text += '\t';
            return;
        case 'r':
        case 'b':
        case 'f':
            m_text += ' ';
            return;
        case 'u':
            break;
        default:  // \" \\ \/ and anything else, since some writers do not escape Windows paths
            if (c != '"' && c != '\\' && c != '/') m_text += '\\';
            m_text += static_cast<char>(c);
            return;
    }
    std::uint32_t code = 0;
    if (!hex(code)) return appendUtf8(m_text, kReplacement);
    if (code >= 0xD800 && code < 0xDC00 && peek() == '\\') {
        ++m_at;
        std::uint32_t low = 0;
        if (peek() != 'u') return appendEscape();
        ++m_at;
        const bool pair = hex(low) && low >= 0xDC00 && low < 0xE000;
        code = pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : kReplacement;
    } else if (code >= 0xD800 && code < 0xE000) {
        code = kReplacement;
    }
    appendUtf8(m_text, code);
}

/// Reads a number or a word.
std::string_view JsonPull::readBare() {
    constexpr std::size_t kLongestNumber = 400;  // a double written out in full
    if (!isBare(next())) unexpected();
    const std::size_t begin = m_at;
    while (m_at < m_end && isBare(static_cast<unsigned char>(m_bytes[m_at]))) ++m_at;
    if (m_at < m_end) return {m_bytes.data() + begin, m_at - begin};
    m_text.assign(m_bytes.data() + begin, m_at - begin);
    for (int c = peek(); isBare(c); c = peek()) {
        if (m_text.size() > kLongestNumber) fail("a number of more than 400 digits");
        m_text += static_cast<char>(c);
        ++m_at;
    }
    return m_text;
}

std::string_view JsonPull::number() {
    const std::string_view text = readBare();
    const bool digits = text.find_first_of("0123456789") != text.npos &&
                        text.find_first_not_of("+-.0123456789eE") == text.npos;
    return digits ? text : std::string_view();
}

void JsonPull::skip() {
    std::bitset<kDeepest> isObject;
    std::size_t depth = 0;
    bool valueNext = true;  // a value must follow, so no closing bracket
    do {
        const int c = next();
        switch (c) {
            case '{':
            case '[':
                if (depth == kDeepest) fail(fmt::format("nested deeper than {}", kDeepest));
                isObject[depth++] = c == '{';
                ++m_at;
                valueNext = false;
                continue;
            case '}':
            case ']':
                if (valueNext || depth == 0 || isObject[depth - 1] != (c == '}')) unexpected();
                --depth;
                ++m_at;
                break;
            case '"':
                ++m_at;
                skipText();
                break;
            case ',':
            case ':':
                if (depth == 0) unexpected();
                ++m_at;
                break;
            default:
                (void)readBare();
        }
        valueNext = false;
    } while (depth > 0);
}

void JsonPull::finish() {
    if (next() != kEnd) unexpected();
}

}  // namespace roofscope::traces
