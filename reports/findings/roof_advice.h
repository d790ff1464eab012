// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"

namespace roofscope {

/// What would relieve the roof that a kernel is near: "fewer shared-memory accesses (…)". Empty for
/// other verdicts, and where there is nothing to say but "do less".
[[nodiscard]] std::string roofAdvice(const Verdict& verdict, Language language);

}  // namespace roofscope
