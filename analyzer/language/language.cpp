// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language/language.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>
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

/// Reads one file value by value. A tree of values would need memory to be destroyed, and a
/// destructor that has none ends the process.
class CatalogueReader : public nlohmann::json::json_sax_t {
public:
    explicit CatalogueReader(Catalogue& catalogue) : m_catalogue(catalogue) {}

    bool null() override { return true; }  // not translated
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool boolean(bool value) override {
        if (isIn({"language"}) && m_key == "spaces") m_catalogue.facts.spaces = value;
        return true;
    }
    /// Texts whose English has changed are objects, and skipped by their depth.
    bool string(string_t& value) override {
        if (isIn({"texts"}))
            m_catalogue.texts.try_emplace(m_key, std::move(value));
        else if (m_path.size() == 2 && m_path.front() == "in_context")
            m_catalogue.inContext[m_path.back()].try_emplace(m_key, std::move(value));
        else if (std::string* const fact = factNamed(m_key))
            *fact = std::move(value);
        return true;
    }
    bool start_object(std::size_t) override {
        if (m_depth++ > 0) m_path.push_back(m_key);
        return true;
    }
    bool end_object() override {
        if (--m_depth > 0) m_path.pop_back();
        return true;
    }
    bool key(string_t& name) override {
        m_key = name;
        return true;
    }
    /// The files are part of the build and checked by a test, so an error in one of them is a bug.
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::json::exception& error) override {
        throw std::logic_error(error.what());
    }

private:
    [[nodiscard]] bool isIn(std::initializer_list<std::string_view> path) const {
        return std::ranges::equal(m_path, path);
    }
    std::string* factNamed(std::string_view name) {
        LanguageFacts& facts = m_catalogue.facts;
        if (isIn({"language"}))
            return name == "name"       ? &facts.name
                   : name == "english"  ? &facts.english
                   : name == "language" ? &facts.language
                   : name == "locale"   ? &facts.locale
                                        : nullptr;
        if (!isIn({"language", "marks"})) return nullptr;
        auto& marks = facts.marks;
        return name == "stop"         ? &marks.stop
               : name == "comma"      ? &marks.comma
               : name == "list_comma" ? &marks.listComma
               : name == "semicolon"  ? &marks.semicolon
               : name == "colon"      ? &marks.colon
               : name == "gap"        ? &marks.gap
                                      : nullptr;
    }

    Catalogue& m_catalogue;
    std::vector<std::string> m_path;  ///< names of the open objects, the outermost first
    std::string m_key;
    std::size_t m_depth = 0;
};

Catalogue* readCatalogue(std::string_view code) {
    auto catalogue = std::make_unique<Catalogue>();
    for (const EmbeddedFile& file : translations::files()) {
        if (codeOf(file.name) != code) continue;
        CatalogueReader reader(*catalogue);
        nlohmann::json::sax_parse(file.content, &reader);
    }
    return catalogue.release();
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
