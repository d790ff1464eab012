// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QVariantMap>
#include <QWidget>
#include <optional>

#include "reports/plot/draw_list.h"

class QComboBox;
class QDockWidget;
class QMainWindow;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace roofscope::gui {

class DetailsView;
class EmptyView;
class HintsView;
class KernelTableView;
class MessageBar;
class OverviewView;
class Pane;
class ProgressLine;
class RooflinePage;
class RooflineView;

/// The widgets of the window and their layout. Tabs and messages are at the top. Below are either
/// the overview of the program or three panes side by side. The details are below them, beside them
/// or in a window of their own. Rebuilt for another language; knows nothing of the open documents.
class Workspace : public QWidget {
    Q_OBJECT
public:
    explicit Workspace(QWidget* parent = nullptr);

    [[nodiscard]] OverviewView& overview() { return *m_overview; }
    [[nodiscard]] KernelTableView& kernels() { return *m_kernels; }
    [[nodiscard]] RooflineView& roofline() { return *m_roofline; }
    [[nodiscard]] RooflinePage& rooflinePage() { return *m_rooflinePage; }
    [[nodiscard]] HintsView& hints() { return *m_hints; }
    [[nodiscard]] DetailsView& details() { return *m_details; }
    [[nodiscard]] EmptyView& empty() { return *m_empty; }
    [[nodiscard]] MessageBar& messageBar() { return *m_message; }
    [[nodiscard]] ProgressLine& progress() { return *m_progress; }
    /// Switches between the overview and the kernels.
    [[nodiscard]] QTabBar& pages() { return *m_pages; }
    [[nodiscard]] QTabBar& tabs() { return *m_tabs; }
    [[nodiscard]] QComboBox& baselines() { return *m_baselines; }
    [[nodiscard]] QComboBox& devices() { return *m_devices; }
    [[nodiscard]] Pane& rooflinePane() { return *m_rooflinePane; }

    /// In keyboard order. The overview replaces kernels, roofline and hints.
    enum Part { Kernels, Roofline, Hints, Details, Overview, Parts };
    [[nodiscard]] static QString nameOf(Part part);
    void setPartShown(Part part, bool shown);
    /// Shows one part alone; if it already is alone, shows all parts again.
    void maximise(Part part);
    /// Maximises the part that has the focus, or shows all parts again.
    void maximiseFocused();
    /// Shows all parts again if one is alone. Returns whether one was.
    bool showAll();
    /// Gives the keyboard focus to a part and shows it if it is hidden.
    void focusPart(Part part);
    /// Focuses the next visible part (1) or the previous one (-1).
    void focusNextPart(int step);
    /// Starts a search in the focused part, or filters the kernels if that part has no search.
    void beginSearch();
    /// Shows and focuses a page of the details, by its index.
    void showDetails(int page);
    /// Shows a line in the source of the selected kernel; without a file the hottest line.
    void showSource(const QString& file, int line);
    /// Shows a source line that launches kernels.
    void showLaunchSite(const QString& file, int line);
    /// The part that has the focus.
    [[nodiscard]] std::optional<Part> partOf(const QWidget* widget) const;

    enum class DetailsPlace { Below, Beside, Floating };
    void setDetailsPlace(DetailsPlace place);
    [[nodiscard]] DetailsPlace detailsPlace() const;

    /// Whether there is an overview; without one the kernels are shown.
    void setOverviewAvailable(bool there);
    /// Whether to show the overview where there is one; false shows the kernels.
    void setOverviewWanted(bool overview) { m_overviewWanted = overview; }
    [[nodiscard]] bool overviewWanted() const { return m_overviewWanted; }
    /// Shows and focuses the overview if there is one and `overview` is true, or else the kernels.
    void showOverview(bool overview);
    [[nodiscard]] bool overviewShown() const;
    /// Shows the profile or, if false, the page for a window without profiles.
    void showContent(bool content);
    void showTabRow(bool shown);
    void setTheme(plot::Theme theme);
    void setScale(double scale);

    /// The layout of the widgets and how they show a document (filter, columns). Passed to the
    /// Workspace that replaces this one.
    [[nodiscard]] QVariantMap state() const;
    /// Applies the entries of `state`. Filter, size of the details and token budget of the hints
    /// are reset if they have no entry; other settings stay.
    void setState(const QVariantMap& state);

Q_SIGNALS:
    void detailsPlaceChanged();
    /// A hidden part should get the keyboard focus: whoever hid it must show it.
    void partWanted(int part);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTabRow();
    void buildContent();
    void buildCorner();
    [[nodiscard]] QWidget* widgetOf(Part part) const;
    void applyVisibility();
    void limitWidths(DetailsPlace place);
    void sizeDetails();
    /// The height of docked details as long as the user has not chosen one.
    [[nodiscard]] int defaultHeight() const;
    void keepChosenSize(QSize before);
    void turnPage(bool overview);

    KernelTableView* m_kernels = nullptr;
    RooflineView* m_roofline = nullptr;
    RooflinePage* m_rooflinePage = nullptr;
    HintsView* m_hints = nullptr;
    DetailsView* m_details = nullptr;
    EmptyView* m_empty = nullptr;
    MessageBar* m_message = nullptr;
    ProgressLine* m_progress = nullptr;
    QTabBar* m_tabs = nullptr;
    QWidget* m_tabRow = nullptr;
    QComboBox* m_baselines = nullptr;
    QComboBox* m_devices = nullptr;
    OverviewView* m_overview = nullptr;
    QTabBar* m_pages = nullptr;
    QStackedWidget* m_stack = nullptr;
    QStackedWidget* m_page = nullptr;  ///< panes or overview
    QMainWindow* m_content = nullptr;  ///< the panes, with the details as a dock
    QSplitter* m_columns = nullptr;
    QDockWidget* m_dock = nullptr;
    QWidget* m_emptyTitleBar = nullptr;  ///< the docked details have tabs and need no title bar
    Pane *m_kernelPane = nullptr, *m_rooflinePane = nullptr, *m_hintsPane = nullptr;
    bool m_shown[Parts] = {true, true, true, true, true};
    std::optional<Part> m_alone;
    bool m_overviewWanted = false;
    QSize m_detailsSize;  ///< size before a part was maximised
    /// Size of the docked details that the user chose; absent: their default share of the window.
    std::optional<int> m_chosenHeight, m_chosenWidth;
    /// Size of the details when the user began to drag the divider between them and the panes.
    std::optional<QSize> m_grabbed;
};

}  // namespace roofscope::gui
