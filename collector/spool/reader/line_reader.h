// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "collector/spool/records.h"
#include "collector/spool/timeline_records.h"
#include "profile/model/severity.h"

/// Reads the lines of a spool into records. Lines are not trusted, because the profiled program
/// can write into the same folder. A value that does not fit its member is refused with a
/// std::exception (for a std::uint32_t: 2^32 + 1, -1 and 1.5). No number in a line decides how
/// much memory is allocated.
namespace roofscope::spool {

using Json = nlohmann::json;

/// The largest whole number that a profile holds.
inline constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 53;

/// A whole number from 0 to `most`.
inline std::uint64_t wholeUpTo(const Json& json, std::uint64_t most) {
    if (!json.is_number_unsigned()) throw std::invalid_argument("no whole number");
    const auto value = json.get<std::uint64_t>();
    if (value > most) throw std::invalid_argument("too large");
    return value;
}

/// The largest value accepted for this type.
template <std::integral Number>
constexpr std::uint64_t mostOf() {
    return std::min(static_cast<std::uint64_t>(std::numeric_limits<Number>::max()), kMostWhole);
}

/// The latest accepted time, in CUPTI's time: later than any that a GPU reports, and still small
/// enough that the sum of two fits.
inline constexpr std::int64_t kLatest = std::int64_t{1} << 61;

inline void readValue(const Json& json, bool& flag) {
    if (!json.is_boolean()) throw std::invalid_argument("neither true nor false");
    flag = json.get<bool>();
}
/// Signed numbers are process and thread ids, so they must not be negative either.
template <std::integral Number>
void readValue(const Json& json, Number& number) {
    number = static_cast<Number>(wholeUpTo(json, mostOf<Number>()));
}
inline void readValue(const Json& json, double& number) {
    if (!json.is_number()) throw std::invalid_argument("no number");
    number = json.get<double>();
}
inline void readValue(const Json& json, Hertz& rate) {
    readValue(json, rate.value);
    if (!(rate.value >= 0)) throw std::invalid_argument("no rate");
}
inline void readValue(const Json& json, std::chrono::nanoseconds& time) {
    time = std::chrono::nanoseconds(wholeUpTo(json, kMostWhole));
}
inline void readValue(const Json& json, std::string& text) {
    if (!json.is_string()) throw std::invalid_argument("no text");
    text = json.get_ref<const std::string&>();
}
inline void readValue(const Json& json, Severity& severity) {
    std::string name;
    readValue(json, name);
    severity = severityNamed(name);
}
/// The extents of a grid, a block or a cluster: each at least 1, and their product must fit.
void readValue(const Json& json, Dim3& extents);
/// Counter values; null becomes NaN.
inline void readValue(const Json& json, std::vector<double>& values) {
    if (!json.is_array()) throw std::invalid_argument("no list");
    values.clear();
    values.reserve(json.size());
    for (const Json& value : json) {
        values.push_back(std::numeric_limits<double>::quiet_NaN());
        if (!value.is_null()) readValue(value, values.back());
    }
}
template <class T>
void readValue(const Json& json, std::optional<T>& maybe);
template <class T>
void readValue(const Json& json, std::vector<T>& list);
inline void readValue(const Json& json, std::map<std::string, double>& map) {
    if (!json.is_object()) throw std::invalid_argument("no object");
    for (const auto& [key, value] : json.items()) readValue(value, map[key]);
}
/// Part of a record: an array of its elements, or an object of its fields.
template <class Part>
requires std::is_class_v<Part>
void readValue(const Json& json, Part& part);

/// Reads the fields of a record from an object.
class ObjectReader {
public:
    explicit ObjectReader(const Json& json) : m_json(json) {
        if (!json.is_object()) throw std::invalid_argument("no object");
    }
    template <class T>
    void operator()(const char* key, T& value) {
        readValue(m_json.at(key), value);
    }
    template <class T>
    void ifAny(const char* key, T& value, const std::type_identity_t<T>& usual = {}) {
        const auto found = m_json.find(key);
        if (found == m_json.end() || found->is_null())
            value = usual;
        else
            readValue(*found, value);
    }
    void time(const char* key, std::uint64_t& ns) { ns = wholeUpTo(m_json.at(key), kLatest); }
    template <class Enum>
    void oneOf(const char* key, Enum& value, Enum last) {
        value = static_cast<Enum>(wholeUpTo(m_json.at(key), static_cast<std::uint64_t>(last)));
    }

private:
    const Json& m_json;
};

/// Reads the elements of a part of a record from an array, which must have no others.
class ArrayReader {
public:
    explicit ArrayReader(const Json& json) : m_json(json) {
        if (!json.is_array()) throw std::invalid_argument("no list");
    }
    template <class T>
    void operator()(T& value) {
        readValue(m_json.at(m_next++), value);
    }
    void close() const {
        if (m_next != m_json.size()) throw std::invalid_argument("a list of another length");
    }

private:
    const Json& m_json;
    std::size_t m_next = 0;
};

inline void readValue(const Json& json, Dim3& extents) {
    ArrayReader array(json);
    elements(array, extents);
    array.close();
    const auto& [x, y, z] = extents;
    if (x == 0 || y == 0 || z == 0 || static_cast<double>(x) * y * z >= 0x1p63)
        throw std::invalid_argument("no extents");
}

template <class T>
void readValue(const Json& json, std::optional<T>& maybe) {
    if (json.is_null())
        maybe.reset();
    else
        readValue(json, maybe.emplace());
}

template <class T>
void readValue(const Json& json, std::vector<T>& list) {
    if (!json.is_array()) throw std::invalid_argument("no list");
    list.clear();
    list.reserve(json.size());
    for (const Json& item : json) readValue(item, list.emplace_back());
}

template <class Part>
requires std::is_class_v<Part>
void readValue(const Json& json, Part& part) {
    if constexpr (requires(ArrayReader & array) { Part::elements(array, part); }) {
        ArrayReader array(json);
        Part::elements(array, part);
        array.close();
    } else if constexpr (requires(ArrayReader & array) { elements(array, part); }) {
        ArrayReader array(json);
        elements(array, part);
        array.close();
    } else {
        ObjectReader object(json);
        fields(object, part);
    }
}

/// The record of a line.
template <class Record>
Record readRecord(const Json& json) {
    Record record;
    ObjectReader object(json);
    Record::fields(object, record);
    return record;
}

/// Reads the columns of a table.
template <class Row>
class TableReader {
public:
    explicit TableReader(const Json& json) : m_json(json), m_size(sizeOf(json)) {
        m_rows.resize(m_size);
    }
    std::vector<Row>& rows() { return m_rows; }

