// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language/words.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/args.h>

#include "analyzer/language/sentence.h"

namespace roofscope {

struct Words::Text {
    std::string english;
    std::string context = {};
    bool translatable = true;
    std::vector<WordsGap> gaps = {};
    std::vector<std::string> inEach = {};  ///< by language; replaces all of the above

    [[nodiscard]] bool is(std::string_view text, std::string_view where, bool canBe) const {
        return english == text && context == where && translatable == canBe;
    }
    bool operator==(const Text& other) const = default;
};

namespace {

std::string filled(std::string_view sentence, const std::vector<WordsGap>& gaps,
                   Language language) {
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (const WordsGap& gap : gaps)
        std::visit(
            [&](const auto& value) {
                if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, Words>)
                    store.push_back(value.in(language));
                else
                    store.push_back(value);
            },
            gap.value());
    return fillSentence(sentence, store);
}

}  // namespace

Words::Words(InContext text, std::vector<WordsGap> gaps)
    : m_text(std::make_shared<const Text>(
          Text{.english = text.english, .context = text.context, .gaps = std::move(gaps)})) {}

Words Words::translatable(std::string_view english, std::string_view context) {
    return kept(english, context, true);
}

Words Words::lasting(std::string_view text) { return kept(text, {}, false); }

Words Words::kept(std::string_view english, std::string_view context, bool translatable) {
    if (english.empty()) return {};
    // Most texts are literals that were looked up before, so try a cache by address first.
    constexpr std::size_t kMet = 1024;
    thread_local std::array<const Text*, kMet> met;
    const auto address = reinterpret_cast<std::uintptr_t>(english.data());
    const Text*& text = met[(address ^ (address >> 10) ^ english.size()) % kMet];
    if (!text || !text->is(english, context, translatable)) {
        using Key = std::tuple<std::string_view, std::string_view, bool>;
        static std::mutex mutex;
        // Never destroyed: words in static storage may outlive it.
        static auto& all = *new std::map<Key, const Text*>;
        const std::lock_guard lock(mutex);
        const auto found = all.find({english, context, translatable});
        text = found != all.end() ? found->second
                                  : new Text{.english = std::string(english),
                                             .context = std::string(context),
                                             .translatable = translatable};
        if (found == all.end())
            all.emplace(Key{text->english, text->context, text->translatable}, text);
    }
    Words words;
    // Without an owner, so that copies need no reference count.
    words.m_text = std::shared_ptr<const Text>(std::shared_ptr<const Text>(), text);
    return words;
}

Words Words::same(std::string text) {
    Words words;
    if (!text.empty())
        words.m_text =
            std::make_shared<const Text>(Text{.english = std::move(text), .translatable = false});
    return words;
}

Words Words::inEach(const std::function<std::string(Language)>& text) {
    Text made;
    for (const Language language : languages()) made.inEach.push_back(text(language));
    made.english = made.inEach.front();
    Words words;
    if (!made.english.empty()) words.m_text = std::make_shared<const Text>(std::move(made));
    return words;
}

std::string Words::in(Language language) const {
    if (!m_text) return {};
    const Text& text = *m_text;
    if (!text.inEach.empty()) return text.inEach.at(static_cast<std::size_t>(language));
    if (!text.translatable) return text.english;
    const std::string_view sentence = translated(language, text.english, text.context);
    return text.gaps.empty() ? std::string(sentence) : filled(sentence, text.gaps, language);
}

bool Words::operator==(const Words& other) const {
    return m_text == other.m_text || (m_text && other.m_text && *m_text == *other.m_text);
}

}  // namespace roofscope
