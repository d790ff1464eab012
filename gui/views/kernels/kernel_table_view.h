// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/kernels/kernel_filter_model.h"
#include "gui/models/kernels/kernel_selection.h"
#include "gui/models/kernels/kernel_table_model.h"
#include "reports/plot/draw_list.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;

namespace roofscope::gui {

class DataTreeView;
class ShareBarDelegate;

/// The kernel table with its filter line, grouping and choice of columns.
class KernelTableView : public QWidget {
    Q_OBJECT
public:
    explicit KernelTableView(QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    /// Shows what changed since a baseline, which `name` stands for; null hides it.
    void setBaseline(std::shared_ptr<const ReportBaseline> baseline, const QString& name);
    void setGrouping(KernelGrouping grouping);
    [[nodiscard]] KernelGrouping grouping() const { return m_model.grouping(); }
    void setTheme(plot::Theme theme);

    /// Selects rows and scrolls to the current one; kernels that are filtered out are left out.
    void select(const KernelSelection& selection);
    /// What is selected. A selected group stands for its kernels.
    [[nodiscard]] KernelSelection selection() const;
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const { return selection().current; }
    /// Selects the kernel `step` rows below (or above) the current one.
    void moveSelection(int step);
    void setFilterText(const QString& line);
    /// Adds a word or comparison to the filter, or takes it away again.
    void addToFilter(const QString& term);
    /// Gives a counter a column of its own beside the names, or takes it away: false.
    bool toggleCounter(const std::string& counter);
    /// What a right click on a row offers beside filtering.
    void setRowActions(const QList<QAction*>& actions) { m_rowActions = actions; }
    /// Gives the names the room that the other columns leave.
    void fitColumns();
    [[nodiscard]] QString filterText() const;
    void focusFilter();

    [[nodiscard]] const KernelFilterModel& filterModel() const { return m_filter; }
    [[nodiscard]] DataTreeView* table() const { return m_table; }
    /// One checkable action per column but the name.
    [[nodiscard]] const std::vector<QAction*>& columnActions() const { return m_columnActions; }
    /// Columns, their order, widths and sorting, and the grouping.
    [[nodiscard]] QByteArray saveState() const;
    void restoreState(const QByteArray& state);

Q_SIGNALS:
    void selectionChanged(const roofscope::gui::KernelSelection& selection);
    void filterChanged();
    /// The filter was typed or chosen to the end: a place to come back to.
    void filterCommitted();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildColumns();
    void setCounters(const std::vector<std::string>& counters);
    void showRowMenu(QPoint at);
    /// Makes a field or a verdict of the beginning that was typed, another one each time; says
    /// whether there was one.
    bool complete();
    void keepInSight(int heightBefore);
    [[nodiscard]] bool isWanted(KernelColumn column) const;
    void showColumns();
    void measureTexts();
    void showFilterState();
    void showBaseline(const QString& name);

    KernelTableModel m_model;
    KernelFilterModel m_filter;
    QLineEdit* m_line = nullptr;
    QComboBox* m_groups = nullptr;
    QLabel* m_message = nullptr;
    QLabel* m_since = nullptr;
    DataTreeView* m_table = nullptr;
    ShareBarDelegate* m_delegate = nullptr;
    std::vector<QAction*> m_columnActions;
    std::vector<QAction*> m_counterActions;  ///< of the header: each takes its column away
    QList<QAction*> m_rowActions;
    KernelFilter::Completion m_completion;  ///< of what was typed
    qsizetype m_completed = 0;              ///< how many of its words were offered
    QString m_completedLine;                ///< what the last of them made of the line
    bool m_fitting = false;
    int m_longestName = 0, m_longestVerdict = 0;  ///< pixels
    /// The user chose the width of the names, or of the verdicts.
    bool m_nameFixed = false, m_verdictFixed = false;
    bool m_quiet = false;  ///< the selection changes, but not by the user's choice
};

}  // namespace roofscope::gui
