// SPDX-License-Identifier: Apache-2.0
#include "profile/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>

namespace roofscope::json {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();

/// Builds a Node from the events of nlohmann's parser. Every event returns false to stop; `m_error`
/// then says why.
class Builder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    explicit Builder(const ReadLimits& limits) : m_limits(limits) {}

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
        return close();
    }
    bool end_array() { return close(); }

    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) {
        m_position = position;
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

    bool number(double value) { return number(value, Node{value}); }
    /// A number or null: into the column when it is in one.
    bool number(double value, Node node) {
        if (!m_open.empty()) {
            if (auto* numbers = std::get_if<Numbers>(&m_open.back().node.value)) {
                numbers->push_back(value);
                return true;
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
    std::vector<Open> m_open;
    Node m_root;
    bool m_hasRoot = false;
    std::uint64_t m_nodes = 0;
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

/// Forwards a stream buffer byte by byte and remembers how many there were.
class CountingBuffer final : public std::streambuf {
public:
    explicit CountingBuffer(std::streambuf& input) : m_input(input), m_block(1 << 16) {}
    [[nodiscard]] std::size_t taken() const {
        return m_before + static_cast<std::size_t>(gptr() - eback());
    }
    [[nodiscard]] bool atEnd() const { return m_end; }

protected:
    int_type underflow() override {
        m_before += static_cast<std::size_t>(egptr() - eback());
        const auto count =
            m_input.sgetn(m_block.data(), static_cast<std::streamsize>(m_block.size()));
        // The parser takes a NUL for the end of the text and would pass over what follows. It
        // stands nowhere in JSON, and neither does this one.
        std::replace(m_block.begin(), m_block.begin() + std::max<std::streamsize>(count, 0), '\0',
                     '\1');
        setg(m_block.data(), m_block.data(), m_block.data() + std::max<std::streamsize>(count, 0));
        if (count <= 0) {
            m_end = true;
            return traits_type::eof();
        }
        return traits_type::to_int_type(m_block[0]);
    }

private:
    std::streambuf& m_input;
    std::vector<char> m_block;
    std::size_t m_before = 0;
    bool m_end = false;
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
    Builder builder(limits);
    CountingBuffer counting(input);
    std::istream stream(&counting);
    if (nlohmann::json::sax_parse(stream, &builder) && builder.hasRoot()) return builder.takeRoot();
    return finish(builder, counting.taken(), counting.atEnd());
}

}  // namespace roofscope::json
