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

void NumberFormat::observe(std::string_view cell, bool whole) {
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
    if (digits.starts_with("0.") || digits.starts_with("0,")) {
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

struct Scale {
    double factor = 1;
    bool time = false;  ///< `factor` is in nanoseconds
};

/// "Kbyte" → 1000, "us" → 1000 ns, "inst" → 1.
std::optional<Scale> scaleOf(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, double>, 5> kTimes{
        {{"", 1e9}, {"n", 1.0}, {"u", 1e3}, {"\xC2\xB5", 1e3}, {"m", 1e6}}};
    for (const std::string_view second : {"s", "sec", "second", "seconds"})
        for (const auto& [prefix, factor] : kTimes)
            if (word.size() == prefix.size() + second.size() && word.starts_with(prefix) &&
                word.ends_with(second))
                return Scale{.factor = factor, .time = true};

    constexpr std::array<std::pair<char, double>, 5> kPrefixes{
        {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
    constexpr std::array<std::string_view, 16> kScaled{
        "byte",   "bytes", "b",       "bit",    "hz",      "inst",     "cycle", "cycles",
        "sector", "warp",  "sectors", "thread", "request", "requests", "block", "sample"};
    if (word.empty()) return Scale{};
    for (const auto& [prefix, factor] : kPrefixes) {
        if (word.front() != prefix && !(prefix == 'K' && word.front() == 'k')) continue;
        const std::string base = lower(word.substr(1));
        if (std::find(kScaled.begin(), kScaled.end(), base) != kScaled.end())
            return Scale{.factor = factor, .time = false};
        // "Kfoo" may be a scaled unit: do not guess. "GPC" is a name.
        const char second = word.size() > 1 ? word[1] : 'A';
        if (word.front() == prefix && second >= 'a' && second <= 'z') return std::nullopt;
    }
    return Scale{};
}

}  // namespace

std::optional<double> unitFactor(std::string_view unit) {
    unit = trim(unit);
    const std::size_t slash = unit.find('/');
    const auto above = scaleOf(trim(unit.substr(0, slash)));
    const auto below =
        slash == unit.npos ? std::optional(Scale{}) : scaleOf(trim(unit.substr(slash + 1)));
    if (!above || !below) return std::nullopt;
    // CUPTI reports times in nanoseconds and rates per second.
    constexpr double kNsPerSecond = 1e9;
    return below->time ? above->factor * kNsPerSecond / below->factor
                       : above->factor / below->factor;
}

}  // namespace roofscope
