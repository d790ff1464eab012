// SPDX-License-Identifier: Apache-2.0
#include "reports/document/tokens.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace roofscope {

namespace {

// A tokenizer first splits text into words, numbers of at most three digits, runs of punctuation
// and blanks, and never joins across these splits. So numbers, of which reports are full, cost far
// more per byte than words: " 16.2 %" is five tokens.

/// A word of prose is one token; longer ones are often compounds.
constexpr double kWordLength = 7, kPerLetter = 0.12;
/// Letters per token in upper-case abbreviations ("DRAM", "FLOP").
constexpr double kCapitals = 3;
/// Tokens per further mark of a run ("**:", ")."); many pairs are one token.
constexpr double kFurtherMark = 0.5;
/// Tokens per Chinese character; frequent pairs are one token.
constexpr double kIdeograph = 0.7;

enum class Kind : std::uint8_t { Lower, Upper, Digit, Mark, Blank, Newline, Ideograph };

struct Character {
    Kind kind = Kind::Mark;
    std::size_t bytes = 1;
};

Character next(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text.front());
    if (byte < 0x80) {
        const char c = text.front();
        if (c >= 'a' && c <= 'z') return {Kind::Lower};
        if (c >= 'A' && c <= 'Z') return {Kind::Upper};
        if (c >= '0' && c <= '9') return {Kind::Digit};
        if (c == '\n' || c == '\r') return {Kind::Newline};
        return {c == ' ' || c == '\t' ? Kind::Blank : Kind::Mark};
    }
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    const std::size_t bytes = std::min(length, text.size());
    std::uint32_t point = byte & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < bytes; ++i)
        point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    constexpr std::uint32_t kMicro = 0xB5, kFirstLetter = 0xC0, kLastLetter = 0x2C0;
    constexpr std::uint32_t kIdeographs = 0x3040, kLastIdeograph = 0xD7FF;
    if (point == kMicro || (point >= kFirstLetter && point < kLastLetter && point != 0xD7))
        return {Kind::Lower, bytes};
    if (point >= kIdeographs && point <= kLastIdeograph) return {Kind::Ideograph, bytes};
    return {Kind::Mark, bytes};
}

class Counter {
public:
    explicit Counter(std::string_view text) : m_text(text) {}

    double run() {
        while (!m_text.empty()) {
            const Character first = next(m_text);
            const std::size_t length = stretch(first.kind);
            switch (first.kind) {
                case Kind::Upper:
                    // "Threads": an initial capital belongs to the word.
                    if (length == 1 && !m_text.empty() && next(m_text).kind == Kind::Lower)
                        word(1 + stretch(Kind::Lower));
                    else
                        m_tokens += std::max(1.0, static_cast<double>(length) / kCapitals);
                    break;
                case Kind::Lower:
                    word(length);
                    break;
                case Kind::Digit:
                    m_tokens += std::ceil(static_cast<double>(length) / 3);
                    break;
                case Kind::Mark:
                    marks(length);
                    break;
                case Kind::Blank:
                    // A single blank before a word or a mark belongs to it.
                    if (length > 1 || m_text.empty() || next(m_text).kind == Kind::Digit ||
                        next(m_text).kind == Kind::Newline)
                        m_tokens += 1;
                    break;
                case Kind::Newline:
                    m_tokens += 1;
                    break;
                case Kind::Ideograph:
                    m_tokens += std::max(1.0, kIdeograph * static_cast<double>(length));
                    break;
            }
        }
        return m_tokens;
    }

private:
    /// Removes the leading characters of one kind and returns their number.
    std::size_t stretch(Kind kind) {
        std::size_t length = 0;
        while (!m_text.empty()) {
            const Character character = next(m_text);
            if (character.kind != kind) break;
            m_text.remove_prefix(character.bytes);
            ++length;
        }
        return length;
    }
    void word(std::size_t letters) {
        m_tokens += 1 + std::max(0.0, static_cast<double>(letters) - kWordLength) * kPerLetter;
    }
    void marks(std::size_t length) {
        // A single mark before a word ("_op", "/path") belongs to it.
        const bool inWord = length == 1 && !m_text.empty() && next(m_text).kind <= Kind::Upper;
        if (!inWord) m_tokens += 1 + kFurtherMark * static_cast<double>(length - 1);
    }

    std::string_view m_text;
    double m_tokens = 0;
};

}  // namespace

std::size_t estimateTokens(std::string_view text) {
    return static_cast<std::size_t>(std::ceil(Counter(text).run()));
}

}  // namespace roofscope
