// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantMap>
#include <vector>

#include "gui/app/help_dialogs.h"
#include "reports/plot/draw_list.h"

class QAction;
class QActionGroup;
class QMenu;

namespace roofscope::gui {

class MainWindow;
class Workspace;

/// The menu bar: every action with its shortcut, and the buttons above the plot for some of them.
/// Rebuilt together with the Workspace.
class MainMenu : public QObject {
    Q_OBJECT
public:
    MainMenu(MainWindow& window, Workspace& views);

    /// Which actions are checked, for setState() of the MainMenu that replaces this one.
    [[nodiscard]] QVariantMap state() const;
    /// Applies the entries of `state`; other actions stay as they are.
    void setState(const QVariantMap& state);

private:
    void buildFile();
    void buildEdit();
    void buildView();
    void copyForAssistant();
    void buildTheme(QMenu* view);
    void buildLanguage(QMenu* view);
    void buildLevels(QMenu* view);
    void buildPrecisions(QMenu* view);
    void buildScale(QMenu* view);
    void buildPanes(QMenu* view);
    void buildDetails(QMenu* view);
    void buildHelp();
    void followState();
    void showDocument();
    void showHistory();
    void showRecent(const QStringList& paths);
    void showTheme();
    void showDetailsPlace();
    [[nodiscard]] std::vector<MenuShortcuts> shortcuts() const;
    void updateLevelIcons(plot::Theme theme);

    MainWindow& m_window;
    Workspace& m_views;
    QMenu* m_recent = nullptr;
    QActionGroup* m_themes = nullptr;
    QActionGroup* m_places = nullptr;
    QAction *m_labels = nullptr, *m_baseline = nullptr, *m_two = nullptr, *m_overTime = nullptr,
            *m_convention = nullptr, *m_back = nullptr, *m_forward = nullptr;
    std::vector<QAction*> m_parts, m_levels, m_precisions;
    std::vector<QAction*> m_documentActions;  ///< enabled while something is open
    std::vector<QAction*> m_kernelActions;    ///< enabled while a kernel is selected
};

}  // namespace roofscope::gui
