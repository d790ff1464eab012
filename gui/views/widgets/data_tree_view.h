// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeView>

namespace roofscope::gui {

/// A read-only tree that looks like a DataTableView: whole rows, compact, sortable; Ctrl+C copies
/// the selected rows as tab-separated text, Tab leaves it. Rows without children have no handle.
class DataTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit DataTreeView(QWidget* parent = nullptr);
};

}  // namespace roofscope::gui
