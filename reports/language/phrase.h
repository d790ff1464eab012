// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/language/words.h"
#include "analyzer/model/finding.h"

namespace roofscope {

/// Fills a rule's sentence: "{degree}" becomes the argument of that name, as a number with its unit
/// or as its text, clean and of `longest` characters at most. "{count?copy:copies}" becomes the
/// first word where that number reads "1", else the second. "{{" and "}}" stand for braces. A name
/// without argument stays visible as "{name}": a gap in a sentence would read as a fact.
[[nodiscard]] std::string fillPhrase(std::string_view phrase, std::span<const Arg> args,
                                     std::size_t longest, Language language);

/// Whether a rule's sentence says the value of the argument of that name.
[[nodiscard]] bool mentions(std::string_view phrase, std::string_view name);

/// A rule's sentence without arguments, as a catalogue shows it: "{blocks} {blocks?block:blocks}" →
/// "{blocks} blocks".
[[nodiscard]] std::string unfilledPhrase(std::string_view phrase);

/// For words put together from parts: where Chinese and Latin letters or digits meet, Chinese
/// readers expect a space, and none between Chinese characters. Other languages stay as they are.
[[nodiscard]] std::string spaced(std::string_view text, Language language);

}  // namespace roofscope
