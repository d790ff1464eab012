// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "reports/document/document.h"

namespace roofscope::doc {

struct TerminalOptions {
    std::size_t width = 100;  ///< columns; a longer word gets its own line
    bool colour = false;      ///< ANSI colours
};

/// Lines for a terminal, at most `width` columns wide; wide characters count as two.
[[nodiscard]] std::string toTerminal(const Document& document, const TerminalOptions& options = {});

}  // namespace roofscope::doc
