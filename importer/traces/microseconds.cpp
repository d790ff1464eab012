// SPDX-License-Identifier: Apache-2.0
#include "importer/traces/microseconds.h"

#include <charconv>
#include <limits>

namespace roofscope::traces {
namespace {

/// `number` × 10^shift, rounded to a whole number (half away from zero).
std::optional<std::int64_t> shifted(std::string_view number, int shift) {
    constexpr int kMostShift = 400;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    const bool negative = number.starts_with('-');
    if (negative || number.starts_with('+')) number.remove_prefix(1);
    if (const std::size_t e = number.find_first_of("eE"); e != number.npos) {
        std::string_view power = number.substr(e + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        int exponent = 0;
        const auto [end, error] =
            std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (error != std::errc{} || end != power.data() + power.size()) return std::nullopt;
        if (exponent > kMostShift || exponent < -kMostShift) return std::nullopt;
        shift += exponent;
        number = number.substr(0, e);
    }
    std::uint64_t value = 0;
    bool any = false, afterPoint = false, rounded = false;
    const auto push = [&](std::uint64_t digit) {
        if (value > (kMost - digit) / 10) return false;
        value = value * 10 + digit;
        return true;
    };
    // `left` digits remain before the shifted point. The first digit after it decides the rounding.
    int left = shift;
    for (const char c : number) {
        if (c == '.') {
            if (afterPoint) return std::nullopt;
            afterPoint = true;
            continue;
        }
        if (c < '0' || c > '9') return std::nullopt;
        any = true;
        if (!afterPoint) ++left;
    }
    if (!any) return std::nullopt;
    for (const char c : number) {
        if (c == '.') continue;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (left > 0) {
            if (!push(digit)) return std::nullopt;
            --left;
        } else {
            rounded = left == 0 && digit >= 5;
            break;
        }
    }
    for (; left > 0 && value > 0; --left)
        if (!push(0)) return std::nullopt;
    if (rounded) {
        if (value == kMost) return std::nullopt;
        ++value;
    }
    const auto whole = static_cast<std::int64_t>(value);
    return negative ? -whole : whole;
}

}  // namespace

std::optional<std::int64_t> nanosecondsIn(std::string_view microseconds) {
    constexpr int kToNanoseconds = 3;
    return shifted(microseconds, kToNanoseconds);
}

std::optional<std::uint64_t> wholeIn(std::string_view number) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || number.empty()) return std::nullopt;
    // A number such as "7.0" is whole, too.
    const std::string_view rest(end, static_cast<std::size_t>(number.data() + number.size() - end));
    if (!rest.empty() && (rest.front() != '.' || rest.find_first_not_of('0', 1) != rest.npos))
        return std::nullopt;
    return value;
}

}  // namespace roofscope::traces
