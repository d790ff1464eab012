// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roofscope {

/// CUPTI's name of the first GPU's chip ("GH100"); empty without a GPU, a driver or CUPTI. Loads
/// the driver into this process.
[[nodiscard]] std::string firstChip();

}  // namespace roofscope
