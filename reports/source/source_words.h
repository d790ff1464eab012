// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "reports/document/text.h"

/// Words about places in a kernel's code.
namespace roofscope {

/// "`softmax.cu:42` (`LDG.E`, +0x120): 1.84 M excess sectors (100 % of the kernel's), …". `brief`
/// leaves out offset and amount if the line is known.
[[nodiscard]] doc::Text placeText(const Place& place, Language language, bool brief = false);

/// What the source pass of a kernel lacks and how to get it: sentences without full stop.
[[nodiscard]] std::vector<doc::Text> missingSource(const Analysis& analysis,
                                                   const KernelAnalysis& kernel, Language language);

}  // namespace roofscope
