// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/codec/codec_internal.h"
#include "profile/codec/json_columns.h"
#include "profile/codec/json_writer.h"
#include "profile/model/timeline.h"

/// Tables with one column per struct member. A function template that takes either of these classes
/// names each column once, for both reading and writing. Internal to profile/.
namespace roofscope {

/// 2^53 ns, 104 days: above this a double cannot hold every whole number.
inline constexpr Nanoseconds kLatest = Nanoseconds{1} << 53;

inline constexpr std::array<std::pair<char, std::uint32_t Dim3::*>, 3> kAxes{
    {{'x', &Dim3::x}, {'y', &Dim3::y}, {'z', &Dim3::z}}};

/// How a column without any value is written.
enum class NoValues { LeftOut, Null };

template <class Row>
class TableWriter {
public:
    TableWriter(json::Writer& writer, std::span<const Row> rows,
                NoValues noValues = NoValues::LeftOut)
        : m_writer(writer), m_rows(rows), m_noValues(noValues), m_values(rows.size()) {}
    /// Writes every column as an array, even if all rows have the same value.
    void inFull() { m_inFull = true; }

    /// The first column; its length is the number of rows.
    void first(std::string_view key, auto Row::*member) { write(key, member, true); }
    void column(std::string_view key, auto Row::*member) { write(key, member); }
    void nanoseconds(std::string_view key, std::optional<Seconds> Row::*member) {
        write(key, [member](const Row& row) {
            return row.*member ? nsFromSeconds(*(row.*member)) : json::kMissing;
        });
    }
    void flag(std::string_view key, bool Row::*member) { write(key, member); }
    void flagIfAny(std::string_view key, bool Row::*member) {
        if (std::ranges::any_of(m_rows, member)) flag(key, member);
    }
    /// "grid" → "grid_x", "grid_y", "grid_z".
    void extents(std::string_view key, auto Row::*member) {
        for (const auto& [name, axis] : kAxes)
            write(fmt::format("{}_{}", key, name), [member, axis = axis](const Row& row) {
                const std::optional<Dim3> dim = row.*member;
                return dim ? static_cast<double>((*dim).*axis) : json::kMissing;
            });
    }
    void times() {
        Nanoseconds before = 0;
        write("start_delta_ns", [&](const Row& row) {
            return static_cast<double>(row.time.start - std::exchange(before, row.time.start));
        });
        write("duration_ns", [](const Row& row) { return row.time.length(); });
    }
    /// `get(row)` returns NaN or nullopt if the row has no value.
    template <class Get>
    void write(std::string_view key, Get get, bool alwaysArray = false) {
        std::ranges::transform(m_rows, m_values.begin(),
                               [&](const Row& row) { return number(std::invoke(get, row)); });
        if (m_noValues == NoValues::LeftOut && !alwaysArray &&
            std::ranges::all_of(m_values, [](double v) { return std::isnan(v); }))
            return;
        json::writeColumn(m_writer, key, m_values, alwaysArray || m_inFull);
    }

private:
    template <class T>
    static double number(const std::optional<T>& value) {
        return value ? static_cast<double>(*value) : json::kMissing;
    }
    template <class T>
    static double number(const T& value) {
        return static_cast<double>(value);
    }

