// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/model/shared_text.h"
#include "profile/model/units.h"

namespace roofscope {

/// As std::optional of a number (a double, or a quantity with its unit), in half the memory: a
/// kernel has more than a hundred. Nothing is a NaN that no calculation gives.
template <class T>
class OptionalNumber {
    static_assert(sizeof(T) == sizeof(double));

public:
    constexpr OptionalNumber() = default;
    constexpr OptionalNumber(std::nullopt_t) {}
    constexpr OptionalNumber(T value) : m_value(value) {}

    [[nodiscard]] constexpr bool has_value() const {
        return std::bit_cast<std::uint64_t>(m_value) != kNothing;
    }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr operator std::optional<T>() const {
        return has_value() ? std::optional<T>(m_value) : std::nullopt;
    }
    [[nodiscard]] constexpr const T& operator*() const { return m_value; }
    [[nodiscard]] constexpr const T* operator->() const { return &m_value; }
    [[nodiscard]] constexpr T value_or(T other) const { return has_value() ? m_value : other; }

private:
    static constexpr std::uint64_t kNothing = 0x7FF8'524F'4F46'0001;

    T m_value = std::bit_cast<T>(kNothing);
};

/// A derived number together with how it was obtained, or why there is none.
///
/// Three states: a value; not available because counters are missing (`missing` names them); not
/// applicable (0/0: a kernel without shared memory has no conflict ratio; `missing` is empty).
template <class T>
struct Derived {
    OptionalNumber<T> value;
    SharedText how;      ///< formula in terms of counters, for "how was this obtained"
    SharedText missing;  ///< the counters that were absent, comma separated

    [[nodiscard]] bool has() const { return value.has_value(); }
    [[nodiscard]] bool notApplicable() const { return !value && missing.empty(); }
    [[nodiscard]] const T& operator*() const { return *value; }
    [[nodiscard]] const T* operator->() const { return &*value; }

    static Derived of(T v, SharedText how) { return {v, how, {}}; }
    static Derived absent(SharedText missing, SharedText how = {}) {
        return {std::nullopt, how, missing};
    }
    static Derived none(SharedText how = {}) { return {std::nullopt, how, {}}; }
};

/// What was used in place of a counter, or of a formula, that a profile lacks.
struct Substitute {
    std::string wanted;   ///< "dram__bytes_read.sum", or a quantity in words
    std::string formula;  ///< "32 × dram__sectors_read.sum"
    bool operator==(const Substitute&) const = default;
};

}  // namespace roofscope
