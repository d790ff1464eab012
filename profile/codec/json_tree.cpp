// SPDX-License-Identifier: Apache-2.0
#include "profile/codec/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <utility>

namespace roofscope::json {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLong = 1024;  ///< a column whose memory matters

/// Forwards a stream buffer byte by byte to the parser and remembers how many there were.
class Input final : public std::streambuf {
public:
    explicit Input(std::streambuf& input) : m_input(input), m_block(1 << 18) {}
    [[nodiscard]] std::size_t taken() const {
        return m_before + static_cast<std::size_t>(gptr() - eback());
    }
    [[nodiscard]] bool atEnd() const { return m_end; }

    /// Numbers and nulls that come next in a column, moved from the text to `column`: the parser
    /// needs 20 ns for each letter, and large profiles are nothing else. To be called when it has
    /// told of a number and holds the comma behind it. Only what is beyond doubt is taken: values
    /// without blanks, each with a comma and the begin of another value behind it. All else, errors
    /// included, is left to the parser. Returns how many it took. `longest`: other columns' length.
    std::size_t takeNumbers(std::vector<double>& column, std::size_t longest) {
        if (gptr() == eback() || gptr()[-1] != ',') return 0;
        const char *const begin = gptr(), *at = begin;
        m_numbers.clear();
        double value = 0;
        while (const char* const end = numberAt(at, value)) {
            m_numbers.push_back(value);
            at = end + 1;
        }
        m_taken += static_cast<std::size_t>(at - begin);
        gbump(static_cast<int>(at - begin));
        // Long columns of one file are of one length as a rule: to double each again and again
        // would be to fill the memory of two.
        const std::size_t size = column.size() + m_numbers.size();
        if (size > kLong && size <= longest) column.reserve(longest);
        column.insert(column.end(), m_numbers.begin(), m_numbers.end());
        return m_numbers.size();
    }
    /// The same with objects that come next in a list, of which each kernel of a profile is one. To
    /// be called when the parser has told of the end of an object. Taken are those without blanks
    /// whose members are plain texts and small whole numbers. Returns how many values that were, at
    /// most `most`.
    std::size_t takeObjects(Items& list, std::uint64_t most) {
        const char *const begin = gptr(), *at = begin;
        std::size_t values = 0;
        Members members;
        while (const char* const end = objectAt(at, members)) {
            if (values + members.size() + 1 > most) break;
            values += members.size() + 1;
            list.push_back(Node{std::exchange(members, {})});
            at = end;
        }
        m_taken += static_cast<std::size_t>(at - begin);
        gbump(static_cast<int>(at - begin));
        return values;
    }
    /// How many bytes both took.
    [[nodiscard]] std::size_t takenPastParser() const { return m_taken; }

protected:
    int_type underflow() override {
        m_before += static_cast<std::size_t>(egptr() - eback());
        const auto count =
            m_input.sgetn(m_block.data(), static_cast<std::streamsize>(m_block.size()));
        // The parser takes a NUL for the end of the text and would pass over what follows. It
        // stands nowhere in JSON, and neither does this one.
        char* const end = m_block.data() + std::max<std::streamsize>(count, 0);
        for (char* at = m_block.data();
             (at = static_cast<char*>(std::memchr(at, '\0', static_cast<std::size_t>(end - at))));)
            *at = '\1';
        setg(m_block.data(), m_block.data(), end);
        if (count <= 0) {
            m_end = true;
            return traits_type::eof();
        }
        return traits_type::to_int_type(m_block[0]);
    }

private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }

    /// The end of the number or null at `at`; null where it is not all there, nor what follows.
    const char* numberAt(const char* at, double& value) const {
        if (egptr() - at < kLongest) return nullptr;
        const char* end = at;
        if (*at == 'n') {
            if (std::string_view(at, 4) != "null") return nullptr;
            value = kNull;
            end += 4;
        } else {
            const bool negative = *at == '-';
            const char* const digits = at + (negative ? 1 : 0);
            std::int64_t whole = 0;
            for (end = digits; isDigit(*end) && end - digits < 18; ++end)
                whole = 10 * whole + (*end - '0');
            if (end == digits || (*digits == '0' && end - digits > 1)) return nullptr;
            value = static_cast<double>(negative ? -whole : whole);
            if (*end == '.' || *end == 'e' || *end == 'E') {
                const bool fraction = *end == '.';
                if (fraction && !isDigit(end[1])) return nullptr;
                if (const char* const after = fraction ? exactAt(end, whole, value) : nullptr) {
                    if (negative) value = -value;
                    end = after;
                } else {
                    const auto parsed = std::from_chars(at, at + kLongest, value);
                    // A number that is cut by the limit, or is beyond a double, is the parser's.
                    if (parsed.ec != std::errc{} || parsed.ptr <= end + 1) return nullptr;
                    end = parsed.ptr;
                }
            }
        }
        if (egptr() - end < 2 || *end != ',') return nullptr;
        return isDigit(end[1]) || end[1] == '-' || end[1] == 'n' ? end : nullptr;
    }

