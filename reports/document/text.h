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

/// Formatted text inside a paragraph, a heading or a table cell.
namespace roofscope::doc {

/// The tone of a span. Only formats with colours show it.
enum class Tone : std::uint8_t { Plain, Good, Warning, Bad, Muted };

/// A piece of text with one style.
struct Span {
    std::string text;  ///< one line of clean UTF-8 (cleanText); each writer escapes it
    bool code = false;
    bool strong = false;
    Tone tone = Tone::Plain;
    std::string link = {};           ///< an anchor in the same document ("kernel-1"), or empty
    std::optional<double> bar = {};  ///< HTML: a share drawn as a bar after the text
    std::string badge = {};          ///< HTML: a class of the style sheet ("memory-bound")
    bool operator==(const Span&) const = default;
};

/// Text as a list of spans. A string becomes unstyled text: it is cleaned and never read as markup,
/// so a kernel named like markup stays a name. For names use `code` or `fromProfile`, which cap the
/// length.
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
    /// The text without styles.
    [[nodiscard]] std::string plain() const;
    /// The same with code spans in backticks; backticks inside them become apostrophes.
    [[nodiscard]] std::string quoted() const;

    Text& operator+=(const Text& more);
    friend Text operator+(Text left, const Text& right) { return left += right; }
    bool operator==(const Text&) const = default;

    /// A copy with `change` applied to every span.
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
    std::vector<Span> m_spans;  ///< no empty spans; neighbours of equal style are merged
};

/// A code span: a name, a command or a counter. `maxLength` counts characters; an empty name gives
/// "(no name)".
[[nodiscard]] Text code(std::string_view name, std::size_t maxLength = 200);
/// Text from a profile or the system, capped.
[[nodiscard]] Text fromProfile(std::string_view words, std::size_t maxLength = 600);
[[nodiscard]] Text strong(const Text& text);
[[nodiscard]] Text toned(Tone tone, const Text& text);
[[nodiscard]] Text linked(std::string_view target, const Text& text);
/// The non-empty parts with `separator` between them.
[[nodiscard]] Text joined(const std::vector<Text>& parts, const Text& separator);
/// The same for `make(item)` of each item.
template <class Items, class Make>
[[nodiscard]] Text joined(const Items& items, const Text& separator, Make make) {
    std::vector<Text> parts;
    for (const auto& item : items) parts.emplace_back(make(item));
    return joined(parts, separator);
}
/// The first `most` items.
template <class T>
[[nodiscard]] std::span<const T> upTo(std::size_t most, const std::vector<T>& items) {
    return std::span(items).first(std::min(most, items.size()));
}
/// `make(item)` of the first `most` items, then `more(count)` for the rest, if any.
template <class Items, class Make, class More>
[[nodiscard]] std::vector<Text> firstOf(const Items& items, std::size_t most, Make make,
                                        More more) {
    std::vector<Text> parts;
    for (const auto& item : upTo(most, items)) parts.emplace_back(make(item));
    if (items.size() > most) parts.emplace_back(more(items.size() - most));
    return parts;
}

}  // namespace roofscope::doc
