// SPDX-License-Identifier: Apache-2.0
//
// A bf16 matrix product on tensor cores. (matmul.h says what the operator computes.)
//
// What this rung does: a block of 8 warps computes 128 × 256 elements of C; a warp keeps 64 × 64
// in 128 registers per thread. It walks along K in steps of 32. Tiles of A and B are copied
// asynchronously, four steps ahead. Warps read them with ldmatrix and multiply with mma.sync
// m16n8k16; the operands of the next 16 products are read while the current ones are multiplied.
// C goes through shared memory, so that it is stored 16 bytes at a time. Rows that do not consist
// of 16-byte pieces cannot be copied asynchronously: they are loaded element by element, much
// slower.
//
// The fault: none on chips without wgmma. On Hopper mma.sync reaches two thirds of the tensor roof,
// which needs wgmma with operands in shared memory (finding mma-instead-of-wgmma, with the counter
// group "tensor"); cuBLAS uses wgmma.
//
// Where it shows: sm__pipe_tensor_cycles_active, no fp32 multiply-adds, and no excess wavefronts:
// the 16-byte pieces of a tile are permuted (below), so that the eight rows that ldmatrix reads at
// once are on different banks.
#include "kernels/counters.h"
#include "kernels/matmul/matmul_device.cuh"
#include "kernels/matmul/tensor_tiles.cuh"
#include "kernels/patterns/refusals.h"
#include "kernels/patterns/required_code.h"

namespace roofscope::kernels {
namespace matmul {
namespace {

using namespace tensor;

constexpr int kMinComputeCapability = 80;  // bf16 in tensor cores, asynchronous copies

template <bool InPieces>
__device__ void multiplyTiles(const Element* __restrict__ a, const Element* __restrict__ b,
                              Element* __restrict__ c, int m, int n, int k) {
    extern __shared__ __align__(128) char stages[];
    const unsigned warp = threadIdx.x / 32;
    const unsigned warpRow = warp / kWarpsN * kWarpM, warpColumn = warp % kWarpsN * kWarpN;
    const int tiles = (k + kTileK - 1) / kTileK;

#pragma unroll
    for (int tile = 0; tile < kStages; ++tile) {
        if (tile < tiles) startTileCopies<InPieces>(stages, a, b, m, n, k, tile);
        endCopyGroup();
    }
    waitForCopyGroups<kStages - 1>();
    __syncthreads();  // the first tiles are complete
    Operands operands[2];
    operands[0].load(stages, 0, 0, warpRow, warpColumn);

    Sums sums = {};
    for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            if (step + 1 < kSteps) {
                operands[(step + 1) % 2].load(stages, tile, step + 1, warpRow, warpColumn);
            } else {
                // kStages + tile groups were started; all but kStages − 2 include the next tile.
                waitForCopyGroups<kStages - 2>();
                __syncthreads();  // the next tiles are complete; the current ones are unused
                if (tile + 1 < tiles)
                    operands[(step + 1) % 2].load(stages, tile + 1, 0, warpRow, warpColumn);
                if (tile + kStages < tiles)
                    startTileCopies<InPieces>(stages, a, b, m, n, k, tile + kStages);
                endCopyGroup();
            }
            multiply(sums, operands[step % 2]);
        }
    }

    __syncthreads();  // the stages are free
    storeSums(stages, sums, warpRow, warpColumn);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kTileM * kPiecesN / kThreads; ++p) {
        const unsigned i = threadIdx.x + p * kThreads;
        const unsigned row = i / kPiecesN, piece = i % kPiecesN;
        storePiece<InPieces>(
            c, blockIdx.x * kTileM + row, blockIdx.y * kTileN + piece * kPiece, m, n,
            *reinterpret_cast<const Piece<Element>*>(stages + wideTileByte(row, piece)));
    }
}

template <bool InPieces>
__global__ void __launch_bounds__(kThreads, 1)
    matmulTensorCore(const Element* __restrict__ a, const Element* __restrict__ b,
                     Element* __restrict__ c, int m, int n, int k) {
    if constexpr (kBf16TensorCores) multiplyTiles<InPieces>(a, b, c, m, n, k);
}

template <bool InPieces>
void launchTyped(const MatmulArguments& m, Stream stream) {
    require(cudaFuncSetAttribute(matmulTensorCore<InPieces>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
            "reserving " + std::to_string(kSharedBytes) + " bytes of shared memory per block");
    // Blocks are numbered along rows first: concurrent blocks then share few columns of B.
    const dim3 grid(static_cast<unsigned>(piecesOf(m.m, kTileM)),
                    static_cast<unsigned>(piecesOf(m.n, kTileN)));
    matmulTensorCore<InPieces><<<grid, kThreads, kSharedBytes, stream>>>(
        static_cast<const Element*>(m.a), static_cast<const Element*>(m.b),
        static_cast<Element*>(m.c), m.m, m.n, m.k);
}

void launch(const MatmulArguments& m, Stream stream) {
    if (rowsInPieces(m))
        launchTyped<true>(m, stream);
    else
        launchTyped<false>(m, stream);
    requireLaunched("matmul/tensor_core");
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    patterns::requireCode(matmulTensorCore<true>, kMinComputeCapability);
    return makeMatmulInstance(c, seed, launch);
}

std::vector<Case> cases() { return onlyBf16(matmulCases()); }
std::vector<Case> verifyCases() { return onlyBf16(matmulVerifyCases()); }

std::string refusal(const Case& c) {
    return patterns::firstOf(patterns::refuseOtherTypes(c, DType::BF16), matmulRefusal(c));
}

std::vector<Expectation> expect(const Case& c) {
    const Extents e(c);
    std::vector<Expectation> list{
        {counter::kFp32Fma, 0, 0, "none: the tensor cores multiply"},
        {counter::kGlobalStoreBytes, 2 * static_cast<double>(e.m * e.n), 0, "2·M·N"}};
    constexpr std::int64_t kSectorBytes = 32;
    if (e.rowsAlignedTo(kSectorBytes)) {
        list.push_back({counter::kGlobalStoreSectors,
                        2 * static_cast<double>(e.m * e.n) / kSectorBytes, 0, "M·N/16"});
        list.push_back({counter::kLocalBytes, 0, 0, "no spills, no local arrays"});
    }
    // Asynchronous copies count in the totals of global accesses (even beyond the tiles, where
    // nothing is read), but not as loads.
    if (e.m % kTileM == 0 && e.n % kTileN == 0 && e.k % kTileK == 0) {
        list.push_back(
            {counter::kGlobalLoadBytes, 0, 0, "asynchronous copies do not count as loads"});
        list.push_back(
            {counter::kGlobalLoadSectors, 0, 0, "asynchronous copies do not count as loads"});
    }
    return list;
}

}  // namespace
}  // namespace matmul

namespace rungs {
extern const Rung matmul_tensor_core;
const Rung matmul_tensor_core{
    .family = "matmul",
    .name = "tensor_core",
    .order = 4,
    .summary = "bf16 through tensor cores (mma.sync), asynchronous copies, permuted shared memory",
    .fault = "",
    .minComputeCapability = matmul::kMinComputeCapability,
    .cases = matmul::cases,
    .verifyCases = matmul::verifyCases,
    .refusal = matmul::refusal,
    .make = matmul::make,
    .expect = matmul::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
