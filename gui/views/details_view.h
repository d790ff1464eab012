// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTabWidget>
#include <memory>
#include <optional>

#include "gui/models/counter_table_model.h"
#include "gui/models/issue_model.h"
#include "gui/models/property_model.h"

class QLineEdit;

namespace roofscope::gui {

class DataTableView;

/// Tabs on the selected kernel: counters, launch and occupancy; and the recording's issues.
class DetailsView : public QTabWidget {
    Q_OBJECT
public:
    explicit DetailsView(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    void setKernel(const std::shared_ptr<const Analysis>& analysis,
                   std::optional<std::size_t> kernel);
    /// Shows the counters and puts the cursor into their search line.
    void focusCounterSearch();

private:
    CounterTableModel m_counters;
    CounterFilterModel m_counterFilter;
    PropertyModel m_properties;
    IssueModel m_issues;
    QLineEdit* m_search = nullptr;
    DataTableView* m_counterTable = nullptr;
    DataTableView* m_propertyTable = nullptr;
    DataTableView* m_issueTable = nullptr;
};

}  // namespace roofscope::gui