    /// A number whose digits and whose power of ten are doubles without being rounded, as most are:
    /// then their quotient is the nearest double, in a fraction of the time of from_chars. `whole`
    /// stands before the point. Returns its end, or null where it is no such number.
    static const char* exactAt(const char* point, std::int64_t whole, double& value) {
        constexpr std::int64_t kExact = std::int64_t{1} << 53;
        static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        const char* end = point + 1;
        for (; isDigit(*end) && whole <= kExact / 10 && end - point < std::ssize(kPowers); ++end)
            whole = 10 * whole + (*end - '0');
        if (isDigit(*end) || *end == 'e' || *end == 'E' || whole > kExact) return nullptr;
        value = static_cast<double>(whole) / kPowers[end - point - 1];
        return end;
    }

    /// The closing quote of the plain ASCII text at `at`; null where it is another.
    const char* closingQuote(const char* at) const {
        if (egptr() - at < kLongest || *at != '"') return nullptr;
        for (const char* const end = egptr() - kLongest; ++at < end;)
            if (*at == '"' || *at == '\\' || *at < ' ' || *at > '~')
                return *at == '"' ? at : nullptr;
        return nullptr;
    }

    /// The end of ",{"key":value,…}" at `at`, whose members it adds; null where it is another.
    const char* objectAt(const char* at, Members& members) const {
        constexpr std::size_t kMostMembers = 32;
        members.clear();
        if (egptr() - at < kLongest || *at++ != ',' || *at != '{') return nullptr;
        while (*at != '}') {
            if (members.size() == kMostMembers) return nullptr;
            const char* const key = ++at;
            at = closingQuote(key);
            if (!at || at[1] != ':') return nullptr;
            const std::string_view name(key + 1, at);
            if (std::ranges::find(members, name, &Member::name) != members.end()) return nullptr;
            const char* const value = at + 2;
            if (const char* const quote = closingQuote(value)) {
                members.push_back({std::string(name), Node{std::string(value + 1, quote)}});
                at = quote + 1;
            } else {
                std::int64_t whole = 0;
                for (at = value; isDigit(*at) && at - value < 15; ++at)
                    whole = 10 * whole + (*at - '0');
                if (at == value || (*value == '0' && at - value > 1)) return nullptr;
                members.push_back({std::string(name), Node{static_cast<double>(whole)}});
            }
            if (*at != ',' && *at != '}') return nullptr;
        }
        return at + 1;
    }

    static constexpr std::ptrdiff_t kLongest = 32;  ///< a number, and what is behind a text
    std::streambuf& m_input;
    std::vector<char> m_block;
    std::vector<double> m_numbers;  ///< of one call of takeNumbers()
    std::size_t m_before = 0, m_taken = 0;
    bool m_end = false;
};

/// Builds a Node from the events of nlohmann's parser. Every event returns false to stop; `m_error`
/// then says why.
class Builder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    Builder(const ReadLimits& limits, Input& input) : m_limits(limits), m_input(input) {}

    bool null() { return number(kNull, Node{}); }
    bool boolean(bool value) { return add(Node{value}); }
    bool number_integer(number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(number_float_t value, const string_t&) { return number(value); }
    bool string(string_t& value) { return add(Node{std::move(value)}); }
    bool binary(binary_t&) { return false; }

    bool start_object(std::size_t) { return open(Node{Members{}}); }
    bool start_array(std::size_t) { return open(Node{Numbers{}}); }
    bool key(string_t& name) {
        m_open.back().key = std::move(name);
        return true;
    }
    bool end_object() {
        const auto& members = std::get<Members>(m_open.back().node.value);
        std::vector<std::string_view> keys;
        keys.reserve(members.size());
        for (const auto& member : members) keys.push_back(member.name);
        std::ranges::sort(keys);
        if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) {
            return fail(
                fmt::format("the key \"{}\" appears twice in one object", twice->substr(0, 80)),
                pointer());
        }
        if (!close()) return false;
        if (m_open.empty()) return true;
        if (auto* const list = std::get_if<Items>(&m_open.back().node.value))
            m_nodes += m_input.takeObjects(*list, m_limits.maxNodes - m_nodes);
        return true;
    }
    bool end_array() {
        // Columns grow by doubling: what long ones have too much would be nearly half of all.
        auto* const column = std::get_if<Numbers>(&m_open.back().node.value);
        if (column && column->size() > kLong) column->shrink_to_fit();
        if (column) m_longest = std::max(m_longest, column->size());
        return close();
    }

    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) {
        m_position = position + m_input.takenPastParser();
        if (error.id == 406)
            return fail(fmt::format("the number {} is too large", shortened(token)));
        if (std::string_view(error.what()).find("UTF-8") != std::string_view::npos) {
            return fail("the text is not valid UTF-8");
        }
        std::string what = fmt::format("not valid JSON near \"{}\"", shortened(token));
        // The parser stops at the first letter of a literal that JSON does not have.
        if (!token.empty() && (token.back() == 'N' || token.back() == 'I')) {
            what += "; NaN and Infinity are not numbers in JSON, a missing value is null";
        }
        return fail(std::move(what));
    }

    [[nodiscard]] const Error& error() const { return m_error; }
    [[nodiscard]] bool hasRoot() const { return m_hasRoot; }
    [[nodiscard]] bool failedBySyntax() const { return m_position.has_value(); }
    /// 1-based count of the bytes read when the parser gave up.
    [[nodiscard]] std::size_t position() const { return m_position.value_or(0); }
    [[nodiscard]] Node takeRoot() { return std::move(m_root); }

