// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariantMap>

#include "gui/views/widgets/theme.h"

namespace roofscope::gui {

/// What the window remembers from one run to the next, in the user's settings. One that is not
/// kept (screenshots, tests) reads and writes nothing.
class Session {
public:
    explicit Session(bool kept) : m_kept(kept) {}

    [[nodiscard]] bool kept() const { return m_kept; }

    /// Files that were opened, the last one first.
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
    /// How the widgets are arranged: the keys that `wanted` has, as far as they are known.
    [[nodiscard]] QVariantMap views(const QVariantMap& wanted) const;
    void setViews(const QVariantMap& state);

    /// What was open when the window was closed.
    struct Open {
        QStringList files;
        QStringList kernels;  ///< full name of the selected one of each; may be empty
        int current = 0;
        QString filter;
    };
    [[nodiscard]] Open open() const;
    void setOpen(const Open& open);

    /// Reads what is kept.
    void load();

private:
    [[nodiscard]] QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    void write(const QString& key, const QVariant& value) const;

    bool m_kept;
    QStringList m_recent;
};

}  // namespace roofscope::gui
