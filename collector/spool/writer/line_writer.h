// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/severity.h"

/// Writes records as lines of a spool. Writes text directly, without building JSON values, because
/// programs launch ten thousand times a second.
namespace roofscope::spool {

/// Appends values to a text.
class TextWriter {
public:
    explicit TextWriter(std::string& out) : m_out(out) {}

    void put(bool flag) { m_out += flag ? "true" : "false"; }
    template <std::integral Number>
    void put(Number number) {
        const fmt::format_int text(number);
        m_out.append(text.data(), text.size());
    }
    void put(double number) {
        if (std::isfinite(number))
            // Shortest text that reads back as the same number.
            fmt::format_to(std::back_inserter(m_out), "{}", number);
        else
            m_out += "null";
    }
    void put(const Hertz& rate) { put(rate.value); }
    void put(std::chrono::nanoseconds time) { put(time.count()); }
    void put(Severity severity) { put(nameOf(severity)); }
    void put(std::string_view text) {
        const auto plain = [](unsigned char c) {
            return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
        };
        if (std::ranges::all_of(text, plain)) {
            m_out += '"';
            m_out += text;
            m_out += '"';
            return;
        }
        // Names come from the profiled program: bytes that are not UTF-8 become U+FFFD.
        m_out +=
            nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    void put(const std::string& text) { put(std::string_view(text)); }
    template <class T>
    void put(const std::optional<T>& maybe) {
        if (maybe)
            put(*maybe);
        else
            m_out += "null";
    }
    template <class T>
    void put(const std::vector<T>& list) {
        put(std::span<const T>(list));
    }
    template <class T>
    void put(std::span<const T> list) {
        m_out += '[';
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0) m_out += ',';
            put(list[i]);
        }
        m_out += ']';
    }
    void put(const std::map<std::string, double>& map);
    /// Part of a record: an array of its elements, or an object of its fields.
    template <class Part>
    requires std::is_class_v<Part>
    void put(const Part& part);

protected:
    std::string& m_out;
};

/// Appends an object with the fields of a record.
class ObjectWriter : public TextWriter {
public:
    explicit ObjectWriter(std::string& out) : TextWriter(out) { m_out += '{'; }
    /// Starts a line of this type.
    ObjectWriter(std::string& out, std::string_view type) : ObjectWriter(out) {
        (*this)("t", type);
    }
    void close() { m_out += '}'; }

    template <class T>
    void operator()(const char* key, const T& value) {
        m_out += m_first ? "\"" : ",\"";
        m_first = false;
        m_out += key;
        m_out += "\":";
        put(value);
    }
    template <class T>
    void ifAny(const char* key, const T& value, const std::type_identity_t<T>& usual = {}) {
        if (!(value == usual)) (*this)(key, value);
    }
    void time(const char* key, std::uint64_t ns) { (*this)(key, ns); }
    template <class Enum>
    void oneOf(const char* key, Enum value, Enum /*last*/) {
        (*this)(key, static_cast<int>(value));
    }

private:
    bool m_first = true;
};

/// Appends an array with the elements of a part of a record.
class ArrayWriter : public TextWriter {
public:
    explicit ArrayWriter(std::string& out) : TextWriter(out) { m_out += '['; }
    void close() { m_out += ']'; }
    template <class T>
    void operator()(const T& value) {
        if (!m_first) m_out += ',';
        m_first = false;
        put(value);
    }

private:
    bool m_first = true;
};

inline void TextWriter::put(const std::map<std::string, double>& map) {
    m_out += '{';
    for (const auto& [key, value] : map) {
        if (m_out.back() != '{') m_out += ',';
        put(key);
        m_out += ':';
        put(value);
    }
    m_out += '}';
}

template <class Part>
requires std::is_class_v<Part>
void TextWriter::put(const Part& part) {
    if constexpr (requires(ArrayWriter & array) { Part::elements(array, part); }) {
        ArrayWriter array(m_out);
        Part::elements(array, part);
        array.close();
    } else if constexpr (requires(ArrayWriter & array) { elements(array, part); }) {
        ArrayWriter array(m_out);
        elements(array, part);
        array.close();
    } else {
        ObjectWriter object(m_out);
        fields(object, part);
        object.close();
    }
}

/// Appends the line of a record, with its newline.
template <class Record>
void appendLine(std::string& out, const Record& record) {
    ObjectWriter line(out, Record::kType);
    Record::fields(line, record);
    line.close();
    out += '\n';
}

/// Appends rows as the columns of a table.
template <class Row>
class TableWriter {
public:
    TableWriter(std::string& out, std::span<const Row> rows)
        : m_line(out, Row::kType), m_out(out), m_rows(rows) {
        m_line("rows", rows.size());
    }
    void close() { m_line.close(); }

    template <class Member>
    void column(const char* key, Member Row::*member) {
        each(key, [&](std::size_t i) { return whole(m_rows[i].*member); });
    }
    template <class Enum>
    void oneOf(const char* key, Enum Row::*member, Enum /*last*/) {
        each(key, [&](std::size_t i) { return static_cast<std::int64_t>(m_rows[i].*member); });
    }
    template <class Member>
    void growing(const char* key, Member Row::*member) {
        each(key, [&](std::size_t i) {
            return whole(m_rows[i].*member) - (i == 0 ? 0 : whole(m_rows[i - 1].*member));
        });
    }
    /// Of two or more rows always writes one element each, even if all are equal: the reader checks
    /// the number of rows with this column.
    void times(const char* key, std::uint64_t Row::*member) {
        each(
            key,
            [&](std::size_t i) {
                return whole(m_rows[i].*member) - (i == 0 ? 0 : whole(m_rows[i - 1].*member));
            },
            false);
    }
    /// A column of start times and a column of durations.
    void spans(const char* startKey, std::uint64_t Row::*start, const char* lengthKey,
               std::uint64_t Row::*end) {
        times(startKey, start);
        each(lengthKey,
             [&](std::size_t i) { return whole(m_rows[i].*end) - whole(m_rows[i].*start); });
    }

private:
    template <std::integral Number>
    static std::int64_t whole(Number number) {
        return static_cast<std::int64_t>(number);
    }
    /// -1 stands for no value.
    static std::int64_t whole(const std::optional<std::uint32_t>& number) {
        return number ? std::int64_t{*number} : -1;
    }
    template <class Value>
    void each(const char* key, const Value& value, bool mayBeOne = true) {
        m_out += ",\"";
        m_out += key;
        m_out += "\":";
        const std::int64_t first = m_rows.empty() ? 0 : value(0);
        bool same = mayBeOne || m_rows.size() == 1;
        for (std::size_t i = 1; same && i < m_rows.size(); ++i) same = value(i) == first;
        if (same) return m_line.put(first);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            m_out += i == 0 ? '[' : ',';
            m_line.put(value(i));
        }
        m_out += ']';
    }

    ObjectWriter m_line;
    std::string& m_out;
    std::span<const Row> m_rows;
};

template <class Row>
void appendTable(std::string& out, std::span<const Row> rows) {
    if (rows.empty()) return;
    TableWriter<Row> table(out, rows);
    Row::columns(table);
    table.close();
    out += '\n';
}

template <class Row>
void appendTable(std::string& out, const std::vector<Row>& rows) {
    appendTable(out, std::span<const Row>(rows));
}

}  // namespace roofscope::spool
