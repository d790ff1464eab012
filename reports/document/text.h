// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The words inside a paragraph, a heading or a cell of a table.
namespace roofscope::doc {

/// What a stretch of words tells the reader's eye. Only formats with colours show it.
enum class Tone : std::uint8_t { Plain, Good, Warning, Bad, Muted };

/// A stretch of words that look alike.
struct Span {
    std::string text;  ///< one line of clean UTF-8 (cleanText); each writer escapes it
    bool code = false;
    bool strong = false;
    Tone tone = Tone::Plain;
    std::string link = {};           ///< a place in the same document ("kernel-1") or empty
    std::optional<double> bar = {};  ///< a share that a page draws as a bar behind the words
    std::string badge = {};          ///< a class of the page's style sheet ("memory-bound")
    bool operator==(const Span&) const = default;
};

/// Words as a list of spans. A string becomes words without looks: it is cleaned, never read as
/// markup, so a kernel named like markup stays a name. For names use `code` or
/// `fromProfile`, which cap the length.
class Text {
public:
    Text() = default;
    Text(std::string_view words);                                      // NOLINT: meant to convert
    Text(const std::string& words) : Text(std::string_view(words)) {}  // NOLINT
    Text(const char* words) : Text(std::string_view(words)) {}         // NOLINT
    template <std::integral T>
    Text(T number) : Text(std::to_string(number)) {}  // NOLINT
    Text(Span span);                                  // NOLINT

    [[nodiscard]] bool empty() const { return m_spans.empty(); }
    [[nodiscard]] const std::vector<Span>& spans() const { return m_spans; }
    /// The words without their looks.
    [[nodiscard]] std::string plain() const;
    /// The same with names and counters between backticks, of which none is left in them.
    [[nodiscard]] std::string quoted() const;

    Text& operator+=(const Text& more);
    friend Text operator+(Text left, const Text& right) { return left += right; }
    bool operator==(const Text&) const = default;

    /// Every span changed by `change`.
    template <class Change>
    [[nodiscard]] Text with(Change change) const {
        Text text;
        for (Span span : m_spans) {
            change(span);
            text += Text(std::move(span));
        }
        return text;
    }

private:
    std::vector<Span> m_spans;  ///< none is empty; neighbours of equal looks are one span
};

/// A name, a command or a counter. `maxLength` counts characters; an empty name gives "(no name)".
[[nodiscard]] Text code(std::string_view name, std::size_t maxLength = 200);
/// Words that come from a profile or a system.
[[nodiscard]] Text fromProfile(std::string_view words, std::size_t maxLength = 600);
[[nodiscard]] Text strong(const Text& text);
[[nodiscard]] Text toned(Tone tone, const Text& text);
[[nodiscard]] Text linked(std::string_view target, const Text& text);
/// The parts that are not empty, with `separator` between them.
[[nodiscard]] Text joined(const std::vector<Text>& parts, const Text& separator);
/// The same of what `make` makes of each item.
template <class Items, class Make>
[[nodiscard]] Text joined(const Items& items, const Text& separator, Make make) {
    std::vector<Text> parts;
    for (const auto& item : items) parts.emplace_back(make(item));
    return joined(parts, separator);
}
/// The first of many.
template <class T>
[[nodiscard]] std::span<const T> upTo(std::size_t most, const std::vector<T>& items) {
    return std::span(items).first(std::min(most, items.size()));
}
/// What `make` makes of the first items, then what `more` says of how many are left.
template <class Items, class Make, class More>
[[nodiscard]] std::vector<Text> firstOf(const Items& items, std::size_t most, Make make,
                                        More more) {
    std::vector<Text> parts;
    for (const auto& item : upTo(most, items)) parts.emplace_back(make(item));
    if (items.size() > most) parts.emplace_back(more(items.size() - most));
    return parts;
}

}  // namespace roofscope::doc
