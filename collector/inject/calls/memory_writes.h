// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "collector/cupti/cupti_api.h"

/// Driver calls other than launches that write to GPU memory.
namespace roofscope::inject {

/// Copies and memsets whose first argument is the address that they write to.
[[nodiscard]] std::span<const CUpti_CallbackId> writesToFirstArgument();
/// Copies whose destination is described in a structure.
[[nodiscard]] std::span<const CUpti_CallbackId> writesElsewhere();

}  // namespace roofscope::inject
