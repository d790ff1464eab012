// SPDX-License-Identifier: Apache-2.0
//
// A matrix product with tiles in registers. (matmul.h says what the operator computes.)
//
// What this rung does: a block of 8 warps computes 128 × 128 elements of C, a warp 64 × 32, a
// thread 8 × 8 in four quads of 4 × 4. It walks along K in steps of 16. While one pair of tiles is
// multiplied, the next pair is loaded from global memory to registers and then stored to the other
// half of shared memory. The tile of A is transposed, so that both operands are read 16 bytes at a
// time: four reads per 64 multiply-adds of a thread. bf16 is converted to fp32 when it is put into
// the tiles. Rows that do not consist of 16-byte pieces are loaded element by element.
//
// The fault: none for FP32 code: the FP32 pipe is the limit. But for bf16 (and for f32 if 10 bits
// of mantissa suffice) a tensor core does the same products many times faster.
//
// Where it shows: smsp__sass_thread_inst_executed_op_ffma_pred_on near its peak, and
// sm__pipe_tensor_cycles_active at 0.
#include "kernels/counters.h"
#include "kernels/matmul/matmul_device.cuh"

namespace roofscope::kernels {
namespace matmul {
namespace {

constexpr int kTile = 128, kDepth = 16, kThreads = 256;
constexpr int kWarpRows = 64, kWarpColumns = 32, kQuad = 4;

/// Words of shared memory. Column k of the tile of A is a row here. 4 words of padding per row, and
/// 16 more after half of the rows, spread the 32 words that a warp stores at once (16 rows of the
/// tile, two pieces along k) over 32 banks and keep quads aligned.
constexpr int kAStride = kTile + 4, kAHalf = kDepth / 2, kASkew = 16;
constexpr int kAWords = kDepth * kAStride + kASkew, kBWords = kDepth * kTile;

__device__ constexpr int aWord(int k, int row) { return k * kAStride + k / kAHalf * kASkew + row; }
__device__ constexpr int bWord(int k, int column) { return k * kTile + column; }

using Quad = Piece<float>;

/// The part of the tiles that a thread loads: `kPieces` pieces of each.
template <class T>
struct Share {
    static constexpr int kWidth = Piece<T>::kElements;
    static constexpr int kPieces = kTile * kDepth / kWidth / kThreads;
    static constexpr int kPerBRow = kTile / kWidth;

    // Two lanes load 32 bytes of a row of A, a whole sector.
    static __device__ int aRow(int thread) { return thread / 2; }
    static __device__ int aK(int thread, int piece) { return (thread % 2 + 2 * piece) * kWidth; }
    static __device__ int bK(int thread, int piece) {
        return (thread + piece * kThreads) / kPerBRow;
    }
    static __device__ int bColumn(int thread) { return thread % kPerBRow * kWidth; }
};

template <bool InPieces, class T>
__device__ void fetch(Piece<T> (&aPieces)[Share<T>::kPieces],
                      Piece<T> (&bPieces)[Share<T>::kPieces], const T* __restrict__ a,
                      const T* __restrict__ b, int m, int n, int k, int start) {
    const int thread = threadIdx.x;
    const int row = static_cast<int>(blockIdx.y) * kTile,
              column = static_cast<int>(blockIdx.x) * kTile;
#pragma unroll
    for (int p = 0; p < Share<T>::kPieces; ++p) {
        aPieces[p] = loadPiece<InPieces>(a, row + Share<T>::aRow(thread),
                                         start + Share<T>::aK(thread, p), m, k);
        bPieces[p] = loadPiece<InPieces>(b, start + Share<T>::bK(thread, p),
                                         column + Share<T>::bColumn(thread), k, n);
    }
}

template <class T>
__device__ Quad quadOf(const Piece<T>& piece, int first) {
    return {{toFloat(piece.at[first]), toFloat(piece.at[first + 1]), toFloat(piece.at[first + 2]),
             toFloat(piece.at[first + 3])}};
}

template <class T>
__device__ void put(float* aTile, float* bTile, const Piece<T> (&aPieces)[Share<T>::kPieces],
                    const Piece<T> (&bPieces)[Share<T>::kPieces]) {
    const int thread = threadIdx.x;
#pragma unroll
    for (int p = 0; p < Share<T>::kPieces; ++p) {
        const int k = Share<T>::aK(thread, p);
#pragma unroll
        for (int i = 0; i < Share<T>::kWidth; ++i)
            aTile[aWord(k, Share<T>::aRow(thread)) + i * kAStride] = toFloat(aPieces[p].at[i]);

        float* const to = bTile + bWord(Share<T>::bK(thread, p), Share<T>::bColumn(thread));
        if constexpr (Share<T>::kWidth == kQuad) {
            *reinterpret_cast<Quad*>(to) = quadOf(bPieces[p], 0);
        } else {
            // A lane stores two quads. Of every eight lanes, half store the first one while the
            // others store the second, so that together they cover all banks.
            const bool secondFirst = (thread & 4) != 0;
            const Quad first = quadOf(bPieces[p], 0), second = quadOf(bPieces[p], kQuad);
            Quad now, then;
#pragma unroll
            for (int i = 0; i < kQuad; ++i) {
                now.at[i] = secondFirst ? second.at[i] : first.at[i];
                then.at[i] = secondFirst ? first.at[i] : second.at[i];
            }
            *reinterpret_cast<Quad*>(to + (secondFirst ? kQuad : 0)) = now;
            *reinterpret_cast<Quad*>(to + (secondFirst ? 0 : kQuad)) = then;
        }
    }
}

/// Where a thread's quads are in the tile: at (row, column), and half a warp tile further. Lanes
/// are numbered so that direct neighbours share rows and every second lane shares columns: then the
/// hardware serves more lanes per wavefront.
struct Place {
    int row, column;

