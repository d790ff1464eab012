// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTabWidget>
#include <memory>
#include <optional>

#include "gui/models/counter_table_model.h"
#include "gui/models/issue_model.h"
#include "gui/models/kernel_selection.h"
#include "gui/models/property_model.h"
#include "reports/plot/draw_list.h"

class QLineEdit;

namespace roofscope::gui {

class DataTableView;
class TimelinePage;

/// Tabs on the selected kernel: counters, launch and occupancy; and on the recording: the timeline
/// of its launches, its issues.
class DetailsView : public QTabWidget {
    Q_OBJECT
public:
    explicit DetailsView(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    /// The kernels that the timeline marks.
    void setSelection(const KernelSelection& selection);
    void setTheme(plot::Theme theme);
    [[nodiscard]] TimelinePage& timeline() { return *m_timeline; }
    /// Shows the counters and puts the cursor into their search line.
    void focusCounterSearch();

Q_SIGNALS:
    /// A launch was clicked in the timeline.
    void kernelClicked(std::size_t kernel);

private:
    CounterTableModel m_counters;
    CounterFilterModel m_counterFilter;
    PropertyModel m_properties;
    IssueModel m_issues;
    QLineEdit* m_search = nullptr;
    DataTableView* m_counterTable = nullptr;
    DataTableView* m_propertyTable = nullptr;
    DataTableView* m_issueTable = nullptr;
    TimelinePage* m_timeline = nullptr;
};

}  // namespace roofscope::gui
