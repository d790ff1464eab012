// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace roofscope::capture {

/// Whether a kernel of a cubin reads or writes textures or surfaces. The driver does not tell which
/// memory their handles refer to, so such a launch cannot be captured. Only the kernel's own
/// instructions are checked (Turing to Blackwell), not functions in other sections.
[[nodiscard]] bool usesTextures(std::span<const unsigned char> cubin, std::string_view symbol);

}  // namespace roofscope::capture
