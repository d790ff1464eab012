// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_device.cuh"
#include "kernels/matmul/tensor_instructions.cuh"

/// Tiles of bf16 matrices for tensor cores: their layout in shared memory, how they get there, and
/// how a block's warps multiply them.
namespace roofscope::kernels::matmul::tensor {

using Element = __nv_bfloat16;
inline constexpr int kTileM = 128, kTileN = 256, kTileK = 32, kStages = 4, kThreads = 256;
inline constexpr int kWarpM = 64, kWarpN = 64, kWarpsN = kTileN / kWarpN;
inline constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 16, kSteps = kTileK / kMmaK;
inline constexpr int kPiece = Piece<Element>::kElements;
inline constexpr int kPiecesK = kTileK / kPiece, kPiecesN = kTileN / kPiece;
inline constexpr int kABytes = kTileM * kTileK * 2, kBBytes = kTileK * kTileN * 2;
inline constexpr int kStageBytes = kABytes + kBBytes, kSharedBytes = kStages * kStageBytes;
static_assert(kTileM * kTileN * 2 <= kSharedBytes, "the tile of C reuses the stages");

/// Byte offset of a 16-byte piece in a tile with rows of 64 bytes. Two rows fill a line of all 32
/// banks. A row's pieces are permuted by the line's number, so that eight rows' pieces of one
/// column are on eight different bank quads.
__device__ inline unsigned narrowTileByte(unsigned row, unsigned piece) {
    return row * (kTileK * 2) + (piece ^ (row / 2 % 4)) * kPieceBytes;
}
/// The same for rows of 512 bytes, in groups of eight pieces.
__device__ inline unsigned wideTileByte(unsigned row, unsigned piece) {
    return row * (kTileN * 2) + (piece ^ (row % 8)) * kPieceBytes;
}

/// Brings a 16-byte piece into shared memory; elements outside the matrix are 0.
template <bool InPieces>
__device__ void bring(char* to, const Element* __restrict__ matrix, int row, int column, int rows,
                      int columns) {
    if constexpr (InPieces) {
        const bool inside = row < rows && column < columns;
        const std::size_t at =
            inside ? static_cast<std::size_t>(row) * columns + column : std::size_t{0};
        copyPieceAsync(to, matrix + at, inside);
    } else {
        *reinterpret_cast<Piece<Element>*>(to) =
            loadPiece<false>(matrix, row, column, rows, columns);
    }
}

/// Starts bringing the tiles for step `tile` along K into their stage.
template <bool InPieces>
__device__ void startTileCopies(char* stages, const Element* __restrict__ a,
                                const Element* __restrict__ b, int m, int n, int k, int tile) {
    char* const aTile = stages + tile % kStages * kStageBytes;
    char* const bTile = aTile + kABytes;
    const unsigned thread = threadIdx.x, start = tile * kTileK;
    const unsigned rowStart = blockIdx.x * kTileM, columnStart = blockIdx.y * kTileN;
#pragma unroll
    for (int p = 0; p < kTileM * kPiecesK / kThreads; ++p) {
        const unsigned i = thread + p * kThreads, row = i / kPiecesK, piece = i % kPiecesK;
        bring<InPieces>(aTile + narrowTileByte(row, piece), a, rowStart + row,
                        start + piece * kPiece, m, k);
    }
#pragma unroll
    for (int p = 0; p < kTileK * kPiecesN / kThreads; ++p) {
        const unsigned i = thread + p * kThreads, row = i / kPiecesN, piece = i % kPiecesN;
        bring<InPieces>(bTile + wideTileByte(row, piece), b, start + row,
                        columnStart + piece * kPiece, k, n);
    }
}

/// The operands of a warp for 16 steps along K.
struct Operands {
    std::uint32_t left[kWarpM / kMmaM][4];
    std::uint32_t right[kWarpN / (2 * kMmaN)][4];  ///< two columns of 8 in each

    __device__ void load(const char* stages, int tile, int step, unsigned warpRow,
                         unsigned warpColumn) {
        const char* const aTile = stages + tile % kStages * kStageBytes;
        const char* const bTile = aTile + kABytes;
        // Lanes 0 to 15 point to rows of the first eight columns, the others to the next eight.
        const unsigned lane = threadIdx.x % 32, row = lane % 16, second = lane / 16;
#pragma unroll
        for (int i = 0; i < kWarpM / kMmaM; ++i)
            loadMatrices(left[i], aTile + narrowTileByte(warpRow + i * kMmaM + row,
                                                         step * (kMmaK / kPiece) + second));
#pragma unroll
        for (int i = 0; i < kWarpN / (2 * kMmaN); ++i)
            loadMatricesTransposed(
                right[i],
                bTile + wideTileByte(step * kMmaK + row, warpColumn / kPiece + 2 * i + second));
    }
};

using Sums = float[kWarpM / kMmaM][kWarpN / kMmaN][4];

__device__ inline void multiply(Sums& sums, const Operands& o) {
#pragma unroll
    for (int i = 0; i < kWarpM / kMmaM; ++i)
#pragma unroll
        for (int j = 0; j < kWarpN / kMmaN; ++j)
            multiplyAdd(sums[i][j], o.left[i], o.right[j / 2][j % 2 * 2],
                        o.right[j / 2][j % 2 * 2 + 1]);
}

/// Rounds a warp's sums to bf16 and puts them into the tile of C in shared memory.
__device__ inline void storeSums(char* tile, const Sums& sums, unsigned warpRow,
                                 unsigned warpColumn) {
    const unsigned lane = threadIdx.x % 32, row = warpRow + lane / 4;
#pragma unroll
    for (int i = 0; i < kWarpM / kMmaM; ++i)
#pragma unroll
        for (int j = 0; j < kWarpN / kMmaN; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                char* const to = tile +
                                 wideTileByte(row + i * kMmaM + h * 8, warpColumn / kPiece + j) +
                                 lane % 4 * 4;
                *reinterpret_cast<__nv_bfloat162*>(to) =
                    __floats2bfloat162_rn(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
            }
}

}  // namespace roofscope::kernels::matmul::tensor
