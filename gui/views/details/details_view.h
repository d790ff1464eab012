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

/// Tabs on the selected kernel: counters, launch and occupancy, source, memory chart and activity
/// over its time; and on the recording: the timeline of its launches, the lines of the program that
/// make them, its measured ranges, its issues.
class DetailsView : public QTabWidget {
    Q_OBJECT
public:
    explicit DetailsView(QWidget* parent = nullptr);

    /// `folder`: that of the profile, where the search for files of the program begins.
    void setAnalysis(const std::shared_ptr<const Analysis>& analysis, const QString& folder = {});
    /// `baseline`: what the analysis is compared with, if anything.
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel,
                   const std::shared_ptr<const ReportBaseline>& baseline = nullptr);
    /// Shows a tab: counters, launch, source, memory, over-time, timeline, sites, ranges or
    /// issues;
    /// others change nothing.
    void showTab(const QString& name);
    /// The kernels that the timeline marks.
    void setSelection(const KernelSelection& selection);
    [[nodiscard]] TimelinePage& timeline() { return *m_timeline; }
    /// Shows the counters and puts the cursor into their search line.
    void focusCounterSearch();
    /// Shows the source and goes to its next hottest line (1) or back (-1).
    void moveHot(int step);
    /// Shows the source, at this line of this file; at its hottest place without a file.
    void showSource(const QString& file, int line);
    /// Shows a line of the program's own code, which launches kernels or calls CUDA.
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
    /// A counter is to be a column of the kernel table, or to be none any more.
    void counterColumnToggled(const std::string& counter);
    /// Something was done, for the status line.
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
