// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/language/words.h"
#include "analyzer/model/analysis.h"
#include "analyzer/program/account/range_accounts.h"
#include "reports/document/document.h"

/// Words about a time range that the user selected, for an assistant and the window.
namespace roofscope {

/// A moment of the recording's clock in full precision: "2.341567890 s".
[[nodiscard]] std::string momentText(Nanoseconds time);
/// "copies to the GPU: 3 with 1.05 MB, 92.1 µs".
[[nodiscard]] std::string rangeCopiesText(const RangeAccount::Copies& copies, Language language);
/// Where the time of a range goes: its account, kernels, copies and CPU functions. `place` says
/// where the range is ("repeat 7 of 40"); may be empty.
[[nodiscard]] doc::Document rangeDocument(const Analysis& analysis, const RangeAccount& range,
                                          const std::string& place, Language language);

}  // namespace roofscope
