// SPDX-License-Identifier: Apache-2.0
#include "gui/app/translation.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <iterator>

#include "gui/models/text/shown_language.h"

#ifdef ROOFSCOPE_HAVE_TRANSLATIONS
/// Needed because the resource is in a static library, see initResources() in main_window.cpp.
static void initTranslations() { Q_INIT_RESOURCE(translations); }
#else
static void initTranslations() {}
#endif

namespace roofscope::gui {
namespace {

QString fileOf(Language language) {
    initTranslations();
    return QStringLiteral(":/translations/roofscope_%1.qm")
        .arg(QString::fromStdString(factsOf(language).locale));
}

std::optional<Language> languageOf(const QString& locale) {
    for (const Language language : languages())
        if (locale.startsWith(QLatin1String(toString(language)), Qt::CaseInsensitive))
            return language;
    return std::nullopt;
}

bool hasWindowIn(Language language) {
    return language == Language::En || QFile::exists(fileOf(language));
}

}  // namespace

std::vector<Language> windowLanguages() {
    std::vector<Language> found;
    std::ranges::copy_if(languages(), std::back_inserter(found), hasWindowIn);
    return found;
}

QString nameOf(Language language) { return QString::fromStdString(factsOf(language).name); }

QString toSetting(LanguageChoice choice) {
    return choice ? QString::fromUtf8(toString(*choice)) : QStringLiteral("system");
}

LanguageChoice languageChoice(const QString& setting) {
    const auto language = parseLanguage(setting.toStdString());
    return language && hasWindowIn(*language) ? language : std::nullopt;
}

Language firstLanguage(const QStringList& locales) {
    for (const QString& name : locales)
        if (const auto language = languageOf(name); language && hasWindowIn(*language))
            return *language;
    return Language::En;
}

Language systemLanguage() {
    const auto asked = parseLanguage(qEnvironmentVariable("ROOFSCOPE_LANG").toStdString());
    return asked && hasWindowIn(*asked) ? *asked : firstLanguage(QLocale::system().uiLanguages());
}

Language exportLanguage() {
    return qEnvironmentVariableIsEmpty("ROOFSCOPE_LANG") ? Language::En : systemLanguage();
}

Result<void> useLanguage(Language language) {
    // Our texts, and Qt's own (buttons of its dialogs) if the system has that translation.
    static QTranslator ours, qts;
    if (!hasWindowIn(language))
        return Error{.code = ErrorCode::Unavailable,
                     .what = "this roofscope-gui was built without " + factsOf(language).english,
                     .advice =
                         "install Qt's lrelease (Debian: qt6-tools-dev, qt6-l10n-tools) and "
                         "build again; `roofscope report --lang " +
                         std::string(toString(language)) + "` has it"};
    if (language == shownLanguage()) return {};
    QCoreApplication::removeTranslator(&ours);
    QCoreApplication::removeTranslator(&qts);
    if (language != Language::En) {
        if (!ours.load(fileOf(language)))
            return Error{.code = ErrorCode::Internal,
                         .what = "the built-in translation cannot be read",
                         .advice = "please report this"};
        if (qts.load(QStringLiteral("qtbase_") + QString::fromStdString(factsOf(language).locale),
                     QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
            QCoreApplication::installTranslator(&qts);
        QCoreApplication::installTranslator(&ours);
    }
    setShownLanguage(language);
    return {};
}

}  // namespace roofscope::gui
