// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace roofscope::capture {

/// The contents of a cubin's section by its name. Empty if there is no such section, or if the
/// bytes are no cubin or damaged. Never reads outside of `cubin`.
[[nodiscard]] std::span<const unsigned char> cubinSection(std::span<const unsigned char> cubin,
                                                          std::string_view wanted);

}  // namespace roofscope::capture
