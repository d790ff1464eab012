// SPDX-License-Identifier: Apache-2.0
#include "gui/app/session.h"

#include <QSettings>

#include "gui/models/text/file_name.h"

namespace roofscope::gui {
namespace {

constexpr int kMaxRecent = 10;

/// Whether the settings keep this part of the views' state.
bool isKept(const QString& key) {
    static const QStringList kKept{QStringLiteral("columns"),       QStringLiteral("docks"),
                                   QStringLiteral("detailsHeight"), QStringLiteral("kernelTree"),
                                   QStringLiteral("details"),       QStringLiteral("detailsWidth"),
                                   QStringLiteral("hintTokens"),    QStringLiteral("overview")};
    return kKept.contains(key) || key.startsWith(QLatin1String("levels/"));
}

/// Stores names as bytes: settings are UTF-8, but file names need not be.
QVariantList stored(const QStringList& names) {
    QVariantList bytes;
    for (const QString& name : names) bytes << fileBytes(name);
    return bytes;
}

QStringList restored(const QVariant& stored) {
    // Earlier versions wrote strings.
    if (stored.typeId() == QMetaType::QString) return {stored.toString()};
    QStringList names;
    for (const QVariant& bytes : stored.toList()) names << fileName(bytes.toByteArray());
    return names;
}

}  // namespace

Session::Session(bool kept) : m_kept(kept), m_recent(restored(value(QStringLiteral("recent")))) {}

QVariant Session::value(const QString& key, const QVariant& otherwise) const {
    return m_kept ? QSettings().value(key, otherwise) : otherwise;
}

void Session::write(const QString& key, const QVariant& value) const {
    if (m_kept) QSettings().setValue(key, value);
}

void Session::remember(const QString& path) {
    m_recent.removeAll(path);
    m_recent.prepend(path);
    while (m_recent.size() > kMaxRecent) m_recent.removeLast();
    write(QStringLiteral("recent"), stored(m_recent));
    Q_EMIT recentChanged(m_recent);
}

void Session::forgetRecent() {
    m_recent.clear();
    write(QStringLiteral("recent"), stored(m_recent));
    Q_EMIT recentChanged(m_recent);
}

ThemeChoice Session::theme() const {
    const int stored = value(QStringLiteral("theme"), int(ThemeChoice::System)).toInt();
    return stored >= int(ThemeChoice::System) && stored <= int(ThemeChoice::Dark)
               ? static_cast<ThemeChoice>(stored)
               : ThemeChoice::System;
}

LanguageChoice Session::language() const {
    return languageChoice(value(QStringLiteral("language")).toString());
}

QVariantMap Session::viewState(const QVariantMap& now) const {
    QVariantMap state;
    for (const QString& key : now.keys())
        if (const QVariant stored = isKept(key) ? value(key) : QVariant(); stored.isValid())
            state.insert(key, stored);
    return state;
}

void Session::setViewState(const QVariantMap& now) {
    for (auto entry = now.begin(); entry != now.end(); ++entry)
        if (isKept(entry.key())) write(entry.key(), entry.value());
}

OpenFiles Session::openFiles() const {
    return {.files = restored(value(QStringLiteral("session/files"))),
            .kernels = value(QStringLiteral("session/kernels")).toStringList(),
            .shown = value(QStringLiteral("session/current")).toInt()};
}

void Session::setOpenFiles(const OpenFiles& open) {
    write(QStringLiteral("session/files"), stored(open.files));
    write(QStringLiteral("session/kernels"), open.kernels);
    write(QStringLiteral("session/current"), open.shown);
}

}  // namespace roofscope::gui
