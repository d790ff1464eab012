// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/overview/overview.h"

namespace roofscope::gui {

/// The contents of the overview as markdown, for an assistant.
[[nodiscard]] QString overviewText(const Overview& overview);

}  // namespace roofscope::gui
