// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeView>

namespace roofscope::gui {

/// A read-only tree that looks and works like a DataTableView: compact rows, row selection, Ctrl+C
/// copies the selected rows as tab-separated text, Tab leaves the tree. By default the top level
/// has no expand handles.
class DataTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit DataTreeView(QWidget* parent = nullptr);
};

}  // namespace roofscope::gui
