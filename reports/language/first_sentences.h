// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "analyzer/language/language.h"

namespace roofscope {

/// As many whole sentences from the beginning of a text as fit into `room` bytes, but at least one.
/// A full stop does not end a sentence if the text continues in lower case or with a number: "i.e.
/// x", "no. 3", "2.5". A sentence may begin with a name in code: "fp32 inputs …", "torch.cat …".
[[nodiscard]] std::string_view firstSentences(std::string_view text, std::size_t room,
                                              Language language);

/// The same of an edit. If only its first sentence fits, and that one just explains ("This is a
/// matrix-vector product."), the sentences after it. `english`: the same text in English.
[[nodiscard]] std::string_view sentencesOfEdit(std::string_view text, std::string_view english,
                                               std::size_t room, Language language);

}  // namespace roofscope
