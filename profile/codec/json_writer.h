// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profile/text/json_stream.h"

/// Writes the JSON of profiles. Internal to profile/.
namespace roofscope::json {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A missing value (nullopt, not finite) is left out together with its key. Texts come from the
/// profiled program and may hold anything.
class Writer {
public:
    explicit Writer(const TextSink& sink) : m_stream(sink, JsonStream::Layout::OneLine) {}

    void open(char bracket) {
        ++m_nodes;
        m_inArray.push_back(bracket == '[');
        m_stream.open(bracket);
    }
    void close(char bracket) {
        m_inArray.pop_back();
        m_stream.close(bracket);
    }
    /// `newLine` starts a new line, so that profiles can be read and compared as text.
    void key(std::string_view name, bool newLine = false) { m_stream.key(quoted(name), newLine); }
    void value(std::string_view text) {
        ++m_nodes;
        m_stream.value(quoted(text));
    }
    void value(bool flag) {
        ++m_nodes;
        m_stream.value(flag ? "true" : "false");
    }
    void value(double number) {
        m_nodes += m_inArray.empty() || !m_inArray.back();
        constexpr double kExact = 9007199254740992.0;  // 2^53: beyond, doubles skip integers
        m_text.clear();
        if (!std::isfinite(number))
            m_text = "null";
        else if (number == 0)
            m_text = std::signbit(number) ? "-0.0" : "0";
        else if (number == std::floor(number) && std::fabs(number) <= kExact)
            fmt::format_to(std::back_inserter(m_text), "{}", static_cast<std::int64_t>(number));
        else
            fmt::format_to(std::back_inserter(m_text), "{}", number);  // shortest that reads back
        m_stream.value(m_text);
    }
    void finish() { m_stream.finish(); }
    /// How many values were written that a reader counts one by one: all but numbers in arrays.
    [[nodiscard]] std::uint64_t nodes() const { return m_nodes; }

    void field(std::string_view name, std::string_view text) { key(name), value(text); }
    void field(std::string_view name, const std::string& text) {
        key(name), value(std::string_view(text));
    }
    void field(std::string_view name, bool flag) { key(name), value(flag); }
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void field(std::string_view name, Number number) {
        if (!std::isfinite(static_cast<double>(number))) return;
        key(name);
        value(static_cast<double>(number));
    }
    template <class T>
    void field(std::string_view name, const std::optional<T>& maybe) {
        if (maybe) field(name, *maybe);
    }
    void field(std::string_view name, const std::vector<std::string>& list) {
        key(name);
        open('[');
        for (const auto& text : list) value(std::string_view(text));
        close(']');
    }

private:
    std::string_view quoted(std::string_view text) {
        m_text.clear();
        appendQuoted(m_text, text);
        return m_text;
    }

    JsonStream m_stream;
    std::string m_text;  ///< buffer for the value being written
    std::vector<bool> m_inArray;
    std::uint64_t m_nodes = 0;
};

/// {"all": v} when every row is the same, else the array.
inline void writeColumn(Writer& writer, std::string_view key, std::span<const double> values,
                        bool alwaysArray = false) {
    const auto same = [&](double v) {
        return (std::isnan(v) && std::isnan(values[0])) ||
               (v == values[0] && std::signbit(v) == std::signbit(values[0]));
    };
    writer.key(key, true);
    const bool constant = std::ranges::all_of(values, same);
    if (constant && !alwaysArray) {
        writer.open('{');
        writer.key("all");
        writer.value(values.empty() ? kMissing : values[0]);
        writer.close('}');
        return;
    }
    writer.open('[');
    for (const double value : values) writer.value(value);
    writer.close(']');
}

}  // namespace roofscope::json
