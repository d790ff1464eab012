// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <streambuf>
#include <utility>

#include "profile/text/utf8.h"

namespace roofscope::json {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
constexpr int kEnd = -1;  ///< returned instead of a byte

bool isDigit(int c) { return c >= '0' && c <= '9'; }

/// A character that needs no decoding and no check inside a string.
bool isPlain(char c) { return c >= ' ' && c != '"' && c != '\\'; }

/// Thrown inside the parser. `where` is a JSON pointer or "byte N".
struct Failure {
    std::string what, where;
};

/// Reads the text in blocks. Bytes after the mark stay contiguous, so that a token is in one piece.
class Input {
public:
    explicit Input(std::streambuf& source) : m_source(source), m_bytes(kBlock) {}

    /// The next byte without taking it; kEnd at the end.
    int peek() { return m_at < m_end || more() ? static_cast<unsigned char>(m_bytes[m_at]) : kEnd; }
    void skip() { ++m_at; }
    void mark() { m_mark = m_at; }
    [[nodiscard]] std::string_view sinceMark() const {
        return {m_bytes.data() + m_mark, m_at - m_mark};
    }
    /// The part of the rest that is in memory; empty only at the end.
    [[nodiscard]] std::string_view rest() {
        (void)peek();
        return {m_bytes.data() + m_at, m_end - m_at};
    }
    void skip(std::size_t count) { m_at += count; }
    /// The offset of the next byte.
    [[nodiscard]] std::size_t taken() const { return m_before + m_at; }

private:
    bool more() {
        const std::size_t kept = m_end - m_mark;
        std::memmove(m_bytes.data(), m_bytes.data() + m_mark, kept);
        m_before += m_mark;
        m_at -= std::exchange(m_mark, 0);
        if (kept > m_bytes.size() / 2) m_bytes.resize(2 * m_bytes.size());
        const auto count = m_source.sgetn(m_bytes.data() + kept,
                                          static_cast<std::streamsize>(m_bytes.size() - kept));
        m_end = kept + static_cast<std::size_t>(std::max<std::streamsize>(count, 0));
        return m_at < m_end;
    }

    static constexpr std::size_t kBlock = 1 << 18;
    std::streambuf& m_source;
    std::vector<char> m_bytes;  ///< valid up to m_end
    std::size_t m_before = 0, m_mark = 0, m_at = 0, m_end = 0;
};

/// A recursive-descent parser with a depth limit. Throws Failure.
class Parser {
public:
    Parser(std::streambuf& source, const ReadLimits& limits) : m_in(source), m_limits(limits) {}

    Node document() {
        for (const char c : {'\xEF', '\xBB', '\xBF'})  // a byte order mark
            if (m_in.peek() == static_cast<unsigned char>(c)) m_in.skip();
        Node root = value(next(), 0);
        if (next() != kEnd) unexpected();
        return root;
    }
    [[nodiscard]] std::size_t taken() const { return m_in.taken(); }

private:
    /// Skips blanks, sets the mark at the next token and returns its first byte.
    int next() {
        for (;; m_in.skip()) {
            m_in.mark();
            const int c = m_in.peek();
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
        }
    }
    /// Fails: the token that begins at the mark is wrong at the next byte.
    [[noreturn]] void unexpected() {
        constexpr std::size_t kShown = 40;
        const std::size_t at = m_in.taken();
        if (m_in.peek() == kEnd)
            throw Failure{at == 0 ? "the file is empty"
                                  : "the file ends in the middle: it was cut off or is still being "
                                    "written",
                          byte(at)};
        m_in.skip();
        const bool word = m_in.sinceMark().find_first_not_of("+-.0123456789") == 0;
        while (word && std::isalpha(m_in.peek()) != 0) m_in.skip();
        std::string token;
        for (const char c : m_in.sinceMark().substr(0, kShown))
            token += c >= ' ' && c <= '~' ? std::string(1, c)
                                          : fmt::format("<{:02X}>", static_cast<unsigned char>(c));
        std::string what = fmt::format("not valid JSON near \"{}{}\"", token,
                                       m_in.sinceMark().size() > kShown ? "…" : "");
        if (token.starts_with("N") || token.starts_with("I") || token.starts_with("-I"))
            what += "; NaN and Infinity are not numbers in JSON, a missing value is null";
        throw Failure{std::move(what), byte(at)};
    }
    static std::string byte(std::size_t at) { return fmt::format("byte {}", at); }
    [[noreturn]] void fail(std::string what) { throw Failure{std::move(what), byte(taken())}; }

