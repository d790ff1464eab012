// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/device_element.cuh"
#include "kernels/matmul/matmul.h"

/// What the rungs share: typed pointers, 16-byte pieces of rows.
namespace roofscope::kernels::matmul {

/// Calls `launch(a, b, c)` with pointers of the case's element type.
template <class Launch>
void withElementType(const MatmulArguments& m, Launch launch) {
    if (m.dtype == DType::BF16)
        launch(static_cast<const __nv_bfloat16*>(m.a), static_cast<const __nv_bfloat16*>(m.b),
               static_cast<__nv_bfloat16*>(m.c));
    else
        launch(static_cast<const float*>(m.a), static_cast<const float*>(m.b),
               static_cast<float*>(m.c));
}

inline constexpr int kPieceBytes = 16;

/// Whether rows consist of whole 16-byte pieces, so that one access can move a piece.
[[nodiscard]] inline bool rowsInPieces(const MatmulArguments& m) {
    const int piece = kPieceBytes / static_cast<int>(elementBytes(m.dtype));
    return m.k % piece == 0 && m.n % piece == 0;
}

/// Neighbouring elements moved by one access.
template <class T, int Count = kPieceBytes / static_cast<int>(sizeof(T))>
struct alignas(Count * sizeof(T)) Piece {
    static constexpr int kElements = Count;
    T at[Count];
};

/// The piece of a dense [rows, columns] matrix that starts at (row, column); elements outside the
/// matrix are 0. InPieces: rows consist of whole pieces, and `column` is at the start of one.
template <bool InPieces, class T>
__device__ Piece<T> loadPiece(const T* __restrict__ matrix, int row, int column, int rows,
                              int columns) {
    const T* from = matrix + static_cast<std::size_t>(row) * columns + column;
    if (InPieces && row < rows && column < columns) return *reinterpret_cast<const Piece<T>*>(from);
    Piece<T> piece;
#pragma unroll
    for (int i = 0; i < Piece<T>::kElements; ++i)
        piece.at[i] =
            !InPieces && row < rows && column + i < columns ? from[i] : fromFloat<T>(0.0F);
    return piece;
}

/// The counterpart: stores the elements that are inside the matrix.
template <bool InPieces, class T, int Count>
__device__ void storePiece(T* __restrict__ matrix, int row, int column, int rows, int columns,
                           const Piece<T, Count>& piece) {
    if (row >= rows) return;
    T* to = matrix + static_cast<std::size_t>(row) * columns + column;
    if constexpr (InPieces) {
        if (column < columns) *reinterpret_cast<Piece<T, Count>*>(to) = piece;
    } else {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            if (column + i < columns) to[i] = piece.at[i];
    }
}

}  // namespace roofscope::kernels::matmul
