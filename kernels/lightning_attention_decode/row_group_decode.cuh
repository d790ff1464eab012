// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "kernels/lightning_attention_decode/dispatch.cuh"

/// The decode step for some columns of one matrix, with 16-byte accesses: shared by
/// `warp_per_row_vec4` and `split_heads`.
namespace roofscope::kernels::lightning {

constexpr int kRowGroupThreads = 256;
constexpr int kRowGroupWarps = kRowGroupThreads / 32;
/// A warp covers 32 columns at a time; the widest row takes this many such segments.
constexpr int kSegmentColumns = 32;
constexpr int kMaxSegments = kMaxWidth / kSegmentColumns;

/// Segments needed for `columns` columns.
__host__ __device__ constexpr int segmentsOf(int columns) {
    return (columns + kSegmentColumns - 1) / kSegmentColumns;
}

/// Blocks per SM to aim at: with four segments in flight, registers suffice for three blocks.
template <int Segments>
inline constexpr int kRowGroupBlocks = Segments < kMaxSegments ? 4 : 3;

/// `Width` consecutive floats moved as one access.
template <int Width>
struct alignas(Width * sizeof(float)) Pack {
    float at[Width];
};

/// The whole block computes columns [firstColumn, firstColumn + columns) of one matrix.
///
/// A warp takes `Width` rows at a time: 32/Width lanes per row, each with `Width` consecutive
/// floats. So every load of a warp is `Width` runs of 128 consecutive bytes, and no lane idles if
/// `columns` is a multiple of 32. A lane has the same columns in all its rows, so it sums them in
/// registers; shuffles join the rows of a warp, shared memory joins the warps. The next step's rows
/// are loaded before the current ones are used.
///
/// Pointers point at the matrix (row 0, column 0). `columns` is at most 32 · Segments. Width 4
/// needs E, firstColumn and columns to be multiples of 4.
template <int Width, int Segments, class T>
__device__ void decodeColumns(const T* __restrict__ q, const T* __restrict__ k,
                              const T* __restrict__ v, const float* __restrict__ pastKv,
                              const float* __restrict__ slope, float* __restrict__ newKv,
                              T* __restrict__ out, int keyWidth, int valueWidth, int firstColumn,
                              int columns) {
    constexpr int kLanes = 32 / Width;             // lanes per row
    constexpr int kStep = kRowGroupWarps * Width;  // rows per step of the block
    using Access = Pack<Width>;
    __shared__ float sharedQ[kMaxWidth], sharedK[kMaxWidth], sharedDecay;
    __shared__ __align__(16) float sharedV[kMaxWidth];
    __shared__ __align__(16) float partial[kRowGroupWarps][kMaxWidth];

    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const int laneColumn = lane % kLanes * Width;  // within a segment
    const int firstRow = warp * Width + lane / kLanes;
    const int E = valueWidth;

    const auto inSlice = [&](int segment) {
        return segment * kSegmentColumns + laneColumn < columns;
    };
    const auto cell = [&](int row, int segment) {
        return row * E + firstColumn + segment * kSegmentColumns + laneColumn;
    };
    const auto loadRow = [&](int row, Access(&values)[Segments]) {
#pragma unroll
        for (int segment = 0; segment < Segments; ++segment)
            if (row < keyWidth && inSlice(segment))
                values[segment] = *reinterpret_cast<const Access*>(pastKv + cell(row, segment));
    };

    Access past[Segments] = {}, next[Segments] = {};
    loadRow(firstRow, past);  // in flight while q, k and v are staged
    if (thread < keyWidth) {
        sharedQ[thread] = toFloat(q[thread]);
        sharedK[thread] = toFloat(k[thread]);
    }
    if (thread < columns) sharedV[thread] = toFloat(v[firstColumn + thread]);
    if (thread == 0) sharedDecay = expf(-*slope);
    __syncthreads();
    const float decay = sharedDecay;

    Access value[Segments] = {}, sum[Segments] = {};
#pragma unroll
    for (int segment = 0; segment < Segments; ++segment)
        if (inSlice(segment))
            value[segment] =
                *reinterpret_cast<const Access*>(sharedV + segment * kSegmentColumns + laneColumn);

    for (int row = firstRow; row < keyWidth; row += kStep) {
        loadRow(row + kStep, next);
        const float key = sharedK[row], query = sharedQ[row];
#pragma unroll
        for (int segment = 0; segment < Segments; ++segment) {
            if (!inSlice(segment)) continue;
            Access result;
#pragma unroll
            for (int i = 0; i < Width; ++i) {
                result.at[i] = fmaf(decay, past[segment].at[i], key * value[segment].at[i]);
                sum[segment].at[i] = fmaf(query, result.at[i], sum[segment].at[i]);
            }
            *reinterpret_cast<Access*>(newKv + cell(row, segment)) = result;
            past[segment] = next[segment];
        }
    }

#pragma unroll
    for (int segment = 0; segment < Segments; ++segment) {
#pragma unroll
        for (int i = 0; i < Width; ++i)
#pragma unroll
            for (int distance = kLanes; distance < 32; distance *= 2)
                sum[segment].at[i] += __shfl_xor_sync(0xFFFFFFFFu, sum[segment].at[i], distance);
        if (lane < kLanes && inSlice(segment))
            *reinterpret_cast<Access*>(&partial[warp][segment * kSegmentColumns + laneColumn]) =
                sum[segment];
    }
    __syncthreads();

    if (thread < columns) {
        float total = 0.0F;
#pragma unroll
        for (int w = 0; w < kRowGroupWarps; ++w) total += partial[w][thread];
        out[firstColumn + thread] = fromFloat<T>(total);
    }
}

/// Whether rows and slices start at multiples of 16 bytes, as 16-byte accesses require.
[[nodiscard]] inline bool rowsAreWide(int valueWidth) { return valueWidth % 4 == 0; }

/// Calls `launch(width, segments)` with decodeColumns()' integral constants for blocks of `columns`
/// columns. Rows that are not 16-byte aligned use one variant for all widths.
template <class Launch>
void withRowGroups(int valueWidth, int columns, Launch launch) {
    using std::integral_constant;
    if (!rowsAreWide(valueWidth))
        return launch(integral_constant<int, 1>{}, integral_constant<int, kMaxSegments>{});
    constexpr integral_constant<int, 4> wide{};
    switch (segmentsOf(columns)) {
        case 1:
            return launch(wide, integral_constant<int, 1>{});
        case 2:
            return launch(wide, integral_constant<int, 2>{});
        case 3:
            return launch(wide, integral_constant<int, 3>{});
        default:
            return launch(wide, integral_constant<int, 4>{});
    }
}

/// The global accesses of one block of decodeColumns().
inline void tallyColumns(BlockTally& block, const BlockView& b, int firstColumn, int columns) {
    const int D = b.keyWidth, E = b.valueWidth, s = b.elementBytes;
    const int width = rowsAreWide(E) ? 4 : 1, lanes = 32 / width;
    const auto upTo = [](int limit, auto address) {
        return [=](int t) { return t < limit ? std::int64_t{address(t)} : kInactive; };
    };
    block.globalLoad(s, upTo(D, [&](int d) { return b.q + d * s; }));
    block.globalLoad(s, upTo(D, [&](int d) { return b.k + d * s; }));
    block.globalLoad(s, upTo(columns, [&](int e) { return b.v + (firstColumn + e) * s; }));
    block.globalLoad(4, [&](int t) { return t == 0 ? b.slope : kInactive; });
    for (int step = 0; step < D; step += kRowGroupWarps * width) {
        for (int segment = 0; segment < segmentsOf(columns); ++segment) {
            const auto cell = [&](int t) {
                const int row = step + t / 32 * width + t % 32 / lanes;
                const int column = segment * kSegmentColumns + t % lanes * width;
                return row < D && column < columns
                           ? b.kv + (std::int64_t{row} * E + firstColumn + column) * 4
                           : kInactive;
            };
            block.globalLoad(4 * width, cell);
            block.globalStore(4 * width, cell);
        }
    }
    block.globalStore(s, upTo(columns, [&](int e) { return b.out + (firstColumn + e) * s; }));
}

}  // namespace roofscope::kernels::lightning