    /// Skips `c`, which must be next after blanks.
    void expect(int c) {
        if (next() != c) unexpected();
        m_in.skip();
    }
    void countNodes(std::size_t more) {
        m_nodes += more;
        if (m_nodes > m_limits.maxNodes)
            fail(fmt::format("more than {} values", m_limits.maxNodes));
    }
    /// Counts a number of an array. The limit leaves room for counters and for the columns of the
    /// launches and the timeline.
    void countNumber() {
        constexpr std::uint64_t kColumns = 32;
        const std::uint64_t most = m_limits.maxCells + kColumns * m_limits.maxLaunches;
        if (++m_numbers > most) fail(fmt::format("more than {} numbers", most));
    }

    /// The value whose first byte is `c`, nested `depth` levels deep.
    Node value(int c, int depth) {
        countNodes(1);
        switch (c) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return Node{string()};
            case 't':
                word("true");
                return Node{true};
            case 'f':
                word("false");
                return Node{false};
            case 'n':
                word("null");
                return Node{};
            default:
                return Node{number(c)};
        }
    }

    void word(std::string_view expected) {
        for (const char c : expected) {
            if (m_in.peek() != c) unexpected();
            m_in.skip();
        }
    }

    double number(int c) {
        const bool negative = c == '-';
        if (negative) m_in.skip();
        const std::size_t first = m_in.taken();
        constexpr std::size_t kExact = 18;  // this many digits fit into int64_t
        std::int64_t whole = 0;
        const auto digits = [&](bool counted) {
            if (!isDigit(m_in.peek())) unexpected();
            for (std::size_t i = 0; isDigit(c = m_in.peek()); ++i, m_in.skip())
                if (counted && i < kExact) whole = 10 * whole + (c - '0');
        };
        if ((c = m_in.peek()) == '0') {
            m_in.skip();
            c = m_in.peek();
        } else {
            digits(true);
        }
        const bool integer = c != '.' && c != 'e' && c != 'E';
        // "-0" is the integer 0; only "-0.0" is negative zero.
        if (integer && m_in.taken() - first <= kExact)
            return static_cast<double>(negative ? -whole : whole);
        if (c == '.') {
            m_in.skip();
            digits(false);
        }
        if (c == 'e' || c == 'E') {
            m_in.skip();
            if (c = m_in.peek(); c == '+' || c == '-') m_in.skip();
            digits(false);
        }
        return parsed(m_in.sinceMark());
    }
    /// The nearest double of a valid number.
    double parsed(std::string_view text) {
        double number = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{})
            return number;
        number = std::strtod(std::string(text).c_str(), nullptr);  // close to 0 or too large
        if (std::isinf(number))
            fail(fmt::format("the number {}{} is too large", text.substr(0, 40),
                             text.size() > 40 ? "…" : ""));
        return number;
    }

    std::string string() {
        m_in.skip();
        m_in.mark();
        std::string text;
        for (;;) {
            const std::string_view rest = m_in.rest();
            const auto plain =
                static_cast<std::size_t>(std::ranges::find_if_not(rest, isPlain) - rest.begin());
            text.append(rest, 0, plain);
            m_in.skip(plain);
            m_in.mark();
            switch (const int c = m_in.peek()) {
                case '"':
                    m_in.skip();
                    return text;
                case '\\':
                    escape(text);
                    break;
                default:
                    if (c < 0x80) {
                        if (c != kEnd && c >= ' ') break;  // the next block
                        unexpected();
                    }
                    multiByteCharacter(text);
            }
        }
    }
    /// Reads one multi-byte UTF-8 character.
    void multiByteCharacter(std::string& text) {
        const int lead = m_in.peek();
        for (int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2; length > 0; --length) {
            if (m_in.peek() == kEnd) unexpected();
            m_in.skip();
        }
        std::size_t end = 0;
        if (!utf8::next(m_in.sinceMark(), end) || end != m_in.sinceMark().size())
            throw Failure{"the text is not valid UTF-8", byte(taken() - m_in.sinceMark().size())};
        text += m_in.sinceMark();
    }
    void escape(std::string& text) {
        constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        m_in.skip();
        const int c = m_in.peek();
        if (c == 'u') {
            char32_t unit = codeUnit();
            const auto isHigh = [](char32_t u) { return u >= 0xD800 && u < 0xDC00; };
            if (isHigh(unit)) {
                if (m_in.peek() != '\\') unexpected();
                m_in.skip();
                const char32_t low = codeUnit();
                if (low < 0xDC00 || low > 0xDFFF) fail("not valid JSON: half a surrogate pair");
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
                fail("not valid JSON: half a surrogate pair");
            }
            return utf8::append(text, unit);
        }
        const auto known = kShort.find(static_cast<char>(c));
        if (c == kEnd || known == kShort.npos) unexpected();
        m_in.skip();
        text += kMeant[known];
    }
    /// The code unit of "uXXXX".
    char32_t codeUnit() {
        if (m_in.peek() != 'u') unexpected();
        m_in.skip();
        char32_t unit = 0;
        for (int i = 0; i < 4; ++i) {
            const int c = m_in.peek();
            const int letter = c | 0x20;
            if (!isDigit(c) && (letter < 'a' || letter > 'f')) unexpected();
            unit = 16 * unit + static_cast<char32_t>(isDigit(c) ? c - '0' : letter - 'a' + 10);
            m_in.skip();
        }
        return unit;
    }

    /// Skips an opening bracket. Returns true if `close` follows at once, which it skips too.
    bool opensEmpty(int depth, int close) {
        m_in.skip();
        if (depth >= m_limits.maxDepth)
            fail(fmt::format("nested deeper than {} levels", m_limits.maxDepth));
        if (next() != close) return false;
        m_in.skip();
        return true;
    }
    /// Skips a comma and returns true, or skips the closing bracket and returns false.
    bool another(int close) {
        const int c = next();
        if (c != ',' && c != close) unexpected();
        m_in.skip();
        return c == ',';
    }

    Node object(int depth) {
        Members members;
        if (opensEmpty(depth, '}')) return Node{std::move(members)};
        do {
            if (next() != '"') unexpected();
            std::string name = string();
            expect(':');
            members.push_back({std::move(name), Node{}});
            below(members.back().name, [&] { members.back().value = value(next(), depth + 1); });
        } while (another('}'));
        checkKeys(members);
        return Node{std::move(members)};
    }
    static void checkKeys(const Members& members) {
        std::vector<std::string_view> keys;
        keys.reserve(members.size());
        for (const Member& member : members) keys.push_back(member.name);
        std::ranges::sort(keys);
        if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
            throw Failure{
                fmt::format("the key \"{}\" appears twice in one object", twice->substr(0, 80)),
                "/"};
    }

    /// A column of numbers and nulls, or a list of anything.
    Node array(int depth) {
        if (opensEmpty(depth, ']')) return Node{Numbers{}};
        // Collect in a member that keeps its memory: a fresh vector per column would grow to twice
        // the memory.
        m_column.clear();
        do {
            const int c = next();
            if (c == 'n') {
                word("null");
                m_column.push_back(kNull);
            } else if (isDigit(c) || c == '-') {
                m_column.push_back(number(c));
            } else {
                return list(c, depth);
            }
            countNumber();
        } while (another(']'));
        return Node{Numbers(m_column.begin(), m_column.end())};
    }
    /// Not a pure column: the numbers so far become ordinary values. `c` begins the next value.
    Node list(int c, int depth) {
        countNodes(m_column.size());
        Items items;
        items.reserve(m_column.size() + 1);
        for (const double number : m_column) {
            Node& item = items.emplace_back();
            if (!std::isnan(number)) item.value = number;
        }
        for (;;) {
            below(std::to_string(items.size()),
                  [&] { items.emplace_back() = value(c, depth + 1); });
            if (!another(']')) return Node{std::move(items)};
            c = next();
        }
    }
    /// Runs `read` for the value under a key and adds the key to the pointer of a failure.
    void below(std::string_view key, auto read) {
        try {
            read();
        } catch (Failure& failure) {
            if (failure.where.starts_with('/'))
                failure.where = fmt::format("/{}{}", key.substr(0, 80),
                                            failure.where == "/" ? "" : failure.where);
            throw;
        }
    }

    Input m_in;
    const ReadLimits& m_limits;
    Numbers m_column;  ///< numbers of the innermost array
    std::uint64_t m_nodes = 0, m_numbers = 0;
};

}  // namespace

const char* Node::typeName() const {
    constexpr const char* kNames[] = {"null",     "true or false",       "a number",
                                      "a text",   "an array of numbers", "an array",
                                      "an object"};
    return kNames[value.index()];
}

Result<Node> parse(std::string_view text, const ReadLimits& limits) {
    struct Memory final : std::streambuf {
        explicit Memory(std::string_view t) {
            char* begin = const_cast<char*>(t.data());  // only read
            setg(begin, begin, begin + t.size());
        }
    } memory(text);
    return parse(memory, limits);
}

Result<Node> parse(std::streambuf& input, const ReadLimits& limits) {
    Parser parser(input, limits);
    try {
        return parser.document();
    } catch (Failure& failure) {
        return Error{.code = ErrorCode::BadData,
                     .what = std::move(failure.what),
                     .where = std::move(failure.where),
                     .advice = ""};
    }
}

}  // namespace roofscope::json
