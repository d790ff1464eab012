// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace roofscope::capture {

/// The contents of a section of a cubin by its name. Empty if there is none, or if it is no cubin
/// or damaged: nothing outside of `cubin` is read.
[[nodiscard]] std::span<const unsigned char> cubinSection(std::span<const unsigned char> cubin,
                                                          std::string_view wanted);

}  // namespace roofscope::capture
