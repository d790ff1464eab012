// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "profile/errors/result.h"

namespace CLI {
class App;
}

namespace roofscope::cli {

/// Adds "--lang"; `value` stays empty if it is not given.
void addLanguageOption(CLI::App& command, std::string& value);

/// The language of --lang, else of ROOFSCOPE_LANG: "en", "zh", or "auto" for the language of
/// LC_ALL, LC_MESSAGES or LANG. English if neither is given: the language of a report must not
/// depend on the machine that writes it, unless the user asks for that.
[[nodiscard]] Result<Language> chooseLanguage(const std::string& option);

}  // namespace roofscope::cli
