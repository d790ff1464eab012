// SPDX-License-Identifier: Apache-2.0
#include "gate/located_json.h"

#include <algorithm>
#include <istream>
#include <streambuf>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace roofscope::gate {

namespace {

/// A text as a stream that tells its position while a parser reads from it.
class Source final : public std::streambuf {
public:
    Source(std::string_view text, std::size_t firstLine) : m_text(text), m_line(firstLine) {
        char* begin = const_cast<char*>(text.data());  // only read
        setg(begin, begin, begin + text.size());
    }
    /// The line of the byte that lies `back` bytes before the end of what was read.
    [[nodiscard]] std::size_t line(std::size_t back) {
        const auto taken = static_cast<std::size_t>(gptr() - eback());
        const std::size_t at = taken > back ? taken - back : 0;
        for (; m_seen < at; ++m_seen)
            if (m_text[m_seen] == '\n') ++m_line;
        return m_line;
    }

private:
    std::string_view m_text;
    std::size_t m_line, m_seen = 0;
};

/// Builds the tree from the parser's events. An event returns false to stop; `m_what` says why.
class Builder {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    Builder(Source& source, const JsonLimits& limits) : m_source(source), m_limits(limits) {}

    bool null() { return add({{}, m_source.line(0)}); }
    bool boolean(bool value) { return add({value, m_source.line(0)}); }
    bool number_integer(number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(number_float_t value, const string_t&) { return number(value); }
    bool string(string_t& value) { return add({std::move(value), m_source.line(0)}); }
    bool binary(binary_t&) { return false; }
    bool start_object(std::size_t) { return open({JsonValue::Members{}, m_source.line(0)}); }
    bool start_array(std::size_t) { return open({JsonValue::Items{}, m_source.line(0)}); }
    bool end_array() { return close(); }
    bool key(string_t& name) {
        m_open.back().key = std::move(name);
        m_open.back().keyLine = m_source.line(0);
        return true;
    }
    bool end_object() {
        const auto& members = std::get<JsonValue::Members>(m_open.back().value.value);
        std::vector<std::pair<std::string_view, std::size_t>> keys;
        for (const JsonMember& member : members) keys.emplace_back(member.name, member.line);
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 1; i < keys.size(); ++i)
            if (keys[i].first == keys[i - 1].first)
                return fail(
                    fmt::format("the key \"{}\" appears twice", keys[i].first.substr(0, 80)),
                    keys[i].second);
        return close();
    }
    bool parse_error(std::size_t, const std::string& token,
                     const nlohmann::detail::exception& error) {
        if (error.id == 406) return fail("a number is too large", m_source.line(1));
        if (std::string_view(error.what()).find("UTF-8") != std::string_view::npos)
            return fail("the text is not valid UTF-8", m_source.line(1));
        return fail(fmt::format("not valid JSON near \"{}\"", token.substr(0, 40)),
                    m_source.line(1));
    }

    [[nodiscard]] const std::string& what() const { return m_what; }
    [[nodiscard]] std::size_t line() const { return m_errorLine; }
    [[nodiscard]] JsonValue takeRoot() { return std::move(m_root); }

private:
    struct Open {
        JsonValue value;
        std::string key;
        std::size_t keyLine = 0;
    };

    bool fail(std::string what, std::size_t line) {
        m_what = std::move(what);
        m_errorLine = line;
        return false;
    }
    /// After a number the parser has already read the next character, which tells it that the
    /// number ended.
    bool number(double value) { return add({value, m_source.line(1)}); }
    bool open(JsonValue value) {
        if (m_open.size() >= m_limits.maxDepth)
            return fail(fmt::format("nested deeper than {} levels", m_limits.maxDepth), value.line);
        m_open.push_back({std::move(value), {}, 0});
        return true;
    }
    bool close() {
        JsonValue done = std::move(m_open.back().value);
        m_open.pop_back();
        return add(std::move(done));
    }
    bool add(JsonValue value) {
        if (++m_values > m_limits.maxValues)
            return fail(fmt::format("more than {} values", m_limits.maxValues), value.line);
        if (m_open.empty()) {
            m_root = std::move(value);
            return true;
        }
        Open& open = m_open.back();
        if (auto* members = std::get_if<JsonValue::Members>(&open.value.value))
            members->push_back({std::move(open.key), open.keyLine, std::move(value)});
        else
            std::get<JsonValue::Items>(open.value.value).push_back(std::move(value));
        return true;
    }

    Source& m_source;
    const JsonLimits& m_limits;
    std::vector<Open> m_open;
    JsonValue m_root;
    std::size_t m_values = 0, m_errorLine = 0;
    std::string m_what;
};

}  // namespace

std::string place(std::string_view file, std::size_t line) {
    return fmt::format("{}:{}", file, line);
}

Error badData(std::string_view file, std::size_t line, std::string what, std::string advice) {
    return {.code = ErrorCode::BadData,
            .what = std::move(what),
            .where = place(file, line),
            .advice = std::move(advice)};
}

Result<JsonValue> parseLocatedJson(std::string_view text, std::string_view file,
                                   std::size_t firstLine, const JsonLimits& limits) {
    if (text.size() > limits.maxBytes)
        return badData(file, firstLine, fmt::format("longer than {} bytes", limits.maxBytes));
    // The parser takes NUL for the end of the text and would ignore what follows.
    if (const std::size_t nul = text.find('\0'); nul != text.npos)
        return badData(file,
                       firstLine + static_cast<std::size_t>(
                                       std::count(text.begin(), text.begin() + nul, '\n')),
                       "a NUL character");
    Source source(text, firstLine);
    std::istream stream(&source);
    Builder builder(source, limits);
    if (nlohmann::json::sax_parse(stream, &builder)) return builder.takeRoot();
    return badData(file, std::max(builder.line(), firstLine),
                   builder.what().empty() ? "not valid JSON" : builder.what());
}

}  // namespace roofscope::gate