    __device__ Place() {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const int laneColumn = (lane & 1) | (lane >> 1 & 2);
        const int laneRow = (lane >> 1 & 1) | (lane >> 2 & 6);
        row = warp / (kTile / kWarpColumns) * kWarpRows + laneRow * kQuad;
        column = warp % (kTile / kWarpColumns) * kWarpColumns + laneColumn * kQuad;
    }
};

template <class T, bool InPieces>
__global__ void __launch_bounds__(kThreads, 2)
    matmulRegisterTiled(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, int m,
                        int n, int k) {
    __shared__ alignas(kPieceBytes) float aTiles[2][kAWords];
    __shared__ alignas(kPieceBytes) float bTiles[2][kBWords];
    Piece<T> aPieces[Share<T>::kPieces], bPieces[Share<T>::kPieces];
    float sums[2][2][kQuad][kQuad] = {};
    const Place place;

    fetch<InPieces>(aPieces, bPieces, a, b, m, n, k, 0);
    put(aTiles[0], bTiles[0], aPieces, bPieces);
    __syncthreads();
    int half = 0;
    for (int start = 0; start < k; start += kDepth) {
        const bool more = start + kDepth < k;
        if (more) fetch<InPieces>(aPieces, bPieces, a, b, m, n, k, start + kDepth);
        const float* const aTile = aTiles[half] + place.row;
        const float* const bTile = bTiles[half] + place.column;
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            Quad left[2], top[2];
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                left[q] = *reinterpret_cast<const Quad*>(aTile + aWord(i, q * kWarpRows / 2));
                top[q] = *reinterpret_cast<const Quad*>(bTile + bWord(i, q * kWarpColumns / 2));
            }
#pragma unroll
            for (int qr = 0; qr < 2; ++qr)
#pragma unroll
                for (int qc = 0; qc < 2; ++qc)
#pragma unroll
                    for (int r = 0; r < kQuad; ++r)
#pragma unroll
                        for (int s = 0; s < kQuad; ++s)
                            sums[qr][qc][r][s] =
                                fmaf(left[qr].at[r], top[qc].at[s], sums[qr][qc][r][s]);
        }
        if (more) {
            half ^= 1;  // every warp has passed the barrier below since it last read this half
            put(aTiles[half], bTiles[half], aPieces, bPieces);
            __syncthreads();
        }
    }

