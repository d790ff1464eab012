// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/model/analysis.h"

namespace roofscope::program {

/// The roof of a pipe of this GPU: measured, else theoretical. Absent if neither is known.
[[nodiscard]] std::optional<Roof> pipeRoof(const Analysis& analysis, std::uint32_t device,
                                           Arithmetic type);

}  // namespace roofscope::program
