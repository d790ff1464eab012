// SPDX-License-Identifier: Apache-2.0
#include "gui/views/data_tree_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "gui/views/table_text.h"

namespace roofscope::gui {

DataTreeView::DataTreeView(QWidget* parent) : QTreeView(parent) {
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setRootIsDecorated(false);
    setAllColumnsShowFocus(true);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setIndentation(14);
    header()->setHighlightSections(false);
    header()->setSectionsMovable(true);
    header()->setStretchLastSection(false);
    followFont(*this, *header());
}

void DataTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        if (const QString text = selectedRowsText(*this); !text.isEmpty())
            QApplication::clipboard()->setText(text);
        event->accept();
        return;
    }
    QTreeView::keyPressEvent(event);
}

}  // namespace roofscope::gui
