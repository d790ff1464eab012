// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/finding.h"

namespace roofscope {

/// How a renderer protects a text argument of a phrase.
using EscapeText = std::string (*)(std::string_view text);

/// Fills a rule's sentence: "{degree}" becomes the argument of that name, as a number with its unit
/// or as its text, escaped. "{{" and "}}" stand for braces. A name without argument stays visible
/// as
/// "{name}": a gap in a sentence would read as a fact.
[[nodiscard]] std::string fillPhrase(std::string_view phrase, std::span<const Arg> args,
                                     EscapeText escape);

}  // namespace roofscope
