// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope {

/// Public figures for the tensor cores of a board: `profile/boards/boards.json`. A board may do
/// less than its die could, and no document gives rates for some dies. Where the figures come from:
/// docs/ceilings.md.
struct Board {
    std::vector<std::string> names;  ///< as the driver writes them, whole: "NVIDIA H20"
    /// Its tensor cores do less than the die's table says: what has no figure here is not known.
    bool cutDown = false;
    /// Operations per second of dense products, by the keys of ChipTable::peaks ("tensor_bf16").
    std::map<std::string, double, std::less<>> rates;
};

/// All boards of the table.
[[nodiscard]] const std::vector<Board>& knownBoards();

/// The board of a GPU with this name; null if the table has none. A MIG slice ("NVIDIA H20 MIG
/// 1g.12gb") is not its board.
[[nodiscard]] const Board* findBoard(std::string_view gpuName);

/// Whether tensor cores of this GPU are known to do less than its die's table says: it is such a
/// board, or a slice of one.
[[nodiscard]] bool isCutDown(std::string_view gpuName);

}  // namespace roofscope
