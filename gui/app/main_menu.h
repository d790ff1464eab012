// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QVariantMap>
#include <vector>

#include "gui/app/translation.h"
#include "gui/views/widgets/theme.h"

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

    /// Enables the actions that need an open document, a selected kernel, and so on.
    void setEnabled(bool document, bool kernel, bool twoKernels, bool overTime);
    void setHistory(bool back, bool forward);
    void setRecent(const QStringList& paths);
    void showTheme(ThemeChoice choice);
    void showBaseline(bool shownIsBaseline);
    void showConvention(bool ncu);
    void showDetailsPlace();

    /// Which actions are checked. A rebuilt MainMenu takes it over.
    [[nodiscard]] QVariantMap state() const;
    /// Applies the keys that `state` has; other actions stay as they are.
    void setState(const QVariantMap& state);

    /// Every action with a shortcut, by menu. The help (F1) lists them.
    struct Shortcuts {
        QString menu;
        std::vector<std::pair<QString, QString>> keys;  ///< shortcut, name of the action
    };
    [[nodiscard]] std::vector<Shortcuts> shortcuts() const;

private:
    void buildFile();
    void buildEdit();
    void buildView();
    void buildTheme(QMenu* view);
    void buildLanguage(QMenu* view);
    void buildLevels(QMenu* view);
    void buildPrecisions(QMenu* view);
    void buildScale(QMenu* view);
    void buildPanes(QMenu* view);
    void buildDetails(QMenu* view);
    void buildHelp();
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
