// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "analyzer/language/language.h"

namespace roofscope {

class WordsGap;

/// A piece of text that can be shown in every language: English words, and the values of their
/// gaps. It is translated when it is shown:
///
///     Words("shared memory")
///     Words("{kind} {fell} from {from} to {to}")  // names: filled later, with arguments
///     wordsOf("{} at {}", opcode, place)          // gaps: analyzer/language/sentence.h
class Words {
public:
    Words() = default;
    /// Stored once, until the program ends, because findings are made of literals.
    template <std::size_t size>
    explicit Words(const char (&english)[size])
        : Words(translatable(std::string_view(english, size - 1))) {}
    explicit Words(InContext text) : Words(translatable(text.english, text.context)) {}
    /// For `wordsOf`, which checks the gaps.
    Words(InContext text, std::vector<WordsGap> gaps);
    /// The same for a few English texts that are stored elsewhere, such as those of a rule. Not for
    /// texts that contain names from a profile.
    [[nodiscard]] static Words translatable(std::string_view english,
                                            std::string_view context = {});
    /// Text that is the same in all languages: names, numbers, code.
    [[nodiscard]] static Words same(std::string text);
    /// The same for a small set of texts, such as names of counters.
    [[nodiscard]] static Words lasting(std::string_view text);
    /// Text that no sentence with gaps can express, put into all languages at once.
    [[nodiscard]] static Words inEach(const std::function<std::string(Language)>& text);

    [[nodiscard]] std::string in(Language language) const;
    [[nodiscard]] bool empty() const { return m_text == nullptr; }
    bool operator==(const Words& other) const;

private:
    struct Text;
    static Words kept(std::string_view english, std::string_view context, bool translatable);

    /// Shared by copies. Null without words, as in most arguments of findings.
    std::shared_ptr<const Text> m_text;
};

/// The value that fills a gap.
class WordsGap {
public:
    WordsGap(Words words) : m_value(std::move(words)) {}              // NOLINT
    WordsGap(std::convertible_to<std::string_view> auto const& text)  // NOLINT
        : m_value(std::string(std::string_view(text))) {}
    WordsGap(std::floating_point auto number) : m_value(static_cast<double>(number)) {}  // NOLINT
    WordsGap(std::signed_integral auto number)                                           // NOLINT
        : m_value(static_cast<long long>(number)) {}
    WordsGap(std::unsigned_integral auto number)  // NOLINT
        : m_value(static_cast<unsigned long long>(number)) {}

    using Value = std::variant<Words, std::string, double, long long, unsigned long long>;
    [[nodiscard]] const Value& value() const { return m_value; }
    bool operator==(const WordsGap& other) const = default;

private:
    Value m_value;
};

}  // namespace roofscope
