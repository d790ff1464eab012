// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include "gui/app/translation.h"
#include "gui/views/widgets/theme.h"

class QWidget;

namespace roofscope::gui {

class Messages;
class Session;
class Workspace;

/// Theme, text size and language that the user chose, for the whole program. Ctrl and the mouse
/// wheel over `window` change the size.
class Look : public QObject {
    Q_OBJECT
public:
    /// `language` is the choice that was passed to useLanguage().
    Look(QWidget& window, Messages& messages, Session& session, LanguageChoice language);
    ~Look() override;

    /// From now on, applies the look to this workspace.
    void follow(Workspace& views);

    /// Sets theme and size at once.
    void restore(ThemeChoice theme, double scale);
    void setTheme(ThemeChoice choice);
    [[nodiscard]] ThemeChoice theme() const { return m_theme; }
    /// Makes text and plots larger or smaller; 1 is the system's size.
    void setScale(double scale);
    /// Makes text and plots larger (positive) or smaller (negative) by some steps.
    void changeScale(int steps);
    [[nodiscard]] double scale() const { return m_scale; }
    /// Changes the language and remembers the choice.
    void setLanguage(LanguageChoice choice);
    [[nodiscard]] LanguageChoice language() const { return m_language; }

Q_SIGNALS:
    void themeChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& m_window;
    Messages& m_messages;
    Session& m_session;
    Workspace* m_views = nullptr;
    ThemeChoice m_theme = ThemeChoice::System;
    LanguageChoice m_language;
    double m_scale = 1;
    double m_fontSize;  ///< in points, at scale 1
};

}  // namespace roofscope::gui
