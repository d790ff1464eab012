// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace roofscope::capture {

/// Whether a kernel of a cubin reads or writes textures or surfaces. The driver does not tell what
/// lies behind their handles, so such a launch cannot be kept. Looks at the kernel's own
/// instructions (Turing to Blackwell), not at functions in other sections.
[[nodiscard]] bool usesTextures(std::span<const unsigned char> cubin, std::string_view symbol);

}  // namespace roofscope::capture