private:
    struct Open {
        Node node;
        std::string key;  ///< objects: the key whose value comes next
    };

    static std::string shortened(const std::string& token) {
        return token.size() <= 40 ? token : token.substr(0, 40) + "…";
    }

    bool fail(std::string what, std::string where = {}) {
        m_error = {.code = ErrorCode::BadData, .what = std::move(what), .where = std::move(where)};
        return false;
    }

    /// JSON pointer of the innermost open container.
    [[nodiscard]] std::string pointer() const {
        std::string text;
        for (std::size_t i = 0; i + 1 < m_open.size(); ++i) {
            const Open& open = m_open[i];
            if (const auto* items = open.node.as<Items>()) {
                text += fmt::format("/{}", items->size());
            } else if (const auto* numbers = open.node.as<Numbers>()) {
                text += fmt::format("/{}", numbers->size());
            } else {
                text += "/" + open.key.substr(0, 80);
            }
        }
        return text.empty() ? "/" : text;
    }

    /// Of counters, and of the columns of launches and of the timeline.
    bool countNumbers(std::size_t more) {
        constexpr std::uint64_t kColumns = 32;
        const std::uint64_t most = m_limits.maxCells + kColumns * m_limits.maxLaunches;
        m_numbers += more;
        return m_numbers <= most || fail(fmt::format("more than {} numbers", most));
    }

    bool number(double value) { return number(value, Node{value}); }
    /// A number or null: into the column when it is in one.
    bool number(double value, Node node) {
        if (!m_open.empty()) {
            if (auto* numbers = std::get_if<Numbers>(&m_open.back().node.value)) {
                numbers->push_back(value);
                return countNumbers(1 + m_input.takeNumbers(*numbers, m_longest));
            }
        }
        return add(std::move(node));
    }

    bool open(Node node) {
        if (static_cast<int>(m_open.size()) >= m_limits.maxDepth) {
            return fail(fmt::format("nested deeper than {} levels", m_limits.maxDepth));
        }
        m_open.push_back({std::move(node), {}});
        return true;
    }

    bool close() {
        Node done = std::move(m_open.back().node);
        m_open.pop_back();
        return add(std::move(done));
    }

    bool add(Node node) {
        if (++m_nodes > m_limits.maxNodes) {
            return fail(fmt::format("more than {} values", m_limits.maxNodes));
        }
        if (m_open.empty()) {
            m_root = std::move(node);
            m_hasRoot = true;
            return true;
        }
        Open& open = m_open.back();
        if (auto* members = std::get_if<Members>(&open.node.value)) {
            members->push_back({std::move(open.key), std::move(node)});
            return true;
        }
        if (const auto* numbers = open.node.as<Numbers>()) {
            // Not a column after all: the numbers so far become ordinary values.
            m_nodes += numbers->size();
            if (m_nodes > m_limits.maxNodes) {
                return fail(fmt::format("more than {} values", m_limits.maxNodes));
            }
            Items items;
            items.reserve(numbers->size() + 1);
            for (const double value : *numbers) {
                items.push_back(std::isnan(value) ? Node{} : Node{value});
            }
            open.node.value = std::move(items);
        }
        std::get<Items>(open.node.value).push_back(std::move(node));
        return true;
    }

    const ReadLimits& m_limits;
    Input& m_input;
    std::vector<Open> m_open;
    Node m_root;
    bool m_hasRoot = false;
    std::uint64_t m_nodes = 0, m_numbers = 0;
    std::size_t m_longest = 0;  ///< of the columns so far
    std::optional<std::size_t> m_position;
    Error m_error;
};

Error finish(Builder& builder, std::size_t bytesRead, bool atEnd) {
    Error error = builder.error();
    if (builder.failedBySyntax()) {
        // The parser counts the end of the input as one more byte.
        const std::size_t at = builder.position() == 0 ? 0 : builder.position() - 1;
        if (atEnd && at >= bytesRead) {
            error.what = bytesRead == 0 ? "the file is empty"
                                        : "the file ends in the middle: it was cut off or is still "
                                          "being written";
            error.where = fmt::format("byte {}", bytesRead);
        } else {
            error.where = fmt::format("byte {}", at);
        }
    } else if (error.where.empty()) {
        error.where = fmt::format("byte {}", bytesRead);
    }
    if (error.what.empty()) error.what = "not valid JSON";
    return error;
}

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
    Input counting(input);
    Builder builder(limits, counting);
    std::istream stream(&counting);
    if (nlohmann::json::sax_parse(stream, &builder) && builder.hasRoot()) return builder.takeRoot();
    return finish(builder, counting.taken(), counting.atEnd());
}

}  // namespace roofscope::json
