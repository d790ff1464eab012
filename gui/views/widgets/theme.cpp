// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QStyleFactory>
#include <QToolTip>

/// Needed for a resource in a static library, see initResources() in main_window.cpp.
static void initStyle() { Q_INIT_RESOURCE(style); }

namespace roofscope::gui {
namespace {

QPalette makePalette(const ThemeColours& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.base);
    palette.setColor(QPalette::AlternateBase, c.alternate);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.muted);
    palette.setColor(QPalette::Button, c.window);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::ToolTipBase, c.base);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.accent);
    palette.setColor(QPalette::HighlightedText, c.onAccent);
    palette.setColor(QPalette::Link, c.focus);
    palette.setColor(QPalette::Mid, c.border);
    palette.setColor(QPalette::Dark, c.border.darker(120));
    palette.setColor(QPalette::Light, c.base);
    palette.setColor(QPalette::Midlight, c.alternate);
    palette.setColor(QPalette::Shadow, c.border.darker(150));
    for (const QPalette::ColorRole role :
         {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) {
        QColor faded = c.muted;
        faded.setAlphaF(0.6F);
        palette.setColor(QPalette::Disabled, role, faded);
    }
    return palette;
}

/// The style sheet with @names replaced by the theme's colours.
QString makeStyleSheet(const ThemeColours& c) {
    const std::pair<const char*, QColor> names[] = {{"@accentHover", c.accent.lighter(112)},
                                                    {"@accent", c.accent},
                                                    {"@onAccent", c.onAccent},
                                                    {"@window", c.window},
                                                    {"@base", c.base},
                                                    {"@alternate", c.alternate},
                                                    {"@text", c.text},
                                                    {"@muted", c.muted},
                                                    {"@border", c.border},
                                                    {"@outline", c.outline},
                                                    {"@bar", c.bar},
                                                    {"@errorGround", c.errorGround},
                                                    {"@error", c.error},
                                                    {"@infoGround", c.infoGround},
                                                    {"@info", c.info},
                                                    {"@focus", c.focus},
                                                    {"@better", c.better},
                                                    {"@code", c.code}};
    initStyle();
    QFile file(QStringLiteral(":/style.qss"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString sheet = QString::fromUtf8(file.readAll());
    for (const auto& [name, colour] : names) sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

}  // namespace

const ThemeColours& themeColours(plot::Theme theme) {
    const auto rgb = [](const char* name) { return QColor(QLatin1String(name)); };
    static const ThemeColours light{.window = rgb("#f2f4f7"),
                                    .base = rgb("#ffffff"),
                                    .alternate = rgb("#f7f8fa"),
                                    .text = rgb("#1c2128"),
                                    .muted = rgb("#57606a"),
                                    .border = rgb("#d3d9e0"),
                                    .outline = rgb("#7d8691"),
                                    .accent = rgb("#0b5cc0"),
                                    .onAccent = rgb("#ffffff"),
                                    .bar = rgb("#e4eaf2"),
                                    .error = rgb("#b3261e"),
                                    .errorGround = rgb("#fdecea"),
                                    .info = rgb("#0b5cc0"),
                                    .infoGround = rgb("#e7f0fb"),
                                    .code = rgb("#f0f3f6"),
                                    .better = rgb("#00694f"),
                                    .focus = rgb("#0b5cc0")};
    static const ThemeColours dark{.window = rgb("#15181d"),
                                   .base = rgb("#1c2027"),
                                   .alternate = rgb("#21262e"),
                                   .text = rgb("#e4e8ee"),
                                   .muted = rgb("#9aa5b1"),
                                   .border = rgb("#353c46"),
                                   .outline = rgb("#7a8591"),
                                   .accent = rgb("#2f74d0"),
                                   .onAccent = rgb("#ffffff"),
                                   .bar = rgb("#2b3441"),
                                   .error = rgb("#ff8a80"),
                                   .errorGround = rgb("#3a1f1f"),
                                   .info = rgb("#6aaaf7"),
                                   .infoGround = rgb("#1b2b40"),
                                   .code = rgb("#262c35"),
                                   .better = rgb("#45c8a0"),
                                   .focus = rgb("#6aaaf7")};
    return theme == plot::Theme::Dark ? dark : light;
}

plot::Theme resolveTheme(ThemeChoice choice) {
    // Read once: applyTheme() later replaces the system's palette.
    static const bool systemIsDark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    if (choice == ThemeChoice::System) return systemIsDark ? plot::Theme::Dark : plot::Theme::Light;
    return choice == ThemeChoice::Dark ? plot::Theme::Dark : plot::Theme::Light;
}

void applyTheme(QApplication& app, plot::Theme theme) {
    const ThemeColours& colours = themeColours(theme);
    static const bool fusion = [] {
        // Only the Fusion style looks the same on all platforms with our palette and style sheet.
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        return true;
    }();
    Q_UNUSED(fusion)
    QApplication::setPalette(makePalette(colours));
    QToolTip::setPalette(makePalette(colours));
    app.setStyleSheet(makeStyleSheet(colours));
}

}  // namespace roofscope::gui
