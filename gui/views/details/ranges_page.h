// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStackedWidget>
#include <memory>

#include "gui/models/details/range_table_model.h"

namespace roofscope::gui {

class DataTableView;
class RecordHint;

/// The NVTX ranges that were measured as a whole. Without any, the command to record them.
class RangesPage : public QStackedWidget {
    Q_OBJECT
public:
    explicit RangesPage(QWidget* parent = nullptr);

    void setAnalysis(const std::shared_ptr<const Analysis>& analysis);
    [[nodiscard]] DataTableView& table() { return *m_table; }
    [[nodiscard]] RecordHint& hint() { return *m_hint; }

private:
    RangeTableModel m_ranges;
    CellSortModel m_sorted;
    RecordHint* m_hint = nullptr;
    DataTableView* m_table = nullptr;
};

}  // namespace roofscope::gui
