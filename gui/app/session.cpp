// SPDX-License-Identifier: Apache-2.0
#include "gui/app/session.h"

#include <QSettings>

#include "gui/models/text/file_name.h"

namespace roofscope::gui {
namespace {

constexpr int kMaxRecent = 10;

/// Stored as bytes: settings are UTF-8, file names need not be.
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

QVariant Session::value(const QString& key, const QVariant& otherwise) const {
    return m_kept ? QSettings().value(key, otherwise) : otherwise;
}

void Session::write(const QString& key, const QVariant& value) const {
    if (m_kept) QSettings().setValue(key, value);
}

void Session::load() { m_recent = restored(value(QStringLiteral("recent"))); }

void Session::remember(const QString& path) {
    m_recent.removeAll(path);
    m_recent.prepend(path);
    while (m_recent.size() > kMaxRecent) m_recent.removeLast();
    write(QStringLiteral("recent"), stored(m_recent));
}

void Session::forgetRecent() {
    m_recent.clear();
    write(QStringLiteral("recent"), stored(m_recent));
}

ThemeChoice Session::theme() const {
    const int stored = value(QStringLiteral("theme"), int(ThemeChoice::System)).toInt();
    return stored >= int(ThemeChoice::System) && stored <= int(ThemeChoice::Dark)
               ? static_cast<ThemeChoice>(stored)
               : ThemeChoice::System;
}

QVariantMap Session::views(const QVariantMap& wanted) const {
    QVariantMap state;
    for (const QString& key : wanted.keys())
        if (const QVariant kept = value(key); kept.isValid()) state.insert(key, kept);
    return state;
}

void Session::setViews(const QVariantMap& state) {
    for (auto entry = state.begin(); entry != state.end(); ++entry)
        write(entry.key(), entry.value());
}

Session::Open Session::open() const {
    return {.files = restored(value(QStringLiteral("session/files"))),
            .kernels = value(QStringLiteral("session/kernels")).toStringList(),
            .current = value(QStringLiteral("session/current")).toInt(),
            .filter = value(QStringLiteral("session/filter")).toString()};
}

void Session::setOpen(const Open& open) {
    write(QStringLiteral("session/files"), stored(open.files));
    write(QStringLiteral("session/kernels"), open.kernels);
    write(QStringLiteral("session/current"), open.current);
    write(QStringLiteral("session/filter"), open.filter);
}

}  // namespace roofscope::gui
