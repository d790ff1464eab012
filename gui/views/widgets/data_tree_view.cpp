// SPDX-License-Identifier: Apache-2.0
#include "gui/views/widgets/data_tree_view.h"

#include <QHeaderView>

#include "gui/views/widgets/data_view_setup.h"

namespace roofscope::gui {

DataTreeView::DataTreeView(QWidget* parent) : QTreeView(parent) {
    setUniformRowHeights(true);
    setRootIsDecorated(false);
    setAllColumnsShowFocus(true);
    setIndentation(14);
    header()->setStretchLastSection(false);
    setUpDataView(*this, *header());
}

}  // namespace roofscope::gui
