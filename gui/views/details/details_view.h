// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTabWidget>
#include <memory>
#include <optional>
#include <string>

#include "gui/models/details/counter_table_model.h"
#include "gui/models/details/issue_model.h"
#include "gui/models/details/property_model.h"
#include "gui/models/kernels/kernel_selection.h"
#include "reports/plot/draw_list.h"
#include "reports/report.h"

class QLineEdit;

namespace roofscope {
struct Program;  // analyzer/program/program.h
}

namespace roofscope::gui {

class DataTableView;
class LaunchSitesPage;
class MemoryChartView;
class OccupancyLine;
class OverTimePage;
class RangesPage;
class ShareBarDelegate;
class SourceView;
class TimelinePage;

/// Tabs about the selected kernel: counters, launch and occupancy, source, memory chart, activity
/// over time. And tabs about the recording: timeline, launch sites, measured ranges, issues.
class DetailsView : public QTabWidget {
    Q_OBJECT
public:
    explicit DetailsView(QWidget* parent = nullptr);

    /// `folder` is the profile's folder, where dialogs to find source files start. `program`
    /// belongs to the analysis; may be null.
    void setAnalysis(const std::shared_ptr<const Analysis>& analysis, const QString& folder = {},
                     const Program* program = nullptr);
    /// `baseline`: the comparison of the analysis with a baseline, if there is one.
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel,
                   const std::shared_ptr<const ReportBaseline>& baseline = nullptr);
    /// Shows a tab: counters, launch, source, memory, over-time, timeline, sites, ranges or issues.
    /// Other names are ignored.
    void showTab(const QString& name);
    /// Marks kernels in the timeline.
    void setSelection(const KernelSelection& selection);
    [[nodiscard]] TimelinePage& timeline() { return *m_timeline; }
    /// Begins a search in the current tab; returns false if the tab has no search.
    bool beginSearch();
    /// Shows the counters and focuses their search field.
    void focusCounterSearch();
    /// Shows the source. If it is already shown, goes to the next hottest line (1) or the previous
    /// one (-1).
    void moveHot(int step);
    /// Shows a line of a file in the source; without a file the source where it was.
    void showSource(const QString& file, int line);
    /// Shows a launch site: a source line that launches kernels or calls CUDA.
    void showLaunchSite(const QString& file, int line);
    void setTheme(plot::Theme theme);
    void setScale(double scale);
    [[nodiscard]] SourceView& source() { return *m_source; }
    [[nodiscard]] MemoryChartView& memoryChart() { return *m_memory; }
    [[nodiscard]] OverTimePage& overTime() { return *m_overTime; }
    [[nodiscard]] LaunchSitesPage& launchSites() { return *m_sites; }
    [[nodiscard]] RangesPage& ranges() { return *m_ranges; }

Q_SIGNALS:
    /// A launch was clicked in the timeline.
    void kernelClicked(std::size_t kernel);
    /// Kernels in the account of a timeline range were clicked.
    void kernelsClicked(const roofscope::gui::KernelSelection& kernels);
    /// The user wants to add a counter's column to the kernel table, or to remove it.
    void counterColumnToggled(const std::string& counter);
    /// A message for the status line.
    void said(const QString& message);

private:
    void showCounterMenu(QPoint at);

    CounterTableModel m_counters;
    CounterFilterModel m_counterFilter;
    PropertyModel m_properties;
    IssueModel m_issues;
    QLineEdit* m_search = nullptr;
    DataTableView* m_counterTable = nullptr;
    ShareBarDelegate* m_counterDelegate = nullptr;
    DataTableView* m_propertyTable = nullptr;
    OccupancyLine* m_whatIf = nullptr;
    SourceView* m_source = nullptr;
    MemoryChartView* m_memory = nullptr;
    OverTimePage* m_overTime = nullptr;
    DataTableView* m_issueTable = nullptr;
    TimelinePage* m_timeline = nullptr;
    LaunchSitesPage* m_sites = nullptr;
    RangesPage* m_ranges = nullptr;
};

}  // namespace roofscope::gui
