// SPDX-License-Identifier: Apache-2.0
#include "importer/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace roofscope {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// Length in bytes of another thousands separator at the start: apostrophe, space, no-break space
/// or narrow no-break space; 0 if there is none.
std::size_t spaceAt(std::string_view text) {
    for (const std::string_view space : {"'", " ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x99"})
        if (text.starts_with(space)) return space.size();
    return 0;
}

/// The number without thousands separators and with "." before the fraction; nullopt if it is
/// malformed, for example if a group does not have three digits.
std::optional<std::string> plainNumber(std::string_view text, char decimal) {
    const char other = decimal == '.' ? ',' : '.';
    std::string plain;
    if (text.starts_with('-') || text.starts_with('+')) {
        if (text.front() == '-') plain += '-';
        text.remove_prefix(1);
    }
    std::size_t digits = 0;     // digits in the current group
    std::string_view grouping;  // separator between groups; empty before the first one
    while (!text.empty()) {
        if (isDigit(text.front())) {
            plain += text.front();
            text.remove_prefix(1);
            ++digits;
            continue;
        }
        const std::string_view separator =
            text.substr(0, text.front() == other ? 1 : spaceAt(text));
        if (separator.empty()) break;
        const bool grouped = !grouping.empty();
        if (digits == 0 || digits > 3 || (grouped && (digits != 3 || separator != grouping)))
            return std::nullopt;
        grouping = separator;
        digits = 0;
        text.remove_prefix(separator.size());
    }
    if (digits == 0 || (!grouping.empty() && digits != 3)) return std::nullopt;
    if (text.starts_with(decimal)) {
        plain += '.';
        text.remove_prefix(1);
        if (text.empty() || !isDigit(text.front())) return std::nullopt;
        while (!text.empty() && isDigit(text.front())) {
            plain += text.front();
            text.remove_prefix(1);
        }
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        plain += 'e';
        text.remove_prefix(1);
        if (text.starts_with('+')) text.remove_prefix(1);
        plain += text;
        text = {};
    }
    if (!text.empty()) return std::nullopt;
    return plain;
}

/// A cell without the values of instances: "12" for "12 (3; 9)".
std::string_view withoutInstances(std::string_view cell) {
    cell = trim(cell);
    return cell.ends_with(')') ? trim(cell.substr(0, cell.find('('))) : cell;
}

}  // namespace

void NumberFormat::observe(std::string_view cell, bool whole, bool small) {
    constexpr std::size_t kShown = 40;
    cell = withoutInstances(cell);
    if (cell.find_first_of(",.") == cell.npos) return;
    const bool point = plainNumber(cell, '.').has_value(),
               comma = plainNumber(cell, ',').has_value();
    if (point && !comma) ++m_point;
    if (comma && !point) ++m_comma;
    if (!(point && comma)) return;
    // Both readings are possible. But in "0.123" the separator cannot be for thousands.
    const std::string_view digits = cell.substr(cell.starts_with('-') ? 1 : 0);
    const bool isPoint = cell.find('.') != cell.npos;
    if (digits.starts_with("0.") || digits.starts_with("0,") || small) {
        ++(isPoint ? m_point : m_comma);
    } else if (whole) {
        ++(isPoint ? m_comma : m_point);
    } else {
        if (m_ambiguous++ == 0) m_example = cell.substr(0, kShown);
    }
}

