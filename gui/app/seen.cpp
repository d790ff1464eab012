// SPDX-License-Identifier: Apache-2.0
#include "gui/app/seen.h"

#include <QApplication>

#include "gui/app/workspace.h"
#include "gui/models/overview/overview_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/kernels/kernel_table_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/plot/roofline_page.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_panel.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct SeenText {
    Q_DECLARE_TR_FUNCTIONS(Seen)
};

}  // namespace

std::optional<Seen> seenBesideHints(Workspace& views) {
    const auto part = views.partOf(QApplication::focusWidget());
    DetailsView& details = views.details();
    if (part == Workspace::Details && details.currentWidget() == &details.timeline()) {
        const TimelinePanel& panel = details.timeline().panel();
        if (panel.range())
            return Seen{
                .text = panel.range()->forAssistant,
                .said = SeenText::tr("Copied the account of %1").arg(panel.range()->length)};
        if (panel.launch())
            return Seen{.text = panel.launch()->text(),
                        .said = SeenText::tr("Copied: %1").arg(panel.launch()->name)};
    }
    if (views.overviewShown() && views.overview().overview())
        return Seen{.text = overviewText(*views.overview().overview()),
                    .said = SeenText::tr("Copied the overview")};
    return std::nullopt;
}

void searchWhereFocused(Workspace& views) {
    const auto part = views.partOf(QApplication::focusWidget());
    if (part == Workspace::Details && views.details().beginSearch()) return;
    if (part == Workspace::Roofline) return views.rooflinePage().beginSearch();
    views.focusPart(Workspace::Kernels);
    views.kernels().focusFilter();
}

}  // namespace roofscope::gui
