// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
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
    Words(std::string en, std::string zh) {
        if (!en.empty() || !zh.empty())
            m_texts = std::make_shared<const Texts>(Texts{std::move(en), std::move(zh)});
    }
    /// Literals are stored once, until the program ends: findings are made of them.
    template <std::size_t En, std::size_t Zh>
    Words(const char (&en)[En], const char (&zh)[Zh])
        : Words(lasting(std::string_view(en), std::string_view(zh))) {}
    /// The same for other texts of which there are few: those of a rule. Not for names from a
    /// profile.
    [[nodiscard]] static Words lasting(std::string_view en, std::string_view zh);
    /// One that is written the same everywhere.
    [[nodiscard]] static Words lasting(std::string_view text) { return lasting(text, text); }
    /// What is written the same everywhere: names, numbers, code.
    [[nodiscard]] static Words same(const std::string& text) { return {text, text}; }

    [[nodiscard]] const std::string& in(Language language) const {
        static const std::string none;
        return m_texts ? (*m_texts)[static_cast<std::size_t>(language)] : none;
    }
    [[nodiscard]] bool empty() const { return in(Language::En).empty(); }
    bool operator==(const Words& other) const {
        return m_texts == other.m_texts || (m_texts && other.m_texts && *m_texts == *other.m_texts);
    }

private:
    using Texts = std::array<std::string, kLanguages.size()>;
    /// Shared by copies, and nothing where there are no words: most findings' arguments have none.
    std::shared_ptr<const Texts> m_texts;
};

}  // namespace roofscope
