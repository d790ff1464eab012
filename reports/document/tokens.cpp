// SPDX-License-Identifier: Apache-2.0
#include "reports/document/tokens.h"

namespace roofscope {

std::size_t estimateTokens(std::string_view text) {
    // English and code take about 4 bytes per token; a non-ASCII character takes about one token.
    std::size_t ascii = 0, other = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            ++ascii;
        else if (byte >= 0xC0)  // continuation bytes belong to the character before
            ++other;
    }
    return (ascii + 3) / 4 + other;
}

}  // namespace roofscope
