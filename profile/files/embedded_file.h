// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofscope {

/// A file compiled into a binary by roofscope_embed() (cmake/RoofscopeEmbed.cmake).
struct EmbeddedFile {
    std::string_view name;  ///< file name without folder
    std::string_view content;
};

}  // namespace roofscope
