// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

#include "analyzer/language/words.h"
#include "analyzer/program/account/range_summary.h"
#include "reports/document/document.h"

namespace roofscope {

/// The recorded NVTX ranges as a table, at most `most` of them, with a sentence about its times;
/// empty if there are none. A dash means that the range issued no GPU work.
[[nodiscard]] doc::Nodes rangeSummaryNodes(const Profile& profile,
                                           const std::vector<RangeSummary>& ranges,
                                           Language language, std::size_t most = 20);

/// The same as JSON, for at most `most` ranges, with the total number of ranges; null if there are
/// none.
[[nodiscard]] nlohmann::ordered_json rangeSummaryObject(const Profile& profile,
                                                        const std::vector<RangeSummary>& ranges,
                                                        std::size_t most = 1000);

}  // namespace roofscope
