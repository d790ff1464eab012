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
class QToolButton;

namespace roofscope::gui {

class DataTreeView;
class KernelDelegate;

/// The kernel table with filter line, grouping and column menu.
class KernelTableView : public QWidget {
    Q_OBJECT
public:
    explicit KernelTableView(QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    /// Shows what changed since a baseline, called `name` on screen; null hides it.
    void setBaseline(std::shared_ptr<const ReportBaseline> baseline, const QString& name);
    /// The groups are collapsed then, unless a filter says which kernels one looks for.
    void setGrouping(KernelGrouping grouping);
    /// Expands or collapses all groups. Selection and place on screen stay.
    void setExpanded(bool expanded);
    [[nodiscard]] KernelGrouping grouping() const { return m_model.grouping(); }
    void setTheme(plot::Theme theme);

    /// Selects rows and scrolls to the current one. Ignores kernels that are filtered out.
    void select(const KernelSelection& selection);
    /// Selects them. If they are shapes of one kernel: groups the table by name, sorted by time,
    /// and opens their group.
    void showTogether(const KernelSelection& kernels);
    /// The selected kernels. A selected group counts as its visible kernels.
    [[nodiscard]] KernelSelection selection() const;
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const { return selection().current; }
    /// Selects the kernel `step` rows below (or above) the current one.
    void moveSelection(int step);
    void setFilterText(const QString& line);
    /// Shows only the kernels that run in the selected range. `length`: the range's length ("3.33
    /// ms").
    void setRange(const QString& length, const std::vector<std::size_t>& kernels);
    void setNoRange();
    /// Adds a word or comparison to the filter.
    void addToFilter(const QString& term);
    /// Adds a column for a counter beside the names, or removes it. Returns whether it was added.
    bool toggleCounter(const std::string& counter);
    /// Further actions for the context menu of rows.
    void setRowActions(const QList<QAction*>& actions) { m_rowActions = actions; }
    /// Adapts the columns to the width of the table, see planColumns().
    void fitColumns();
    [[nodiscard]] QString filterText() const;
    void focusFilter();

    [[nodiscard]] const KernelFilterModel& filterModel() const { return m_filter; }
    [[nodiscard]] DataTreeView* table() const { return m_table; }
    /// One checkable action per column, except the name.
    [[nodiscard]] const std::vector<QAction*>& columnActions() const { return m_columnActions; }
    /// Columns, their order, widths and sorting, and the grouping.
    [[nodiscard]] QByteArray saveState() const;
    void restoreState(const QByteArray& state);

Q_SIGNALS:
    void selectionChanged(const roofscope::gui::KernelSelection& selection);
    void filterChanged();
    /// The user wants to see the kernels outside the range, too.
    void rangeCleared();
    /// The user has finished editing the filter: a place for the history.
    void filterCommitted();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildColumns();
    void mark(const KernelSelection& wanted);
    void setCounters(const std::vector<std::string>& counters);
    void showRowMenu(QPoint at);
    /// Completes the typed start of a field or verdict; a repeated call offers the next completion.
    /// Returns whether there was one.
    bool complete();
    void keepCurrentRowVisible(int heightBefore);
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
    QToolButton* m_fold = nullptr;  ///< collapses or expands all groups
    QLabel* m_since = nullptr;
    QToolButton* m_range = nullptr;  ///< shows that a range is selected; a click ends the selection
    DataTreeView* m_table = nullptr;
    KernelDelegate* m_delegate = nullptr;
    std::vector<QAction*> m_columnActions;
    std::vector<QAction*> m_counterActions;  ///< in the header menu: remove a counter's column
    QList<QAction*> m_rowActions;
    KernelFilter::Completion m_completion;  ///< for the typed text
    qsizetype m_completed = 0;              ///< number of its words already offered
    QString m_completedLine;                ///< the line with the last completion
    bool m_fitting = false;
    int m_longestName = 0, m_longestVerdict = 0;  ///< in pixels
    /// Whether the user has set the width of the names, or of the verdicts.
    bool m_nameFixed = false, m_verdictFixed = false;
    bool m_quiet = false;  ///< do not send selectionChanged(): the change is not the user's
};

}  // namespace roofscope::gui
