// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text/shown_language.h"

#include <atomic>

namespace roofscope::gui {
namespace {

// Atomic because loader and comparer threads read it.
std::atomic<Language> g_language{Language::En};

}  // namespace

Language shownLanguage() { return g_language; }
void setShownLanguage(Language language) { g_language = language; }

}  // namespace roofscope::gui
