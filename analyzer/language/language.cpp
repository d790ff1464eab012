// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language/language.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "profile/files/embedded_file.h"

namespace roofscope {

namespace translations {
/// Generated: all `*/translations/*.json` with their paths.
std::span<const EmbeddedFile> files();
}  // namespace translations

namespace {

/// "zh" of "analyzer/translations/zh.json"
std::string_view codeOf(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    return path.substr(0, path.rfind('.'));
}

/// Never destroyed, because words in static storage may look up languages until the end.
const std::vector<std::string>& codes() {
    static const auto& kCodes = *[] {
        std::set<std::string, std::less<>> found;
        for (const EmbeddedFile& file : translations::files()) found.emplace(codeOf(file.name));
        auto* all = new std::vector<std::string>{"en"};
        all->insert(all->end(), found.begin(), found.end());
        return all;
    }();
    return kCodes;
}

/// Allows look-ups by view, so that they copy nothing.
struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
};
using Texts = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

/// Everything that the files of one language contain.
struct Catalogue {
    LanguageFacts facts;
    Texts texts;
    std::unordered_map<std::string, Texts, TextHash, std::equal_to<>> inContext;
};

/// Skips texts that are not translated (null) and those whose English has changed (an object).
void readTexts(const nlohmann::json& from, Texts& texts) {
    for (const auto& [english, text] : from.items())
        if (text.is_string()) texts.try_emplace(english, text.get<std::string>());
}

void readFacts(const nlohmann::json& from, LanguageFacts& facts) {
    facts.name = from.at("name");
    facts.english = from.at("english");
    facts.language = from.at("language");
    facts.locale = from.at("locale");
    facts.spaces = from.at("spaces");
    const auto& marks = from.at("marks");
    facts.marks = {.stop = marks.at("stop"),
                   .comma = marks.at("comma"),
                   .listComma = marks.at("list_comma"),
                   .semicolon = marks.at("semicolon"),
                   .colon = marks.at("colon"),
                   .gap = marks.at("gap")};
}

/// The files are part of the build and checked by a test, so an error in one of them is a bug.
Catalogue* readCatalogue(std::string_view code) {
    auto* catalogue = new Catalogue;
    for (const EmbeddedFile& file : translations::files()) {
        if (codeOf(file.name) != code) continue;
        const auto json = nlohmann::json::parse(file.content);
        if (json.contains("language")) readFacts(json["language"], catalogue->facts);
        readTexts(json.at("texts"), catalogue->texts);
        if (!json.contains("in_context")) continue;
        for (const auto& [context, texts] : json["in_context"].items())
            readTexts(texts, catalogue->inContext[context]);
    }
    return catalogue;
}

/// Read when a language is first needed, so that English costs nothing.
const Catalogue& catalogueOf(Language language) {
    // No std::call_once: an exception for want of memory would pass through a frame of C, for which
    // glibc loads libgcc_s, and ends the process if it has no memory for that.
    static auto& entries = *new std::vector<std::atomic<const Catalogue*>>(codes().size());
    static auto& reading = *new std::mutex;
    auto& entry = entries.at(static_cast<std::size_t>(language));
    if (const Catalogue* const known = entry.load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock(reading);
    if (!entry)
        entry.store(language == Language::En ? new Catalogue : readCatalogue(toString(language)),
                    std::memory_order_release);
    return *entry.load();
}

}  // namespace

std::span<const Language> languages() {
    static const auto& kAll = *[] {
        auto* all = new std::vector<Language>;
        for (std::size_t i = 0; i < codes().size(); ++i) all->push_back(static_cast<Language>(i));
        return all;
    }();
    return kAll;
}

const char* toString(Language language) {
    const auto index = static_cast<std::size_t>(language);
    return index < codes().size() ? codes()[index].c_str() : "?";
}

std::optional<Language> parseLanguage(std::string_view code) {
    for (const Language language : languages())
        if (code == toString(language)) return language;
    return std::nullopt;
}

std::string languageCodes() {
    std::string list;
    for (std::size_t i = 0; i < codes().size(); ++i)
        list += (i == 0 ? "" : i + 1 == codes().size() ? " or " : ", ") + codes()[i];
    return list;
}

const LanguageFacts& factsOf(Language language) { return catalogueOf(language).facts; }

std::optional<std::string_view> findTranslation(Language language, std::string_view english,
                                                std::string_view context) {
    if (language == Language::En) return english;
    const Catalogue& catalogue = catalogueOf(language);
    const Texts* texts = &catalogue.texts;
    if (!context.empty()) {
        const auto found = catalogue.inContext.find(context);
        if (found == catalogue.inContext.end()) return std::nullopt;
        texts = &found->second;
    }
    const auto found = texts->find(english);
    if (found == texts->end()) return std::nullopt;
    return found->second;
}

std::string_view translated(Language language, std::string_view english, std::string_view context) {
    return findTranslation(language, english, context).value_or(english);
}

}  // namespace roofscope
