// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/language/words.h"

/// The language of the program, for the window and for every report that it shows or writes.
/// Changed only by gui/app/translation.h, together with Qt's translators.
namespace roofscope::gui {

[[nodiscard]] Language shownLanguage();
void setShownLanguage(Language language);

}  // namespace roofscope::gui
