// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPoint>

class QKeyEvent;
class QMenu;

/// The keys and the context menu of a timeline.
namespace roofscope::gui {

class TimelineView;

/// Handles a key; returns false if the key has no function in a timeline.
bool pressTimelineKey(TimelineView& view, const QKeyEvent& event);
/// Fills the context menu for a position in the viewport.
void fillTimelineMenu(TimelineView& view, QMenu& menu, QPoint at);

}  // namespace roofscope::gui
