// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::traces {

/// Thrown by JsonPull and caught where reading ends. Never leaves importer/traces/.
struct TraceFault {
    std::string what, where;  ///< `where` is "byte N"
};

/// Reads JSON of any size piece by piece. The caller asks for what comes next and skips the rest,
/// so memory holds one token and nothing else:
///
///     json.enterObject();
///     while (json.nextKey(key)) key == "ts" ? read(json.number()) : json.skip();
///
/// More lenient than JSON where writers of traces are: commas before a closing bracket, NaN and
/// Infinity as values, control characters and unknown escapes in strings.
class JsonPull {
public:
    enum class Kind { Object, Array, String, Number, Word, End };

    explicit JsonPull(std::streambuf& source);

    /// What the next value is. A minus, a digit and a point begin a number; "-Infinity" is one too.
    [[nodiscard]] Kind kind();
    /// Enters the object or array that comes next; anything else is a fault.
    void enterObject() { expect('{'); }
    void enterArray() { expect('['); }
    /// The next key of the object, valid until the next call; false at its end, which it leaves.
    bool nextKey(std::string_view& key);
    /// Whether the array has another value; false at its end, which it leaves.
    bool nextItem();
    /// The string that comes next, without escapes, valid until the next call. What lies beyond
    /// kLongestText is left out.
    std::string_view text();
    /// The number that comes next as it is written; empty for NaN, Infinity and other words.
    std::string_view number();
    /// Skips a value of any kind. Nesting beyond kDeepest is a fault.
    void skip();
    /// Nothing but white space may follow.
    void finish();

    [[nodiscard]] std::uint64_t taken() const { return m_before + m_at; }
    [[noreturn]] void fail(std::string what) const;

    static constexpr std::size_t kLongestText = std::size_t{1} << 16;
    static constexpr std::size_t kDeepest = 512;

private:
    static constexpr int kEnd = -1;

    /// The next byte without taking it; kEnd at the end.
    int peek() { return m_at < m_end || more() ? static_cast<unsigned char>(m_bytes[m_at]) : kEnd; }
    /// The first byte of the next token.
    int next();
    bool more();
    void expect(char bracket);
    [[noreturn]] void unexpected();
    void skipText();
    /// Reads the string at the opening quote.
    std::string_view readText();
    void appendEscape();
    std::string_view readBare();

    std::streambuf& m_source;
    std::vector<char> m_bytes;  ///< valid up to m_end
    std::uint64_t m_before = 0;
    std::size_t m_at = 0, m_end = 0;
    std::string m_text;  ///< of strings with escapes, or that lie across blocks
};

}  // namespace roofscope::traces
