// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <string_view>

#include "reports/document/text.h"

namespace roofscope::gui {

/// Longest text that is shown, in code points. No sensible name is longer.
inline constexpr std::size_t kLongestShown = 10'000;

/// Makes a text from a profile (name, range, message, file, host, command, source line) safe for
/// the screen, tooltips, the clipboard and titles, with cleanText(). Qt obeys direction marks such
/// as U+202E, so a raw name could reverse the text after it.
[[nodiscard]] QString shownText(std::string_view text, std::size_t most = kLongestShown);
/// Also for file names (file_name.h): bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] QString shownText(const QString& text, std::size_t most = kLongestShown);
/// The same for a text of several lines: keeps the line breaks.
[[nodiscard]] QString shownLines(const QString& lines);

/// The text for a button, tab or menu. Doubles "&", which Qt would take for a mnemonic.
[[nodiscard]] QString labelText(QString text);

/// The text of a report without formatting; empty if there is none.
[[nodiscard]] QString plainText(const doc::Text& text);
[[nodiscard]] QString plainText(const std::optional<doc::Text>& text);

}  // namespace roofscope::gui
