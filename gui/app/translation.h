// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// The user's choice: a language, or nullopt for the system's language.
using LanguageChoice = std::optional<Language>;

/// The languages that this build has texts for. Without Qt's lrelease only English.
[[nodiscard]] std::vector<Language> windowLanguages();
/// The name of a language in that language.
[[nodiscard]] QString nameOf(Language language);
/// How the settings store a choice: "system", "en", "zh". Unknown values mean "system".
[[nodiscard]] QString toSetting(LanguageChoice choice);
[[nodiscard]] LanguageChoice languageChoice(const QString& setting);

/// The language of the first locale ("zh_CN", "en-GB") that windowLanguages() has; else English.
[[nodiscard]] Language firstLanguage(const QStringList& locales);
/// The language of ROOFSCOPE_LANG (docs/languages.md) if windowLanguages() has it, else of the
/// system's locales.
[[nodiscard]] Language systemLanguage();
/// The language of exported files: English unless ROOFSCOPE_LANG is set. Files are often read by
/// somebody else, so the locale of this machine does not count.
[[nodiscard]] Language exportLanguage();

/// Changes the language of the whole program; open windows follow. Needs a QCoreApplication.
Result<void> useLanguage(Language language);

}  // namespace roofscope::gui
