// SPDX-License-Identifier: Apache-2.0
#include "analyzer/language.h"

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

std::optional<Language> parseLanguage(std::string_view name) {
    for (const Language language : kLanguages)
        if (name == toString(language)) return language;
    return std::nullopt;
}

}  // namespace roofscope
