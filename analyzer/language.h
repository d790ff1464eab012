// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace roofscope {

/// A language that reports can be written in (docs/languages.md).
enum class Language {
    En,  ///< English
    Zh   ///< Simplified Chinese
};
inline constexpr std::array kLanguages{Language::En, Language::Zh};
[[nodiscard]] const char* toString(Language language);  ///< "en", "zh"
[[nodiscard]] std::optional<Language> parseLanguage(std::string_view name);

/// A piece of text in every language. It cannot be made of one language alone: who writes a new
/// word in one place writes it in all languages there.
class Words {
public:
    Words() = default;
    Words(std::string en, std::string zh) : m_texts{std::move(en), std::move(zh)} {}
    /// What is written the same everywhere: names, numbers, code.
    [[nodiscard]] static Words same(const std::string& text) { return {text, text}; }

    [[nodiscard]] const std::string& in(Language language) const {
        return m_texts[static_cast<std::size_t>(language)];
    }
    [[nodiscard]] bool empty() const { return in(Language::En).empty(); }
    bool operator==(const Words&) const = default;

private:
    std::array<std::string, kLanguages.size()> m_texts;
};

}  // namespace roofscope