    template <class Member>
    void column(const char* key, Member Row::*member) {
        each(key, [&](Row& row, std::int64_t value) { set(row.*member, value); });
    }
    template <class Enum>
    void oneOf(const char* key, Enum Row::*member, Enum last) {
        each(key, [&](Row& row, std::int64_t value) {
            if (value < 0 || value > static_cast<std::int64_t>(last))
                throw std::invalid_argument("out of range");
            row.*member = static_cast<Enum>(value);
        });
    }
    template <class Member>
    void growing(const char* key, Member Row::*member) {
        std::int64_t sum = 0;
        each(key, [&](Row& row, std::int64_t more) { set(row.*member, added(sum, more)); });
    }
    void times(const char* key, std::uint64_t Row::*member) {
        std::int64_t sum = 0;
        each(key, [&](Row& row, std::int64_t more) { row.*member = timeOf(added(sum, more)); });
    }
    void spans(const char* startKey, std::uint64_t Row::*start, const char* lengthKey,
               std::uint64_t Row::*end) {
        times(startKey, start);
        each(lengthKey, [&](Row& row, std::int64_t length) {
            row.*end = timeOf(static_cast<std::int64_t>(row.*start + timeOf(length)));
        });
    }

private:
    /// The number of rows. It is not trusted alone: a table of n rows must have a column of n
    /// numbers (TableWriter::times writes one).
    static std::size_t sizeOf(const Json& json) {
        const std::size_t rows = wholeUpTo(json.at("rows"), kMostWhole);
        const auto hasAsMany = [&](const Json& value) {
            return value.is_array() && value.size() == rows;
        };
        if (rows > 1 && std::none_of(json.begin(), json.end(), hasAsMany))
            throw std::invalid_argument("more rows than numbers");
        return rows;
    }
    /// A whole number that fits 64 bits. Numbers with a decimal point are
    /// refused: they may be larger.
    static std::int64_t integer(const Json& json) {
        if (!json.is_number_integer()) throw std::invalid_argument("no whole number");
        if (json.is_number_unsigned() &&
            json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            throw std::invalid_argument("too large");
        return json.get<std::int64_t>();
    }
    static std::int64_t added(std::int64_t& sum, std::int64_t more) {
        if (__builtin_add_overflow(sum, more, &sum)) throw std::invalid_argument("too large");
        return sum;
    }
    static std::uint64_t timeOf(std::int64_t value) {
        if (value < 0 || value > kLatest) throw std::invalid_argument("no time");
        return static_cast<std::uint64_t>(value);
    }
    static void set(bool& flag, std::int64_t value) {
        if (value != 0 && value != 1) throw std::invalid_argument("neither 0 nor 1");
        flag = value == 1;
    }
    template <std::unsigned_integral Number>
    static void set(Number& number, std::int64_t value) {
        if (value < 0 || static_cast<std::uint64_t>(value) > mostOf<Number>())
            throw std::invalid_argument("out of range");
        number = static_cast<Number>(value);
    }
    static void set(std::optional<std::uint32_t>& maybe, std::int64_t value) {
        if (value != -1) set(maybe.emplace(), value);
    }
    /// Applies a column: one number for all rows, or one for each row.
    template <class Apply>
    void each(const char* key, const Apply& apply) {
        const Json& values = m_json.at(key);
        if (values.is_array() && values.size() != m_size)
            throw std::invalid_argument("columns of unequal length");
        for (std::size_t i = 0; i < m_size; ++i)
            apply(m_rows[i], integer(values.is_array() ? values[i] : values));
    }

    const Json& m_json;
    std::size_t m_size;
    std::vector<Row> m_rows;
};

/// The rows of a table's line.
template <class Row>
std::vector<Row> readTable(const Json& json) {
    TableReader<Row> table(json);
    Row::columns(table);
    return std::move(table.rows());
}

/// What a line of this type holds: a record, or the rows of a table.
template <class Record>
auto readLineOf(const Json& json) {
    if constexpr (requires(TableReader<Record> & table) { Record::columns(table); })
        return readTable<Record>(json);
    else
        return readRecord<Record>(json);
}

}  // namespace roofscope::spool
