// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope::traces {

/// Thrown by JsonPull and caught inside importer/traces/.
struct TraceFault {
    std::string what, where;  ///< `where` is "byte N"
};

/// Reads JSON of any size as a stream. The caller asks for the next item and skips what it does not
/// need, so only one token is in memory:
///
///     json.enterObject();
///     while (json.nextKey(key)) key == "ts" ? read(json.number()) : json.skip();
///
/// Accepts more than JSON where writers of traces do: commas before a closing bracket, NaN and
/// Infinity as values, control characters and unknown escapes in strings.
class JsonPull {
public:
    enum class Kind { Object, Array, String, Number, Word, End };

    explicit JsonPull(std::streambuf& source);

    /// The kind of the next value. A number begins with a minus, digit or point; "-Infinity" is
    /// one, too.
    [[nodiscard]] Kind kind();
    /// Enters the next object or array; any other value is a fault.
    void enterObject() { expect('{'); }
    void enterArray() { expect('['); }
    /// The next key of the object, valid until the next call. At the end of the object leaves it
    /// and returns false.
    bool nextKey(std::string_view& key);
    /// Whether the array has another value. At the end of the array leaves it and returns false.
    bool nextItem();
    /// The next string, unescaped, valid until the next call. Text beyond kLongestText is cut off.
    std::string_view text();
    /// The text of the next number; empty for NaN, Infinity and other words.
    std::string_view number();
    /// Skips a value of any kind. Nesting beyond kDeepest is a fault.
    void skip();
    /// Checks that only white space follows.
    void finish();

    [[nodiscard]] std::uint64_t taken() const { return m_before + m_at; }
    [[noreturn]] void fail(std::string what) const;

    static constexpr std::size_t kLongestText = std::size_t{1} << 16;
    static constexpr std::size_t kDeepest = 512;

private:
    static constexpr int kEnd = -1;

    /// The next byte, which is not consumed; kEnd at the end.
    int peek() { return m_at < m_end || more() ? static_cast<unsigned char>(m_bytes[m_at]) : kEnd; }
    /// Skips white space and returns the first byte of the next token.
    int next();
    bool more();
    void expect(char bracket);
    [[noreturn]] void unexpected();
    void skipText();
    /// Reads a string from its opening quote on.
    std::string_view readText();
    void appendEscape();
    std::string_view readBare();

    std::streambuf& m_source;
    std::vector<char> m_bytes;  ///< valid up to m_end
    std::uint64_t m_before = 0;
    std::size_t m_at = 0, m_end = 0;
    std::string m_text;  ///< holds strings that contain escapes or cross blocks
};

}  // namespace roofscope::traces
