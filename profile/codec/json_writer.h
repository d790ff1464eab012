// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Writes JSON as profiles have it. Internal to profile/.
namespace roofscope::json {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Appends JSON to a string. A value that is not there (nullopt, not finite) is left out with its
/// key: missing is missing.
class Writer {
public:
    explicit Writer(std::string& out) : m_out(out) {}

    void open(char bracket) {
        separate();
        m_out += bracket;
        m_first = true;
    }
    void close(char bracket) {
        m_out += bracket;
        m_first = false;
    }
    /// Starts a line of its own, so that profiles can be looked at and compared as text.
    void key(std::string_view name, bool newLine = false) {
        separate();
        if (newLine) m_out += '\n';
        quote(name);
        m_out += ':';
        m_first = true;  // no comma before the value
    }
    void value(std::string_view text) {
        separate();
        quote(text);
    }
    void value(bool flag) {
        separate();
        m_out += flag ? "true" : "false";
    }
    void value(double number) {
        separate();
        appendNumber(number);
    }

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

    void appendNumber(double number) {
        if (!std::isfinite(number)) {
            m_out += "null";
        } else if (number == std::floor(number) && std::fabs(number) <= 9007199254740992.0 &&
                   !(number == 0 && std::signbit(number))) {
            fmt::format_to(std::back_inserter(m_out), "{}", static_cast<std::int64_t>(number));
        } else if (number == 0) {
            m_out += "-0.0";
        } else {
            fmt::format_to(std::back_inserter(m_out), "{}", number);  // shortest that reads back
        }
    }
    [[nodiscard]] std::string& out() { return m_out; }

private:
    void separate() {
        if (!m_first) m_out += ',';
        m_first = false;
    }
    void quote(std::string_view text) {
        // Names come from the profiled program: bytes that are not UTF-8 become U+FFFD.
        m_out +=
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

    std::string& m_out;
    bool m_first = true;
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