    json::Writer& m_writer;
    const std::span<const Row> m_rows;
    const NoValues m_noValues;
    std::vector<double> m_values;
    bool m_inFull = false;
};

template <class Rows, class... More>
TableWriter(json::Writer&, const Rows&, More...) -> TableWriter<std::ranges::range_value_t<Rows>>;

template <class Row>
class TableReader {
public:
    /// `first` is the column that is always written in full. Its length is the number of rows, so
    /// the memory for them is bounded by what was read, not by a number in the file.
    TableReader(const json::Cursor& at, std::string_view first,
                std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
        : m_at(at), m_rows(allowed(at, json::fullColumn(at, first).size(), most)) {
        const json::Numbers& values = json::fullColumn(at, first);
        for (std::size_t row = 0; row < values.size(); ++row)
            if (std::isnan(values[row]))
                throw json::BadValue{fmt::format("{}/{}/{}", at.pointer(), first, row),
                                     "must be a number, not null"};
    }
    TableReader(const json::Cursor& at, std::string_view first, const ReadLimits& limits)
        : TableReader(at, first, limits.maxRows()) {}

    /// A table without rows: columns of any other length are refused.
    explicit TableReader(const json::Cursor& at) : m_at(at) {}

    void first(std::string_view key, auto Row::*member) { column(key, member); }
    template <class Integer>
    void column(std::string_view key, Integer Row::*member) {
        integers<Integer>(key, [member](Row& row, Integer value) { row.*member = value; });
    }
    template <class Integer>
    void column(std::string_view key, std::optional<Integer> Row::*member) {
        integers<Integer>(key, [member](Row& row, Integer value) { row.*member = value; });
    }
    void nanoseconds(std::string_view key, std::optional<Seconds> Row::*member) {
        read(key, "must not be negative", [member](Row& row, double value) {
            if (value >= 0) row.*member = secondsFromNs(value);
            return value >= 0;
        });
    }
    void flag(std::string_view key, bool Row::*member) {
        read(key, "must be 0 or 1", [member](Row& row, double value) {
            row.*member = value == 1;
            return value == 0 || value == 1;
        });
    }
    void flagIfAny(std::string_view key, bool Row::*member) { flag(key, member); }
    void extents(std::string_view key, auto Row::*member) {
        for (const auto& [name, axis] : kAxes)
            integers<std::uint32_t>(fmt::format("{}_{}", key, name),
                                    [member, axis = axis](Row& row, std::uint32_t value) {
                                        if constexpr (requires { (row.*member).emplace(); }) {
                                            if (!(row.*member)) (row.*member).emplace();
                                            (*(row.*member)).*axis = value;
                                        } else {
                                            (row.*member).*axis = value;
                                        }
                                    });
    }
    void times() {
        Nanoseconds now = 0;
        std::size_t next = 0;
        json::readColumn(m_at, "start_delta_ns", m_rows.size(),
                         "is not a whole number, or adds up to a time beyond 2^53 ns",
                         [&](std::size_t row, double value) {
                             const auto delta = json::Cursor::toInteger<Nanoseconds>(value);
                             if (!delta || row != next++) return false;
                             now += *delta;
                             m_rows[row].time = {now, now};
                             return now > -kLatest && now < kLatest;
                         });
        if (next != m_rows.size()) m_at.fail("\"start_delta_ns\" lacks values");
        std::size_t ends = 0;
        lengths("duration_ns", [&](Row& row) {
            ++ends;
            return &row.time;
        });
        if (ends != m_rows.size()) m_at.fail("\"duration_ns\" lacks values");
    }
    /// `span(row)` returns the span whose end is set, or null if the row has no start.
    template <class Span>
    void lengths(std::string_view key, Span span) {
        read(key, "must be a whole number that ends before 2^53 ns", [&](Row& row, double value) {
            const auto length = json::Cursor::toInteger<std::uint64_t>(value);
            TimeSpan* target = span(row);
            if (!length || !target) return false;
            target->end = target->start + static_cast<Nanoseconds>(*length);
            return target->end < kLatest;
        });
    }
    /// Calls `set(row, value)`, which returns false if the value is out of range; `range` is the
    /// error text.
    template <class Set>
    void read(std::string_view key, const std::string& range, Set set) {
        json::readColumn(m_at, key, m_rows.size(), range,
                         [&](std::size_t row, double value) { return set(m_rows[row], value); });
    }
    std::vector<Row>& rows() { return m_rows; }

private:
    /// The number of rows. Throws before memory is reserved if there are too many.
    static std::size_t allowed(const json::Cursor& at, std::size_t rows, std::uint64_t most) {
        if (rows > most) at.fail(fmt::format("more than {} rows", most));
        return rows;
    }
    template <class Integer, class Set>
    void integers(std::string_view key, Set set) {
        read(key, json::Cursor::rangeMessage<Integer>(), [&](Row& row, double value) {
            const auto whole = json::Cursor::toInteger<Integer>(value);
            if (whole) set(row, *whole);
            return whole.has_value();
        });
    }

    const json::Cursor& m_at;
    std::vector<Row> m_rows;
};

}  // namespace roofscope
