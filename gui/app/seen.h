// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace roofscope::gui {

class Workspace;

/// What the user looks at, as text for an assistant, and what to say about it.
struct Seen {
    QString text, said;
};
/// What is selected in the timeline if it has the focus, or the overview if it is shown. Nullopt:
/// the hints of the selected kernel.
[[nodiscard]] std::optional<Seen> seenBesideHints(Workspace& views);

/// Begins a search in the pane that has the focus; where that has none, filters the kernels.
void searchWhereFocused(Workspace& views);

}  // namespace roofscope::gui