    const int row = static_cast<int>(blockIdx.y) * kTile + place.row;
    const int column = static_cast<int>(blockIdx.x) * kTile + place.column;
#pragma unroll
    for (int qr = 0; qr < 2; ++qr)
#pragma unroll
        for (int r = 0; r < kQuad; ++r)
#pragma unroll
            for (int qc = 0; qc < 2; ++qc) {
                Piece<T, kQuad> out;
#pragma unroll
                for (int s = 0; s < kQuad; ++s) out.at[s] = fromFloat<T>(sums[qr][qc][r][s]);
                storePiece<InPieces>(c, row + qr * kWarpRows / 2 + r,
                                     column + qc * kWarpColumns / 2, m, n, out);
            }
}

void launch(const MatmulArguments& m, Stream stream) {
    const dim3 grid(static_cast<unsigned>(piecesOf(m.n, kTile)),
                    static_cast<unsigned>(piecesOf(m.m, kTile)));
    withElementType(m, [&]<class T>(const T* a, const T* b, T* c) {
        if (rowsInPieces(m))
            matmulRegisterTiled<T, true><<<grid, kThreads, 0, stream>>>(a, b, c, m.m, m.n, m.k);
        else
            matmulRegisterTiled<T, false><<<grid, kThreads, 0, stream>>>(a, b, c, m.m, m.n, m.k);
    });
    requireLaunched("matmul/register_tiled_vec4");
}

std::vector<Expectation> expect(const Case& c) {
    const Extents e(c);
    const auto across = static_cast<double>(piecesOf(e.n, kTile));
    const auto down = static_cast<double>(piecesOf(e.m, kTile));
    const double steps = across * down * static_cast<double>(piecesOf(e.k, kDepth));
    constexpr double kWarps = kThreads / 32.0;
    const auto size = static_cast<double>(e.elementBytes);
    const double loads =
        size * (static_cast<double>(e.m * e.k) * across + static_cast<double>(e.k * e.n) * down);
    const double stores = size * static_cast<double>(e.m * e.n);
    std::vector<Expectation> list{
        {counter::kFp32Fma, steps * kTile * kTile * kDepth, 0,
         "262144·⌈M/128⌉·⌈N/128⌉·⌈K/16⌉: partial tiles compute zeros"},
        {counter::kFp32Add, 0, 0, "none"},
        {counter::kGlobalLoadBytes, loads, 0, "s·(M·K·⌈N/128⌉ + K·N·⌈M/128⌉)"},
        {counter::kGlobalStoreBytes, stores, 0, "M·N·s"},
        {counter::kSharedLoads, steps * kWarps * kDepth * 4, 0,
         "512·⌈M/128⌉·⌈N/128⌉·⌈K/16⌉: four per warp and step along K"}};
    // Each instruction loads whole sectors: 32 bytes of rows of A, runs of 256 and 512 bytes of B.
    constexpr std::int64_t kSectorBytes = 32;
    if (e.rowsAlignedTo(kSectorBytes)) {
        list.push_back({counter::kGlobalLoadSectors, loads / kSectorBytes, 0,
                        "s/32·(M·K·⌈N/128⌉ + K·N·⌈M/128⌉)"});
        list.push_back({counter::kGlobalStoreSectors, stores / kSectorBytes, 0, "M·N·s/32"});
        list.push_back({counter::kLocalBytes, 0, 0, "no spills, no local arrays"});
    }
    // Per thread 8 words of A, and 8 words of B with 16-byte stores without conflicts.
    if (c.dtype == DType::F32)
        list.push_back({counter::kSharedStoreWavefronts, steps * kWarps * (8 + 2 * 4), 0,
                        "128·⌈M/128⌉·⌈N/128⌉·⌈K/16⌉"});
    return list;
}

}  // namespace
}  // namespace matmul

namespace rungs {
extern const Rung matmul_register_tiled_vec4;
const Rung matmul_register_tiled_vec4{
    .family = "matmul",
    .name = "register_tiled_vec4",
    .order = 3,
    .summary =
        "8 × 8 elements per thread, 16-byte accesses, double buffering: bound by the FP32 pipe",
    .fault = "missing-tensor-core",
    .cases = matmul::matmulCases,
    .verifyCases = matmul::matmulVerifyCases,
    .refusal = matmul::matmulRefusal,
    .make = matmul::makeMatmul<matmul::launch>,
    .expect = matmul::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