std::optional<double> NumberFormat::parse(std::string_view cell) const {
    constexpr std::size_t kLongest = 400;  // a double written out in full
    cell = withoutInstances(cell);
    if (cell.empty() || cell.size() > kLongest) return std::nullopt;
    const auto plain = plainNumber(cell, decimal());
    if (!plain) return std::nullopt;
    double value = 0;
    const char* const end = plain->data() + plain->size();
    const auto [stop, error] = std::from_chars(plain->data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// A word of a unit: "Kbyte", "us", "inst". `factor` leads to bytes, nanoseconds, hertz, or one.
struct Scale {
    double factor = 1;
    UnitKind kind = UnitKind::Counted;
};

/// The unit of a time: "us", "msecond".
std::optional<Scale> timeOf(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kTimes{
        {{"", 1e9}, {"n", 1.0}, {"u", 1e3}, {"\xC2\xB5", 1e3}, {"\xCE\xBC", 1e3}, {"m", 1e6}}};
    for (const std::string_view second : {"s", "sec", "second", "seconds"})
        for (const auto& [prefix, factor] : kTimes)
            if (word.size() == prefix.size() + second.size() && word.starts_with(prefix) &&
                word.ends_with(second))
                return Scale{.factor = factor, .kind = UnitKind::Time};
    return std::nullopt;
}

/// What a word without a prefix counts; nullopt if it is not known.
std::optional<UnitKind> kindOf(std::string_view word) {
    // What the public exports of ncu 2019 to 2025 have, in singular and plural.
    constexpr std::array<std::string_view, 30> kCounted{
        "",       "1",        "b",       "bit",      "inst",   "instruction", "cycle", "sector",
        "warp",   "thread",   "request", "block",    "branch", "branche",     "pass",  "passe",
        "sample", "register", "cluster", "access",   "tag",    "accesse",     "lane",  "wavefront",
        "sm",     "gpc",      "tpc",     "conflict", "op",     "texel"};
    if (word == "B") return UnitKind::Bytes;
    const std::string name = lower(word);
    if (name == "%" || name == "percent") return UnitKind::Percent;
    if (name == "hz") return UnitKind::Hertz;
    if (name == "byte" || name == "bytes") return UnitKind::Bytes;
    const auto known = [&](std::string_view one) {
        return std::ranges::find(kCounted, one) != kCounted.end();
    };
    if (known(name)) return UnitKind::Counted;
    const std::string_view singular = std::string_view(name).substr(0, name.size() - 1);
    if (name.ends_with('s') && !singular.empty() && known(singular)) return UnitKind::Counted;
    return std::nullopt;
}

/// "Kbyte" → 1000 bytes, "us" → 1000 ns, "inst" → 1. Nullopt if the word is not known: a number
/// in a unit that nobody knows means nothing.
std::optional<Scale> scaleOf(std::string_view word) {
    if (const auto time = timeOf(word)) return time;
    if (const auto kind = kindOf(word)) return Scale{.factor = 1, .kind = *kind};
    constexpr std::array<std::pair<char, double>, 6> kPrefixes{
        {{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
    for (const auto& [prefix, factor] : kPrefixes) {
        if (word.empty() || word.front() != prefix || word.size() == 1) continue;
        const auto kind = kindOf(word.substr(1));
        if (kind && *kind != UnitKind::Percent) return Scale{.factor = factor, .kind = *kind};
    }
    return std::nullopt;
}

}  // namespace

std::optional<MetricUnit> parseUnit(std::string_view text) {
    text = trim(text);
    const std::size_t slash = text.find('/');
    const bool isRate = slash != text.npos;
    const auto above = scaleOf(trim(text.substr(0, slash)));
    const auto below = isRate ? scaleOf(trim(text.substr(slash + 1))) : std::optional(Scale{});
    if (!above || !below) return std::nullopt;
    // CUPTI reports times in nanoseconds and rates per second.
    constexpr double kNsPerSecond = 1e9;
    const bool perTime = isRate && below->kind == UnitKind::Time;
    return MetricUnit{.factor = perTime ? above->factor * kNsPerSecond / below->factor
                                        : above->factor / below->factor,
                      .kind = above->kind,
                      .isRate = isRate,
                      .perTime = perTime};
}

std::optional<double> unitFactor(std::string_view unit) {
    const auto known = parseUnit(unit);
    return known ? std::optional(known->factor) : std::nullopt;
}

}  // namespace roofscope
