// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <optional>

namespace roofscope::gui {

class Workspace;

/// What the user is looking at, as text for an assistant, and the message that confirms the copy.
struct AssistantText {
    QString text, said;
};
/// The selection in the timeline if that has the focus, or the overview if that is shown. Nullopt
/// means that the hints of the selected kernel are meant.
[[nodiscard]] std::optional<AssistantText> assistantTextBesideHints(Workspace& views);

}  // namespace roofscope::gui
