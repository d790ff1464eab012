// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "analyzer/language/language.h"

namespace roofscope {

/// As many whole sentences from the beginning of a text as have room, in bytes; at least one. A
/// full stop ends a sentence unless the text goes on in lower case or with a number: "i.e. x",
/// "no. 3", "2.5". A name in code may begin one: "fp32 inputs …", "torch.cat …".
[[nodiscard]] std::string_view firstSentences(std::string_view text, std::size_t room,
                                              Language language);

}  // namespace roofscope
