// SPDX-License-Identifier: Apache-2.0
#include "gui/app/assistant_text.h"

#include <QApplication>

#include "gui/app/workspace.h"
#include "gui/models/overview/overview_text.h"
#include "gui/views/details/details_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/timeline/timeline_page.h"
#include "gui/views/timeline/timeline_panel.h"

namespace roofscope::gui {
namespace {

/// Translation context for the texts of this file.
struct AssistantWords {
    Q_DECLARE_TR_FUNCTIONS(AssistantText)
};

}  // namespace

std::optional<AssistantText> assistantTextBesideHints(Workspace& views) {
    const auto part = views.partOf(QApplication::focusWidget());
    DetailsView& details = views.details();
    if (part == Workspace::Details && details.currentWidget() == &details.timeline()) {
        const TimelinePanel& panel = details.timeline().panel();
        if (panel.range())
            return AssistantText{
                .text = panel.range()->forAssistant,
                .said = AssistantWords::tr("Copied the account of %1").arg(panel.range()->length)};
        if (panel.launch())
            return AssistantText{
                .text = panel.launch()->text(),
                .said = AssistantWords::tr("Copied: %1").arg(panel.launch()->name)};
        if (panel.bar())
            return AssistantText{.text = panel.bar()->text(),
                                 .said = AssistantWords::tr("Copied: %1").arg(panel.bar()->name)};
    }
    if (views.overviewShown() && views.overview().overview())
        return AssistantText{.text = overviewText(*views.overview().overview()),
                             .said = AssistantWords::tr("Copied the overview")};
    return std::nullopt;
}

}  // namespace roofscope::gui
