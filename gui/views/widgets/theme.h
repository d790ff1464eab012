// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>

#include "reports/plot/draw_list.h"

class QApplication;

namespace roofscope::gui {

enum class ThemeChoice { System, Light, Dark };

/// Colours of the window around the plot. As WCAG AA asks, contrast to its ground is at least 4.5 :
/// 1 for text (text, muted, error, better, and focus, which links have), 3 : 1 for what must be
/// seen (accent, outline of fields, focus).
struct ThemeColours {
    QColor window, base, alternate, text, muted, border, outline, accent, onAccent, bar, error,
        errorGround, info, infoGround, code, better, focus;
};
[[nodiscard]] const ThemeColours& themeColours(plot::Theme theme);

/// Light or dark; for System, what the desktop's own palette is.
[[nodiscard]] plot::Theme resolveTheme(ThemeChoice choice);
/// Gives the whole program palette and style sheet of a theme.
void applyTheme(QApplication& app, plot::Theme theme);

}  // namespace roofscope::gui
