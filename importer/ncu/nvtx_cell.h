// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofscope {

/// The nested ranges in a cell of ncu's column "thread Domain:Push/Pop_Range:PL_Type:…", as
/// NcuRow::range(). A cell holds the thread and then each range in quotes:
///
///     77  "<default domain>:step:none:none:none:none:none:none"  "<default domain>:forward:…"
///
/// The column's name says which field is which. Names may contain colons.
[[nodiscard]] std::string rangeOfNvtxCell(std::string_view columnName, std::string_view cell);

}  // namespace roofscope
