// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <utility>
#include <vector>

class QWidget;

namespace roofscope::gui {

/// A menu's actions that have a shortcut.
struct MenuShortcuts {
    QString menu;
    std::vector<std::pair<QString, QString>> keys;  ///< shortcut, name of the action
};

/// Shows version and licence.
void showAbout(QWidget& window);
/// Explains mouse and keys, the menus' shortcuts and the filter syntax.
void showHelp(QWidget& window, const std::vector<MenuShortcuts>& menus);

}  // namespace roofscope::gui
