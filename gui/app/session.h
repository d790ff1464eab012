// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QObject>
#include <QStringList>
#include <QVariantMap>

#include "gui/app/documents.h"
#include "gui/app/translation.h"
#include "gui/views/widgets/theme.h"

namespace roofscope::gui {

/// What the window remembers from one run to the next, in the user's settings. With `kept` false
/// (screenshots, tests) it reads and writes nothing.
class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(bool kept);

    [[nodiscard]] bool kept() const { return m_kept; }

    /// Recently opened files, newest first.
    [[nodiscard]] const QStringList& recent() const { return m_recent; }
    void remember(const QString& path);
    void forgetRecent();

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice theme) { write(QStringLiteral("theme"), int(theme)); }
    [[nodiscard]] double scale() const { return value(QStringLiteral("scale"), 1.0).toDouble(); }
    void setScale(double scale) { write(QStringLiteral("scale"), scale); }
    [[nodiscard]] LanguageChoice language() const;
    void setLanguage(LanguageChoice language) {
        write(QStringLiteral("language"), toSetting(language));
    }
    [[nodiscard]] QByteArray geometry() const {
        return value(QStringLiteral("geometry")).toByteArray();
    }
    void setGeometry(const QByteArray& geometry) { write(QStringLiteral("geometry"), geometry); }
    /// The parts of the views' state that the settings keep: for example the layout, but not the
    /// filter. `now` is the current state.
    [[nodiscard]] QVariantMap viewState(const QVariantMap& now) const;
    void setViewState(const QVariantMap& now);

    /// What was open when the window was closed.
    [[nodiscard]] OpenFiles openFiles() const;
    void setOpenFiles(const OpenFiles& open);
    /// The kernel table's filter when the window was closed.
    [[nodiscard]] QString filter() const {
        return value(QStringLiteral("session/filter")).toString();
    }
    void setFilter(const QString& filter) { write(QStringLiteral("session/filter"), filter); }

Q_SIGNALS:
    void recentChanged(const QStringList& paths);

private:
    [[nodiscard]] QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    void write(const QString& key, const QVariant& value) const;

    bool m_kept;
    QStringList m_recent;
};

}  // namespace roofscope::gui
