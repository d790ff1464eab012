// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPoint>

class QKeyEvent;
class QMenu;

/// What keys and the menu of a timeline do.
namespace roofscope::gui {

class TimelineView;

/// Does what the key does; false if it does nothing in a timeline.
bool pressTimelineKey(TimelineView& view, const QKeyEvent& event);
/// Fills the menu of a position in the viewport.
void fillTimelineMenu(TimelineView& view, QMenu& menu, QPoint at);

}  // namespace roofscope::gui
