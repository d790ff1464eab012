// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/language/words.h"
#include "analyzer/model/finding.h"

namespace roofscope {

/// Fills a rule's sentence. "{degree}" becomes the argument of that name: a number with its unit,
/// or its text, cleaned and cut to `longest` characters. "{count?copy:copies}" becomes the first
/// word if that number reads "1", else the second. "{{" and "}}" stand for braces. A name without
/// an argument stays visible as "{name}", since a silent gap could read as a fact.
[[nodiscard]] std::string fillPhrase(std::string_view phrase, std::span<const Arg> args,
                                     std::size_t longest, Language language);

/// Whether a rule's sentence contains "{name}".
[[nodiscard]] bool mentions(std::string_view phrase, std::string_view name);

/// A rule's sentence for a catalogue, without arguments: "{blocks} {blocks?block:blocks}" →
/// "{blocks} blocks".
[[nodiscard]] std::string unfilledPhrase(std::string_view phrase);

/// Fixes the spaces in text joined from parts. Chinese readers expect a space between Chinese and
/// Latin letters or digits, and none between Chinese characters. Other languages are unchanged.
[[nodiscard]] std::string spaced(std::string_view text, Language language);

}  // namespace roofscope
