// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <utility>
#include <vector>

class QWidget;

namespace roofscope::gui {

/// The actions of a menu that have a shortcut.
struct MenuShortcuts {
    QString menu;
    std::vector<std::pair<QString, QString>> keys;  ///< shortcut, name of the action
};

/// Shows version and licence.
void showAbout(QWidget& window);
/// Shows what mouse and keys do, the shortcuts of the menus, and how to write filters.
void showHelp(QWidget& window, const std::vector<MenuShortcuts>& menus);

}  // namespace roofscope::gui
