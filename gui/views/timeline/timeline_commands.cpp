// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline/timeline_commands.h"

#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>

#include "gui/models/text/number_text.h"
#include "gui/models/text/shown_text.h"
#include "gui/views/timeline/timeline_view.h"

namespace roofscope::gui {
namespace {

constexpr double kTimelineKeyZoom = 1.25, kTimelineKeyPan = 0.1;

/// The row to pin when the pin key is pressed: under the cursor, or else that of the selected
/// launch.
std::optional<std::size_t> rowToPin(const TimelineView& view) {
    const QPoint cursor = view.cursorInView();
    if (view.viewport()->rect().contains(cursor))
        if (const auto row = view.rowAt(cursor.y())) return row;
    return view.rowOfLaunch();
}

/// Adds a submenu of all rows with check marks for the pinned ones, for use without a mouse.
void addPinMenu(TimelineView& view, QMenu& menu) {
    QMenu* rows = menu.addMenu(TimelineView::tr("Pinned Rows"));
    for (std::size_t row = 0; row < view.timeline().rows.size(); ++row) {
        const QString& name = view.timeline().rows[row].name;
        QAction* action = rows->addAction(labelText(name));
        action->setCheckable(true);
        action->setChecked(view.rows().isPinned(row));
        QObject::connect(action, &QAction::toggled, &view, [&view, row, name](bool pinned) {
            // Another recording may have been shown while the menu was open.
            const auto& known = view.timeline().rows;
            if (row < known.size() && known[row].name == name) view.setPinned(row, pinned);
        });
    }
    rows->addSeparator();
    rows->addAction(TimelineView::tr("Unpin All"), &view, [&view] { view.unpinAll(); })
        ->setEnabled(view.rows().pinned() > 0);
}

/// Asks for the number of a repeat and shows it.
void askForRepeat(TimelineView& view) {
    const auto at = view.repeatInView();
    if (!at) return;
    auto* dialog = new QInputDialog(&view);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(TimelineView::tr("Go to Repeat"));
    const auto count = int(view.timeline().repeats.size());
    dialog->setLabelText(
        TimelineView::tr("Number of the repeat, 1 to %1:").arg(text(double(count))));
    dialog->setInputMode(QInputDialog::IntInput);
    dialog->setIntRange(1, count);
    dialog->setIntValue(int(*at) + 1);
    QObject::connect(dialog, &QInputDialog::intValueSelected, &view, [&view](int number) {
        // Another recording may have been shown while the dialog was open.
        if (const auto from = view.repeatInView()) view.goToRepeat(number - 1 - int(*from));
    });
    dialog->open();
}

}  // namespace

void fillTimelineMenu(TimelineView& view, QMenu& menu, QPoint at) {
    const auto add = [&](const QString& text, const char* keys, bool enabled, auto call) {
        const QString shown = keys[0] ? text + u'\t' + QLatin1String(keys) : text;
        menu.addAction(shown, &view, call)->setEnabled(enabled);
    };
    TimelineView* const to = &view;
    const auto row = view.rowAt(at.y());
    const std::optional<TimeSpan> bar = view.barAt(at), gap = bar ? std::nullopt : view.gapAt(at);
    const bool repeats = !view.timeline().repeats.empty();
    const bool selected = view.range() || view.launch();
    add(gap ? TimelineView::tr("Select the Time of This Gap")
            : TimelineView::tr("Select the Time of This Bar"),
        "", bar || gap, [to, span = bar ? bar : gap] { to->chooseRange(span); });
    add(TimelineView::tr("Select the Time in View"), "", true,
        [to] { to->chooseRange(to->zoom().span()); });
    add(TimelineView::tr("Select This Repeat"), "", repeats, [to] {
        // Another recording may have been shown while the menu was open.
        if (const auto repeat = to->repeatInView())
            to->chooseRange(to->timeline().repeats[*repeat]);
    });
    add(TimelineView::tr("Select No Time and No Launch"), "Esc", selected, [to] {
        to->chooseLaunch(std::nullopt);
        to->chooseRange(std::nullopt);
    });
    menu.addSeparator();
    add(TimelineView::tr("Zoom to Selection"), "F", selected, [to] { to->zoomToSelection(); });
    add(TimelineView::tr("Zoom to Repeat"), "R", repeats, [to] { to->zoomToRepeat(); });
    add(TimelineView::tr("Show Everything"), "0", true, [to] { to->resetView(); });
    add(TimelineView::tr("Next Repeat"), "PgDown", repeats, [to] { to->goToRepeat(1); });
    add(TimelineView::tr("Previous Repeat"), "PgUp", repeats, [to] { to->goToRepeat(-1); });
    add(TimelineView::tr("Go to Repeat…"), "G", repeats, [to] { askForRepeat(*to); });
    menu.addSeparator();
    const bool pinned = row && view.rows().isPinned(*row);
    add(pinned ? TimelineView::tr("Unpin This Row") : TimelineView::tr("Pin This Row to the Top"),
        "P", row.has_value(), [to, row, pinned] {
            if (*row < to->timeline().rows.size()) to->setPinned(*row, !pinned);
        });
    addPinMenu(view, menu);
    menu.addSeparator();
    const bool kernel = view.currentKernel().has_value();
    add(TimelineView::tr("Next Launch of the Kernel"), ".", kernel, [to] { to->goToLaunch(1); });
    add(TimelineView::tr("Previous Launch of the Kernel"), ",", kernel,
        [to] { to->goToLaunch(-1); });
    add(TimelineView::tr("Show Its Call"), "C", view.rowOfCall().has_value(),
        [to] { to->showCall(); });
    add(TimelineView::tr("Search for Launches…"), "Ctrl+F", true,
        [to] { Q_EMIT to->searchRequested(); });
}

bool pressTimelineKey(TimelineView& view, const QKeyEvent& event) {
    if (event.matches(QKeySequence::Find)) {
        Q_EMIT view.searchRequested();
        return true;
    }
    if (view.timeline().empty() ||
        event.modifiers() & (Qt::AltModifier | Qt::ControlModifier | Qt::MetaModifier))
        return false;
    const QRect area = view.area();
    const double middle = area.left() + area.width() / 2.0;
    // As in Perfetto, zoom at the cursor if it is over the timeline.
    const QPoint cursor = view.cursorInView();
    const double at = area.contains(cursor) ? cursor.x() : middle;
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_A:
            view.pan(-kTimelineKeyPan);
            return true;
        case Qt::Key_Right:
        case Qt::Key_D:
            view.pan(kTimelineKeyPan);
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            view.zoomAt(middle, kTimelineKeyZoom);
            return true;
        case Qt::Key_Minus:
            view.zoomAt(middle, 1 / kTimelineKeyZoom);
            return true;
        case Qt::Key_W:
            view.zoomAt(at, kTimelineKeyZoom);
            return true;
        case Qt::Key_S:
            view.zoomAt(at, 1 / kTimelineKeyZoom);
            return true;
        case Qt::Key_0:
        case Qt::Key_Home:
            view.resetView();
            return true;
        case Qt::Key_F:
            view.zoomToSelection();
            return true;
        case Qt::Key_R:
            view.zoomToRepeat();
            return true;
        case Qt::Key_PageDown:
            view.goToRepeat(1);
            return true;
        case Qt::Key_PageUp:
            view.goToRepeat(-1);
            return true;
        case Qt::Key_G:
            askForRepeat(view);
            return true;
        case Qt::Key_Period:
        case Qt::Key_Greater:
            view.goToLaunch(1);
            return true;
        case Qt::Key_Comma:
        case Qt::Key_Less:
            view.goToLaunch(-1);
            return true;
        case Qt::Key_C:
            view.showCall();
            return true;
        case Qt::Key_P:
            if (const auto row = rowToPin(view)) view.setPinned(*row, !view.rows().isPinned(*row));
            return true;
        case Qt::Key_Escape:
            if (!view.launch() && !view.range()) return false;
            view.launch() ? view.chooseLaunch(std::nullopt) : view.chooseRange(std::nullopt);
            return true;
        default:
            return false;
    }
}

}  // namespace roofscope::gui
