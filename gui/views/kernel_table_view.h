// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/models/kernel_filter_model.h"
#include "gui/models/kernel_table_model.h"

class QLabel;
class QLineEdit;

namespace roofscope::gui {

class DataTableView;

/// The kernel table with its filter line.
class KernelTableView : public QWidget {
    Q_OBJECT
public:
    explicit KernelTableView(QWidget* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    /// Selects a kernel's row and scrolls to it; a kernel that is filtered out clears the
    /// selection.
    void selectKernel(std::optional<std::size_t> kernel);
    [[nodiscard]] std::optional<std::size_t> selectedKernel() const;
    /// Selects the row `step` rows below (or above) the current one.
    void moveSelection(int step);
    void setFilterText(const QString& line);
    void focusFilter();

    [[nodiscard]] const KernelFilterModel& filterModel() const { return m_filter; }
    [[nodiscard]] DataTableView* table() const { return m_table; }
    [[nodiscard]] QByteArray saveState() const;
    void restoreState(const QByteArray& state);

Q_SIGNALS:
    void kernelSelected(std::size_t kernel);
    void filterChanged();

private:
    void showFilterState();

    KernelTableModel m_model;
    KernelFilterModel m_filter;
    QLineEdit* m_line = nullptr;
    QLabel* m_message = nullptr;
    DataTableView* m_table = nullptr;
    bool m_quiet = false;  ///< the selection changes, but not by the user's choice
};

}  // namespace roofscope::gui
