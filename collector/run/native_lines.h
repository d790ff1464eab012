// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/call_sites.h"

namespace roofscope {

/// Gives call sites in compiled code their file, line and function, as far as addr2line (binutils)
/// is there and the code has debug information. Of inlined functions the innermost one outside of
/// CUDA's and the C++ library's headers counts. Unknown sites stay as they are.
void addNativeLines(std::vector<CallSite>& sites);

/// One frame as addr2line prints it; line 0: unknown.
struct NativeFrame {
    std::string function, file;
    std::uint32_t line = 0;
    bool operator==(const NativeFrame&) const = default;
};
/// What `addr2line -a -f -i -C` printed: for each address, in their order, the innermost frame
/// first.
[[nodiscard]] std::vector<std::vector<NativeFrame>> parseAddr2line(std::string_view text);

}  // namespace roofscope
