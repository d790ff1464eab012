// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/rung.h"

/// The operator of all rungs of this family: a matrix product.
///
///     C[i,j] = Σ_k A[i,k] · B[k,j]
///
/// A [M,K], B [K,N], C [M,N], dense and row-major (the last extent is fastest), all three in f32 or
/// all three in bf16. Sums are kept in fp32; bf16 rounds once, when C is stored.
namespace roofscope::kernels::matmul {

/// Device pointers and extents of one call. The arrays do not overlap and are 256-byte aligned.
struct MatmulArguments {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    int m = 0, n = 0, k = 0;
    DType dtype = DType::F32;
};

using Launcher = void (*)(const MatmulArguments&, Stream);

/// 4096³ and 4095 × 2047 × 1023 (unaligned rows), in f32 and in bf16; f32 4096³ is first.
[[nodiscard]] std::vector<Case> matmulCases();
/// Odd, tiny and thin extents in both types.
[[nodiscard]] std::vector<Case> matmulVerifyCases();
/// `cases` in bf16 only, for rungs that support nothing else.
[[nodiscard]] std::vector<Case> onlyBf16(std::vector<Case> cases);
/// Why the family does not support a case, or empty.
[[nodiscard]] std::string matmulRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`.
[[nodiscard]] std::unique_ptr<Instance> makeMatmulInstance(const Case& c, std::uint64_t seed,
                                                           Launcher launch);
/// makeMatmulInstance() in the form that Rung::make wants.
template <Launcher Launch>
[[nodiscard]] std::unique_ptr<Instance> makeMatmul(const Case& c, std::uint64_t seed) {
    return makeMatmulInstance(c, seed, Launch);
}

/// The extents of a case as numbers for computing known answers.
struct Extents {
    explicit Extents(const Case& c);

    std::int64_t m, n, k;
    std::int64_t elementBytes;

    [[nodiscard]] double elements() const;  ///< of A, B and C together
    [[nodiscard]] double products() const;  ///< M·N·K
    /// Whether the rows of all three matrices start at a multiple of `bytes`.
    [[nodiscard]] bool rowsAlignedTo(std::int64_t bytes) const;
};

/// The number of pieces of `step` that cover `extent`.
[[nodiscard]] constexpr std::int64_t piecesOf(std::int64_t extent, std::int64_t step) {
    return (extent + step - 1) / step;
}
/// The 32-byte sectors touched by warps that each take `step` neighbouring elements of a row of a
/// dense [rows, columns] matrix, covering it once; a row's last piece may be shorter.
[[nodiscard]] double rowPieceSectors(std::int64_t rows, std::int64_t columns, std::int64_t step,
                                     std::int64_t elementBytes);

}  // namespace roofscope::kernels::matmul
