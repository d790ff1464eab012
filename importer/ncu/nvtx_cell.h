// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// The nested ranges in a cell of ncu's column "thread Domain:Push/Pop_Range:PL_Type:…", in the
/// form of NcuRow::range(). A cell holds the thread and then each range in quotes:
///
///     77  "<default domain>:step:none:none:none:none:none:none"  "<default domain>:forward:…"
///
/// The column's name gives the order of the fields. Names may contain colons.
[[nodiscard]] std::string rangeOfNvtxCell(std::string_view columnName, std::string_view cell);

}  // namespace roofscope
