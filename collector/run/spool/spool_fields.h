// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "profile/model/profile.h"

/// Reading the lines of a spool, which are not trusted: every function throws std::exception for a
/// malformed line, and none allocates memory because of a number in it.
namespace roofscope::spool {

using Json = nlohmann::json;

/// The largest whole number that a profile holds.
inline constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 53;

/// A whole number from 0 on that fits T and a profile.
template <class T>
T whole(const Json& json) {
    static_assert(std::is_unsigned_v<T>);
    if (!json.is_number_unsigned()) throw std::invalid_argument("no whole number");
    const auto value = json.get<std::uint64_t>();
    if (value > std::numeric_limits<T>::max()) throw std::invalid_argument("too large");
    return static_cast<T>(value);
}

template <class T>
T whole(const Json& json, const char* key) {
    return whole<T>(json.at(key));
}

/// The same for a size or a count, which has to fit a profile.
inline std::uint64_t count(const Json& json, const char* key) {
    const auto value = whole<std::uint64_t>(json, key);
    if (value > kMostWhole) throw std::invalid_argument("too large");
    return value;
}

template <class T>
std::optional<T> optionalWhole(const Json& json, const char* key) {
    const auto it = json.find(key);
    if (it == json.end() || it->is_null()) return {};
    const T value = whole<T>(*it);
    if (value > kMostWhole) throw std::invalid_argument("too large");
    return value;
}

/// A counter's value; NaN where there is none.
inline double numberOrMissing(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

/// The extents of a grid, a block or a cluster: at least 1, and their product fits.
inline Dim3 dim3(const Json& json) {
    const Dim3 d{whole<std::uint32_t>(json.at(0)), whole<std::uint32_t>(json.at(1)),
                 whole<std::uint32_t>(json.at(2))};
    if (d.x == 0 || d.y == 0 || d.z == 0 || static_cast<double>(d.x) * d.y * d.z >= 0x1p63)
        throw std::invalid_argument("no extents");
    return d;
}

/// Rows of one line of columns, at most.
inline constexpr std::size_t kMostRows = 1'000'000;

inline std::size_t rows(const Json& json) {
    const auto n = whole<std::size_t>(json, "rows");
    if (n > kMostRows) throw std::invalid_argument("too many rows");
    return n;
}

/// A whole number of 64 bits; one with a point is none, and may be beyond them.
inline std::int64_t integer(const Json& json) {
    if (!json.is_number_integer()) throw std::invalid_argument("no whole number");
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        throw std::invalid_argument("too large");
    return json.get<std::int64_t>();
}

/// A column: one number for all rows, or one each.
inline std::vector<std::int64_t> column(const Json& json, const char* key, std::size_t rows) {
    const Json& values = json.at(key);
    if (!values.is_array()) return std::vector<std::int64_t>(rows, integer(values));
    if (values.size() != rows) throw std::invalid_argument("columns of unequal length");
    std::vector<std::int64_t> list;
    list.reserve(rows);
    for (const Json& value : values) list.push_back(integer(value));
    return list;
}

/// A column that holds the distance of each number from the one before.
inline std::vector<std::int64_t> growing(const Json& json, const char* key, std::size_t rows) {
    auto list = column(json, key, rows);
    for (std::size_t i = 1; i < list.size(); ++i)
        if (__builtin_add_overflow(list[i], list[i - 1], &list[i]))
            throw std::invalid_argument("too large");
    return list;
}

/// An element of a column as an unsigned number.
template <class T>
T unsignedOf(std::int64_t value) {
    if (value < 0 || static_cast<std::uint64_t>(value) > std::numeric_limits<T>::max())
        throw std::invalid_argument("out of range");
    return static_cast<T>(value);
}

/// An element of a column as one of an enum's values, the last of which is given.
template <class Enum>
Enum enumOf(std::int64_t value, Enum last) {
    if (value < 0 || value > static_cast<std::int64_t>(last))
        throw std::invalid_argument("out of range");
    return static_cast<Enum>(value);
}

/// Times by CUPTI's clock, ns since 1970: above any that a GPU can have seen, sums still fit.
inline constexpr std::int64_t kLatest = std::int64_t{1} << 61;

inline std::int64_t timeOf(std::int64_t value) {
    if (value < 0 || value > kLatest) throw std::invalid_argument("no time");
    return value;
}

/// The columns "b" and "l" (start and length) as spans.
inline std::vector<TimeSpan> spans(const Json& json, std::size_t rows) {
    const auto starts = growing(json, "b", rows);
    const auto lengths = column(json, "l", rows);
    std::vector<TimeSpan> list;
    list.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i)
        list.push_back({.start = timeOf(starts[i]), .end = timeOf(starts[i]) + timeOf(lengths[i])});
    return list;
}

}  // namespace roofscope::spool
