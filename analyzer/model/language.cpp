// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/language.h"

#include <cstdint>
#include <mutex>
#include <set>

namespace roofscope {

const char* toString(Language language) {
    switch (language) {
        case Language::En:
            return "en";
        case Language::Zh:
            return "zh";
    }
    return "?";
}

Words Words::lasting(std::string_view en, std::string_view zh) {
    if (en.empty() && zh.empty()) return {};
    // As in SharedText: what was met at an address is looked for there first.
    struct Met {
        const char* en = nullptr;
        const Texts* texts = nullptr;
    };
    constexpr std::size_t kMet = 1024;
    thread_local std::array<Met, kMet> met;
    const auto address = reinterpret_cast<std::uintptr_t>(en.data());
    Met& entry = met[(address ^ (address >> 10) ^ en.size()) % kMet];
    if (!entry.texts || entry.en != en.data() || (*entry.texts)[0] != en ||
        (*entry.texts)[1] != zh) {
        static std::mutex mutex;
        // Never destroyed: words in static storage may outlive it.
        static auto& kept = *new std::set<Texts>;
        const std::lock_guard lock(mutex);
        entry = {.en = en.data(),
                 .texts = &*kept.insert(Texts{std::string(en), std::string(zh)}).first};
    }
    Words words;
    // Owned by nobody, so that copies need not be counted.
    words.m_texts = std::shared_ptr<const Texts>(std::shared_ptr<const Texts>(), entry.texts);
    return words;
}

std::optional<Language> parseLanguage(std::string_view name) {
    for (const Language language : kLanguages)
        if (name == toString(language)) return language;
    return std::nullopt;
}

}  // namespace roofscope
