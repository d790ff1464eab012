// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariantMap>

#include "gui/views/widgets/theme.h"

namespace roofscope::gui {

/// What the window remembers from one run to the next, in the user's settings. With `kept` false
/// (screenshots, tests) it reads and writes nothing.
class Session {
public:
    explicit Session(bool kept) : m_kept(kept) {}

    [[nodiscard]] bool kept() const { return m_kept; }

    /// Recently opened files, newest first.
    [[nodiscard]] const QStringList& recent() const { return m_recent; }
    void remember(const QString& path);
    void forgetRecent();

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice theme) { write(QStringLiteral("theme"), int(theme)); }
    [[nodiscard]] double scale() const { return value(QStringLiteral("scale"), 1.0).toDouble(); }
    void setScale(double scale) { write(QStringLiteral("scale"), scale); }
    [[nodiscard]] QByteArray geometry() const {
        return value(QStringLiteral("geometry")).toByteArray();
    }
    void setGeometry(const QByteArray& geometry) { write(QStringLiteral("geometry"), geometry); }
    /// The stored layout of the widgets: those keys of `wanted` that the settings have.
    [[nodiscard]] QVariantMap views(const QVariantMap& wanted) const;
    void setViews(const QVariantMap& state);

    /// What was open when the window was closed.
    struct Open {
        QStringList files;
        QStringList kernels;  ///< for each file, the full name of the selected kernel, or empty
        int current = 0;
        QString filter;
    };
    [[nodiscard]] Open open() const;
    void setOpen(const Open& open);

    /// Reads the recent files from the settings.
    void load();

private:
    [[nodiscard]] QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    void write(const QString& key, const QVariant& value) const;

    bool m_kept;
    QStringList m_recent;
};

}  // namespace roofscope::gui
