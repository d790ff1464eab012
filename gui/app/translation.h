// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "analyzer/language/words.h"
#include "profile/errors/result.h"

namespace roofscope::gui {

/// What the user chose: a language, or nullopt for that of the system.
using LanguageChoice = std::optional<Language>;

/// The languages that this build has a window in. Without Qt's lrelease it has English only.
[[nodiscard]] std::vector<Language> windowLanguages();
/// The name of a language in that language.
[[nodiscard]] QString nameOf(Language language);
/// "system", "en", "zh": how a choice is kept in the settings. Anything unknown is the system's.
[[nodiscard]] QString toSetting(LanguageChoice choice);
[[nodiscard]] LanguageChoice languageChoice(const QString& setting);

/// The first of some locales ("zh_CN", "en-GB") that there is a window in; English without one.
[[nodiscard]] Language firstLanguage(const QStringList& locales);
/// The first of the user's languages that there is a window in: ROOFSCOPE_LANG (docs/languages.md),
/// else the system's locale.
[[nodiscard]] Language systemLanguage();
/// The language of what is written for somebody else: ROOFSCOPE_LANG, and English without it. The
/// locale of the machine that happens to write a file says little about who reads it.
[[nodiscard]] Language exportLanguage();

/// Changes the language of the whole program; windows that are open follow. Needs an application.
Result<void> useLanguage(Language language);

}  // namespace roofscope::gui
