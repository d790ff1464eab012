// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "analyzer/program/kernels_per_window.h"

namespace roofscope::program {

/// What a framework's kernel does that computes nothing and only moves data.
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
    /// What they read and wrote in DRAM, of those whose counters were read; 0 where of none.
    Bytes bytes;

    [[nodiscard]] Seconds of(Move move) const { return time[static_cast<std::size_t>(move)]; }
    /// The moves that take time, most first.
    [[nodiscard]] std::vector<Move> most() const;
};

/// By the names of PyTorch's kernels. Kernels that somebody wrote for this program are not among
/// them: what they are for their author knows.
[[nodiscard]] DataMovement dataMovement(const Analysis& analysis, const Program& program);

}  // namespace roofscope::program
