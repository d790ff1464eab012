// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>

#include "reports/plot/draw_list.h"

class QApplication;

namespace roofscope::gui {

enum class ThemeChoice { System, Light, Dark };

/// Colours of the window around the plot. Contrast to the background follows WCAG AA: at least
/// 4.5 : 1 for text (text, muted, error, better, and focus, which links use), 3 : 1 for other
/// visible parts (accent, outline of fields, focus).
struct ThemeColours {
    QColor window, base, alternate, text, muted, border, outline, accent, onAccent, bar, error,
        errorGround, info, infoGround, code, better, focus;
};
[[nodiscard]] const ThemeColours& themeColours(plot::Theme theme);

/// Light or dark. For System, the same as the desktop's palette.
[[nodiscard]] plot::Theme resolveTheme(ThemeChoice choice);
/// Applies the palette and style sheet of a theme to the whole program.
void applyTheme(QApplication& app, plot::Theme theme);

}  // namespace roofscope::gui
