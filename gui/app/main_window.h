// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QSet>
#include <QVariantMap>
#include <memory>
#include <optional>
#include <vector>

#include "gui/app/translation.h"
#include "gui/models/baseline_comparer.h"
#include "gui/models/file_watcher.h"
#include "gui/models/kernel_selection.h"
#include "gui/models/profile_loader.h"
#include "gui/views/theme.h"

class QActionGroup;
class QComboBox;
class QLabel;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace roofscope::gui {

class DetailsView;
class EmptyView;
class HintsView;
class KernelTableView;
class MessageBar;
class Pane;
class ProgressLine;
class RecordDialog;
class RooflinePage;
class RooflineView;

/// The program's window: opens profiles and shows one of them at a time, alone or compared with the
/// one that is the baseline. Holds what is open and what is selected; the views show it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    struct Setup {
        bool persistent = true;  ///< reads and writes QSettings (layout, theme, recent files)
        std::optional<ThemeChoice> theme;
        LanguageChoice language = {};  ///< that useLanguage() was called for; the menu shows it
        QString kernel;         ///< selected in the first profile that has it, by part of its name
        QString baseline = {};  ///< path of a profile to open as the baseline
        QString details = {};   ///< the tab of the details to begin with, see DetailsView::showTab
    };
    explicit MainWindow(const Setup& setup);
    ~MainWindow() override;

    void open(const QStringList& paths);
    void reload();
    void closeDocument(int index);
    /// The document that is shown; nullptr when nothing is open.
    [[nodiscard]] const ProfileDocument* document() const;
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const;
    void selectKernel(std::optional<std::size_t> kernel);
    void select(const KernelSelection& selection);
    [[nodiscard]] const KernelSelection& selection() const;
    /// Makes an open profile the baseline of the others; an empty path ends the comparison.
    void setBaseline(const QString& path);
    [[nodiscard]] const QString& baseline() const { return m_baseline; }
    /// What the shown profile is compared with, once that is known; null without a baseline.
    [[nodiscard]] std::shared_ptr<const ReportBaseline> comparison() const;
    /// Compares the two kernels that are selected: the current one against the other.
    void compareSelected();
    [[nodiscard]] bool comparing() const { return m_comparer.busy(); }
    /// Counts L2 and L1 in another way; open profiles are analysed again.
    void setConvention(Convention convention);
    void setTheme(ThemeChoice choice);
    /// Changes the language of the program and remembers the choice.
    void setLanguage(LanguageChoice choice);
    /// The language that was chosen in an earlier window.
    [[nodiscard]] static LanguageChoice storedLanguage();
    [[nodiscard]] Result<void> exportTo(const QString& path) const;
    /// Writes the memory chart of the selected kernel; the ending says as what.
    [[nodiscard]] Result<void> exportMemoryChart(const QString& path) const;

    [[nodiscard]] ProfileLoader& loader() { return m_loader; }
    [[nodiscard]] RooflineView& roofline() { return *m_roofline; }
    [[nodiscard]] KernelTableView& kernels() { return *m_kernels; }
    [[nodiscard]] HintsView& hints() { return *m_hints; }
    [[nodiscard]] RooflinePage& plotSearch() { return *m_plotSearch; }
    [[nodiscard]] DetailsView& details() { return *m_details; }
    [[nodiscard]] MessageBar& messageBar() { return *m_message; }

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct OpenDocument {
        ProfileDocument document;
        KernelSelection selection;
        std::shared_ptr<const ReportBaseline> since;  ///< the baseline, once compared
        std::shared_ptr<const ReportBaseline> two;    ///< the two selected kernels, if compared
    };

    void buildContent();
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildLanguageMenu(QMenu* view);
    void buildHelpMenu();
    void rebuild();
    void addTab(const ProfileDocument& document);
    [[nodiscard]] QVariantMap viewState() const;
    void setViewState(const QVariantMap& state);
    void restore();
    void connectLoader();

    void load(const QString& path);
    void onLoaded(const ProfileDocument& document);
    void onFailed(const QString& path, const Error& error);
    void tellUnknownKernel();
    [[nodiscard]] int indexOf(const QString& path) const;
    void showDocument(bool keepViewport);
    void showSelection();
    void updateComparison();
    void showComparison();
    void showBaselineChoice();
    void showState();
    void updateLevelIcons();
    void updateRecent();
    void remember(const QString& path);
    void showError(const QString& message);
    void showOpenDialog();
    void exportMemoryChartDialog();
    void showRecordDialog();
    void makeRecordDialog();
    void renewRecordDialog();
    void exportDialog(const QString& title, const QString& suffix, const QString& filter);
    void showAbout();
    void showHelp();

    Setup m_setup;
    ProfileLoader m_loader;
    FileWatcher m_watcher;
    bool m_kernelSought = false;  ///< Setup::kernel, in what was opened first
    std::vector<OpenDocument> m_documents;
    int m_current = -1;
    QString m_baseline;  ///< path of the document that others are compared with; may be empty
    BaselineComparer m_comparer;
    QSet<QString> m_background;  ///< paths whose load must not change what is shown
    QStringList m_recent;
    ThemeChoice m_themeChoice = ThemeChoice::System;
    LanguageChoice m_languageChoice;
    Language m_builtIn;  ///< the language that the widgets were made in

    QTabBar* m_tabs = nullptr;
    MessageBar* m_message = nullptr;
    ProgressLine* m_progress = nullptr;
    QStackedWidget* m_stack = nullptr;
    EmptyView* m_empty = nullptr;
    RecordDialog* m_recordDialog = nullptr;  ///< made when first asked for
    QSplitter* m_columns = nullptr;
    QSplitter* m_rows = nullptr;
    KernelTableView* m_kernels = nullptr;
    RooflineView* m_roofline = nullptr;
    RooflinePage* m_plotSearch = nullptr;
    HintsView* m_hints = nullptr;
    DetailsView* m_details = nullptr;
    Pane *m_kernelPane = nullptr, *m_rooflinePane = nullptr, *m_hintsPane = nullptr;
    QComboBox* m_devices = nullptr;
    QComboBox* m_baselines = nullptr;
    QWidget* m_tabRow = nullptr;
    QLabel* m_summary = nullptr;
    QMenu* m_recentMenu = nullptr;
    QActionGroup* m_themes = nullptr;
    std::vector<QAction*> m_paneActions;
    QAction* m_labelsAction = nullptr;
    std::vector<QAction*> m_levelActions;
    std::vector<QAction*> m_precisionActions;
    QAction* m_baselineAction = nullptr;
    QAction* m_twoAction = nullptr;
    QAction* m_conventionAction = nullptr;
    std::vector<QAction*> m_documentActions;  ///< enabled while something is open
    std::vector<QAction*> m_kernelActions;    ///< enabled while a kernel is selected
};

}  // namespace roofscope::gui
