// SPDX-License-Identifier: Apache-2.0
#include "collector/capture/texture_use.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "collector/capture/cubin_section.h"

namespace roofscope::capture {

bool usesTextures(std::span<const unsigned char> cubin, std::string_view symbol) {
    // An instruction has 16 bytes; its operation is in the lowest 12 bits. Found by compiling a
    // kernel for each kind of access with CUDA 13 for 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 and 12.0.
    constexpr std::size_t kInstruction = 16;
    constexpr unsigned kOperations[] = {0x60, 0x63, 0x66, 0x6c, 0x6f, 0x99, 0x9d};
    constexpr unsigned kUpToAda = 0xb00, kFromHopper = 0xf00;
    const auto code = cubinSection(cubin, ".text." + std::string(symbol));
    for (std::size_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
        std::uint16_t low = 0;
        std::memcpy(&low, code.data() + at, sizeof low);
        const unsigned form = low & 0xf00U, operation = low & 0xffU;
        if ((form == kUpToAda || form == kFromHopper) &&
            std::ranges::find(kOperations, operation) != std::end(kOperations))
            return true;
    }
    return false;
}

}  // namespace roofscope::capture
