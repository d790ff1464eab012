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

/// The row that a key for rows is about: under the cursor, or else that of the selected bar.
std::optional<std::size_t> rowOfKey(const TimelineView& view) {
    const QPoint cursor = view.cursorInView();
    if (view.viewport()->rect().contains(cursor))
        if (const auto row = view.rowAt(cursor.y())) return row;
    return view.rowOfSelected();
}

/// Adds a submenu of all rows with check marks, for use without a mouse.
QMenu* addRowMenu(TimelineView& view, QMenu& menu, const QString& title,
                  bool (TimelineRows::*isChecked)(std::size_t) const,
                  void (TimelineView::*check)(std::size_t, bool)) {
    QMenu* rows = menu.addMenu(title);
    for (std::size_t row = 0; row < view.timeline().rows.size(); ++row) {
        const QString& name = view.timeline().rows[row].name;
        QAction* action = rows->addAction(labelText(name));
        action->setCheckable(true);
        action->setChecked((view.rows().*isChecked)(row));
        QObject::connect(action, &QAction::toggled, &view, [&view, check, row, name](bool checked) {
            // Another recording may have been shown while the menu was open.
            const auto& known = view.timeline().rows;
            if (row < known.size() && known[row].name == name) (view.*check)(row, checked);
        });
    }
    rows->addSeparator();
    return rows;
}

void addRowMenus(TimelineView& view, QMenu& menu) {
    addRowMenu(view, menu, TimelineView::tr("Pinned Rows"), &TimelineRows::isPinned,
               &TimelineView::setPinned)
        ->addAction(TimelineView::tr("Unpin All"), &view, [&view] { view.unpinAll(); })
        ->setEnabled(view.rows().pinned() > 0);
    addRowMenu(view, menu, TimelineView::tr("Folded Rows"), &TimelineRows::isFolded,
               &TimelineView::setFolded)
        ->addAction(TimelineView::tr("Unfold All"), &view, [&view] { view.unfoldAll(); })
        ->setEnabled(view.rows().folded() > 0);
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
    const bool selected = view.range() || view.selectedPlace();
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
    add(TimelineView::tr("Select No Time and No Bar"), "Esc", selected, [to] {
        to->chooseLaunch(std::nullopt);
        to->chooseBar(std::nullopt);
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
    const bool folded = row && view.rows().isFolded(*row);
    add(folded ? TimelineView::tr("Unfold This Row") : TimelineView::tr("Fold This Row"), "X",
        row.has_value(), [to, row, folded] {
            if (*row < to->timeline().rows.size()) to->setFolded(*row, !folded);
        });
    addRowMenus(view, menu);
    menu.addSeparator();
    const bool other = view.bar().has_value();
    const bool steps = other || view.currentKernel();
    add(other ? TimelineView::tr("Next of This Name")
              : TimelineView::tr("Next Launch of the Kernel"),
        ".", steps, [to] { to->goToNext(1); });
    add(other ? TimelineView::tr("Previous of This Name")
              : TimelineView::tr("Previous Launch of the Kernel"),
        ",", steps, [to] { to->goToNext(-1); });
    add(TimelineView::tr("Show Its Call"), "C", view.rowOfCall().has_value(),
        [to] { to->showCall(); });
    add(TimelineView::tr("Search…"), "Ctrl+F", true, [to] { Q_EMIT to->searchRequested(); });
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
            view.goToNext(1);
            return true;
        case Qt::Key_Comma:
        case Qt::Key_Less:
            view.goToNext(-1);
            return true;
        case Qt::Key_C:
            view.showCall();
            return true;
        case Qt::Key_P:
            if (const auto row = rowOfKey(view)) view.setPinned(*row, !view.rows().isPinned(*row));
            return true;
        case Qt::Key_X:
            if (const auto row = rowOfKey(view)) view.setFolded(*row, !view.rows().isFolded(*row));
            return true;
        case Qt::Key_Escape:
            if (!view.selectedPlace() && !view.range()) return false;
            if (!view.selectedPlace()) view.chooseRange(std::nullopt);
            view.chooseLaunch(std::nullopt);
            view.chooseBar(std::nullopt);
            return true;
        default:
            return false;
    }
}

}  // namespace roofscope::gui
