// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/language/words.h"

namespace roofscope {

/// Two sentences, one after the other, with the language's gap between them; either may be empty.
[[nodiscard]] Words joinedSentences(const Words& first, const Words& second);

}  // namespace roofscope
