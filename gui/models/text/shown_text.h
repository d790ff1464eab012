// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstddef>
#include <optional>
#include <string_view>

#include "reports/document/text.h"

namespace roofscope::gui {

/// What is shown of a text at most, in code points: longer than any name that means something.
inline constexpr std::size_t kLongestShown = 10'000;

/// A text of a profile (a name, range, message, file, host, command or source line) as it may reach
/// the screen, a tooltip, the clipboard or a title: cleanText() of the reports. Qt draws U+202E and
/// its like as it should, so that a raw name turns round whatever stands behind it.
[[nodiscard]] QString shownText(std::string_view text, std::size_t most = kLongestShown);
/// Of a file's name, too (file_name.h): bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] QString shownText(const QString& text, std::size_t most = kLongestShown);
/// The same of a text of several lines, each by itself: the line ends stay.
[[nodiscard]] QString shownLines(const QString& lines);

/// What a report says, without its looks; nothing where it says nothing.
[[nodiscard]] QString plainText(const doc::Text& text);
[[nodiscard]] QString plainText(const std::optional<doc::Text>& text);

}  // namespace roofscope::gui
