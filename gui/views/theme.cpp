// SPDX-License-Identifier: Apache-2.0
#include "gui/views/theme.h"

#include <QApplication>
#include <QStyleFactory>
#include <QToolTip>
#include <algorithm>
#include <cmath>

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

QString makeStyleSheet(const ThemeColours& c) {
    QString sheet = QStringLiteral(R"(
QMainWindow, QDialog { background: @window; }
QMenuBar { background: @window; color: @text; padding: 2px 4px; border-bottom: 1px solid @border; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @bar; }
QMenu { background: @base; color: @text; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @accent; color: @onAccent; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
QSplitter::handle { background: @window; }
QSplitter::handle:hover { background: @bar; }
QStatusBar { background: @window; color: @muted; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; padding: 1px 6px; }
QStatusBar #statusSaid { color: @text; font-weight: 600; }
QStatusBar #statusMark { color: @accent; }
#answer { background: @base; }
#card { background: @alternate; border: 1px solid @border; border-radius: 6px; }
#gain { color: @better; }
#strip { background: @alternate; border-top: 1px solid @border; }
#chip { background: @base; padding: 2px 7px; border-radius: 9px; }
#fold { background: transparent; border: 1px solid transparent; color: @muted; text-align: left; padding: 3px 2px; }
#fold:hover { color: @text; background: @bar; }
#flat { background: transparent; border: 1px solid transparent; padding: 2px 6px; }
#flat:hover { background: @bar; }
QDockWidget { color: @text; }
QMainWindow::separator { background: @window; width: 7px; height: 7px; }
QMainWindow::separator:hover { background: @bar; }
#pane { background: @base; border: 1px solid @border; border-radius: 6px; }
#paneHeader { background: transparent; border-bottom: 1px solid @border; }
#paneTitle { font-weight: 600; color: @text; }
#hint { color: @muted; }
#errorText { color: @error; }
QTableView, QTreeView { background: @base; alternate-background-color: @alternate; color: @text; border: none;
  gridline-color: transparent; selection-background-color: @accent; selection-color: @onAccent; }
QTableView::item, QTreeView::item { padding: 0 6px; border: none; }
QTreeView { outline: none; show-decoration-selected: 1; }
QTreeView::item:selected { background: @accent; color: @onAccent; }
QTreeView::branch:selected { background: @accent; }
#paneHeader QToolButton { padding: 3px 3px; }
#paneHeader QToolButton::menu-indicator { subcontrol-position: right center; }
#paneHeader QToolButton[popupMode="2"] { padding-right: 14px; }
QHeaderView { background: @base; border: none; }
QHeaderView::section { background: @base; color: @muted; border: none;
  border-bottom: 1px solid @border; padding: 5px 6px; font-weight: 600; }
QHeaderView::section:hover { color: @text; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: margin;
  subcontrol-position: top center; width: 9px; height: 9px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QTableCornerButton::section { background: @base; border: none; }
QTextBrowser { background: @base; color: @text; border: none; }
QLineEdit { background: @base; border: 1px solid @outline; border-radius: 5px;
  padding: 4px 7px; selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus { border: 2px solid @focus; padding: 3px 6px; }
QPlainTextEdit { background: @base; border: 1px solid @outline; border-radius: 5px;
  selection-background-color: @accent; selection-color: @onAccent; }
QPlainTextEdit:focus { border: 2px solid @focus; }
QCheckBox::indicator:unchecked { background: @base; border: 1px solid @muted; border-radius: 3px;
  width: 12px; height: 12px; }
QLineEdit[wrong="true"] { border-color: @error; }
QPushButton, QToolButton { background: @alternate; color: @text; border: 1px solid @border;
  border-radius: 5px; padding: 4px 10px; }
QToolButton { padding: 3px 8px; }
QPushButton:hover, QToolButton:hover { background: @bar; }
QPushButton:pressed, QToolButton:pressed { background: @border; }
QPushButton:disabled, QToolButton:disabled { color: @muted; background: transparent; }
QToolButton:checked { background: @bar; border-color: @muted; }
QPushButton:focus, QToolButton:focus, QToolButton:checked:focus, #fold:focus, #flat:focus, #chip:focus {
  border: 2px solid @focus; padding: 2px 7px; }
QPushButton:focus { padding: 3px 9px; }
QCheckBox:focus { color: @focus; }
QCheckBox::indicator:focus { border: 2px solid @focus; }
QTextBrowser:focus, QScrollArea:focus { border: 2px solid @focus; }
QLabel#codeBox:focus { border: 2px solid @focus; }
QPushButton#primary { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton#primary:focus { border: 2px solid @text; }
QPushButton#primary:hover { background: @accentHover; }
QPushButton#primary:disabled { background: @bar; color: @muted; border-color: @border; }
QPushButton#link { background: transparent; border: none; color: @focus; text-align: left; padding: 3px; }
QPushButton#link:hover, QPushButton#link:focus { text-decoration: underline; }
QTabWidget::pane { border: none; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @muted; padding: 7px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @focus; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected:focus { color: @focus; border-bottom: 3px solid @focus; }
QTabBar::scroller { width: 48px; }
QTabBar QToolButton { background: @window; border: 1px solid @border; border-radius: 3px; padding: 0; }
QTabBar::close-button { image: url(:/close.svg); border-radius: 4px; padding: 2px; }
QTabBar::close-button:hover { background: @border; }
QComboBox { background: @alternate; color: @text; border: 1px solid @outline; border-radius: 5px;
  padding: 3px 8px; }
QComboBox:hover { background: @bar; }
QComboBox:focus { border: 2px solid @focus; padding: 2px 7px; }
QComboBox:disabled { color: @muted; background: transparent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/chevron.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @base; color: @text; border: 1px solid @border;
  selection-background-color: @accent; selection-color: @onAccent; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: @base; color: @text; border: 1px solid @border; padding: 5px; }
#messageBar[kind="error"] { background: @errorGround; border-bottom: 1px solid @error; }
#messageBar[kind="info"] { background: @infoGround; border-bottom: 1px solid @info; }
#messageBar QLabel { color: @text; }
#codeBox { background: @code; border: 1px solid @border; border-radius: 6px; padding: 10px 14px;
  color: @text; }
QProgressBar { background: @bar; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
)");
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

double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& colour) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

plot::Theme resolveTheme(ThemeChoice choice) {
    // Read once: applyTheme() replaces the palette that tells.
    static const bool systemIsDark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    if (choice == ThemeChoice::System) return systemIsDark ? plot::Theme::Dark : plot::Theme::Light;
    return choice == ThemeChoice::Dark ? plot::Theme::Dark : plot::Theme::Light;
}

void applyTheme(QApplication& app, plot::Theme theme) {
    const ThemeColours& colours = themeColours(theme);
    static const bool fusion = [] {
        // Palettes and style sheets look the same everywhere on Fusion only.
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        return true;
    }();
    Q_UNUSED(fusion)
    QApplication::setPalette(makePalette(colours));
    QToolTip::setPalette(makePalette(colours));
    app.setStyleSheet(makeStyleSheet(colours));
}

}  // namespace roofscope::gui
