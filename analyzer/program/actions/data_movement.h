// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "analyzer/program/account/kernels_per_window.h"

namespace roofscope::program {

/// What a framework's kernel does that only moves data.
enum class Move {
    Concatenate,  ///< torch.cat
    Gather,       ///< rows by an index: index_select, x[index], embedding lookups
    Scatter,      ///< rows to an index: index_add, scatter_add, index_put
    Copy,         ///< contiguous(), clone(), copy_() of the same type
    Cast,         ///< to another type
    Layout        ///< NCHW to NHWC and back, transpositions
};
inline constexpr std::size_t kMoves = 6;

/// Kernels of a window that only move data.
struct DataMovement {
    KernelsPerWindow all;
    std::array<Seconds, kMoves> time{};  ///< by Move
    /// DRAM bytes read and written by those kernels whose counters were read; 0 if there are none.
    Bytes bytes;

    [[nodiscard]] Seconds of(Move move) const { return time[static_cast<std::size_t>(move)]; }
    /// The moves that take time, most first.
    [[nodiscard]] std::vector<Move> most() const;
};

/// By the names of PyTorch's kernels. Kernels written for this program are not included, because
/// only their author knows what they are for.
[[nodiscard]] DataMovement dataMovement(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
