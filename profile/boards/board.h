// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofscope {

/// Public figures for a board's tensor cores, and for FP64 where it has less than its die:
/// `profile/boards/boards.json`. A board may do less than its die could, and some dies have no
/// published rates. Where the figures come from: docs/ceilings.md.
struct Board {
    std::vector<std::string> names;  ///< full names as the driver reports them: "NVIDIA H20"
    /// Its tensor cores do less than the die's table says, so a rate that is missing here is
    /// unknown.
    bool cutDown = false;
    /// Operations per second of dense products, by the keys of ChipTable::peaks ("tensor_bf16");
    /// "fp64" is that of vectors.
    std::map<std::string, double, std::less<>> rates;
};

/// All boards of the table.
[[nodiscard]] const std::vector<Board>& knownBoards();

/// The board of a GPU with this name; null if the table has none. A MIG slice ("NVIDIA H20 MIG
/// 1g.12gb") is not a whole board and gives null.
[[nodiscard]] const Board* findBoard(std::string_view gpuName);

/// Whether this GPU is a cut-down board (Board::cutDown) or a MIG slice of one.
[[nodiscard]] bool isCutDown(std::string_view gpuName);

}  // namespace roofscope
