// SPDX-License-Identifier: Apache-2.0
#include "cli/language_option.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace roofscope::cli {

namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// The language of the locale. Reads the variables in POSIX's order.
Language localeLanguage() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const std::string_view locale = variable(name);
        if (locale.empty()) continue;
        for (const Language language : languages())
            if (locale.starts_with(toString(language))) return language;
        break;
    }
    return Language::En;
}

Error unknown(std::string_view value, const char* where, std::string advice) {
    return {.code = ErrorCode::Usage,
            .what = "unknown language \"" + std::string(value.substr(0, 64)) + "\"",
            .where = where,
            .advice = std::move(advice)};
}

}  // namespace

void addLanguageOption(CLI::App& command, std::string& value) {
    command
        .add_option("--lang", value,
                    "Language: en (default)" + languageCodes().substr(2) +
                        "; without this option $ROOFSCOPE_LANG decides")
        ->type_name("LANG");
}

Result<Language> chooseLanguage(const std::string& option) {
    if (!option.empty()) {
        if (const auto language = parseLanguage(option)) return *language;
        return unknown(option, "--lang", "use " + languageCodes());
    }
    const std::string_view asked = variable("ROOFSCOPE_LANG");
    if (asked.empty()) return Language::En;
    if (asked == "auto") return localeLanguage();
    if (const auto language = parseLanguage(asked)) return *language;
    return unknown(asked, "ROOFSCOPE_LANG", "use " + languageCodes() + ", or auto");
}

}  // namespace roofscope::cli
