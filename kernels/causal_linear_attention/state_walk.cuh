// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

/// The GPU code of `auto`: walks along the positions of a head with the state in registers.
///
/// The recurrence is cheaper than the chunked form with a score matrix: it takes 2 · E · M fused
/// multiply-adds per position; chunks of c positions take about c · (E + M) / 2 more. To be fast, a
/// walk needs many products per operand that it reads:
///
/// - A warp owns some columns of the state with all E rows. Its 32 lanes form kGroups<E> groups of
///   rows. A lane has 4 columns and E / kGroups<E> rows; per position it reads that many numbers of
///   k and q, and 4 of v, for 8 · E / kGroups<E> multiply-adds.
/// - Rows are dealt to groups four at a time, so that the 16-byte reads of all groups are adjacent.
///   Lanes 2n and 2n + 1 read the same words of k and q: such reads take fewer passes (NVIDIA
///   documents 2 instead of 4 passes for 16 bytes per lane on compute capability 7.x).
/// - out is a sum over the groups of rows. Lanes exchange halves: after the first step a lane has
///   half of its columns, summed over two groups, after the second one column over four groups. A
///   lane's columns are ordered (slot ^ group) so that the same registers are sent and kept in
///   every lane.
/// - Tiles of positions are copied to shared memory asynchronously, each while the previous one is
///   processed.
namespace roofscope::kernels::causal {

inline constexpr int kWarp = 32;
/// Columns of the state per lane.
inline constexpr int kLaneColumns = 4;
/// Groups of rows per warp. Fewer groups mean fewer reads and sums per multiply-add; more groups
/// mean more warps and fewer registers per lane.
template <int E>
inline constexpr int kGroups = E == 128 ? 4 : 8;
/// Threads of the block that walks along a head.
template <int E, int M>
inline constexpr int kWalkThreads = M / kLaneColumns* kGroups<E>;
/// Positions per tile; two tiles take up to 48 KiB.
[[nodiscard]] __host__ __device__ constexpr int tilePositions(int keyWidth, int valueWidth) {
    return 2048 / (keyWidth > valueWidth ? keyWidth : valueWidth);
}

/// Positions summed at a time: more do not fit into registers with the widest keys.
[[nodiscard]] __host__ __device__ constexpr int positionsAtATime(int keyWidth) {
    return keyWidth == 128 ? 2 : 4;
}

/// `value` plus the `sent` of the lane that differs in the bit `distance`.
__device__ inline float addPartner(float value, float sent, int distance) {
    return value + __shfl_xor_sync(0xFFFFFFFFu, sent, distance);
}

/// One lane's part of a head's state, and the operations on it.
template <int E, int M>
class LaneState {
public:
    static constexpr int kGroupCount = kGroups<E>;
    static constexpr int kRows = E / kGroupCount;
    static constexpr int kLanesPerGroup = kWarp / kGroupCount;
    static constexpr int kThreads = kWalkThreads<E, M>;
    static_assert(kRows % 4 == 0 && kThreads % kWarp == 0);

    __device__ explicit LaneState(int thread)
        : m_thread(thread),
          m_group(thread % kWarp / kLanesPerGroup),
          m_first(thread / kWarp * (kLanesPerGroup * kLaneColumns) +
                  thread % kLanesPerGroup * kLaneColumns) {}

    /// The column whose sum ends up in this lane.
    [[nodiscard]] __device__ int outColumn() const { return column(0); }
    /// Which of two positions summed by sumOfPair() ends up in this lane.
    [[nodiscard]] __device__ int outPosition() const { return m_group / 4; }

    /// Where the lane reads a position in shared memory: its first rows of k and q, and its columns
    /// of v.
    struct Cursor {
        const float* k;
        const float* q;
        const float* v[kLaneColumns];

        __device__ void advance(int positions) {
            k += positions * E;
            q += positions * E;
#pragma unroll
            for (const float*& value : v) value += positions * M;
        }
    };
    [[nodiscard]] __device__ Cursor cursor(const float* k, const float* q, const float* v) const {
        return {k + 4 * m_group,
                q + 4 * m_group,
                {v + column(0), v + column(1), v + column(2), v + column(3)}};
    }

    /// state += kᵀ·v for the position `ahead` positions after the cursor.
    __device__ void add(const Cursor& at, int ahead) {
        float value[kLaneColumns];
        loadValues(value, at, ahead);
#pragma unroll
        for (int i = 0; i < kRows / 4; ++i) addRows(i, rowsOf(at.k + ahead * E, i), value);
    }

    /// state += kᵀ·v, then sum = q · state over the rows of this lane.
    __device__ void addAndMultiply(const Cursor& at, int ahead, float (&sum)[kLaneColumns]) {
        float value[kLaneColumns];
        loadValues(value, at, ahead);
#pragma unroll
        for (int i = 0; i < kRows / 4; ++i) {
            addRows(i, rowsOf(at.k + ahead * E, i), value);
            const float4 rows = rowsOf(at.q + ahead * E, i);
            const float factor[4] = {rows.x, rows.y, rows.z, rows.w};
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int s = 0; s < kLaneColumns; ++s)
                    sum[s] = i == 0 && r == 0 ? factor[r] * m_state[4 * i + r][s]
                                              : fmaf(factor[r], m_state[4 * i + r][s], sum[s]);
        }
    }

    /// Adds the sums of two positions over all groups of rows. With four groups the lane gets its
    /// column of both; with eight groups that of position outPosition(), in `a`.
    __device__ void sumOfPair(float (&a)[kLaneColumns], float (&b)[kLaneColumns]) const {
        reduceFourGroups(a);
        reduceFourGroups(b);
        if constexpr (kGroupCount == 8) {
            const bool second = outPosition() == 1;
            a[0] = addPartner(second ? b[0] : a[0], second ? a[0] : b[0], 4 * kLanesPerGroup);
        }
    }

    /// Reads or writes the state in the block's own memory order, E · M
    /// floats.
    __device__ void load(const float* from) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const float4 row = reinterpret_cast<const float4*>(from)[r * kThreads + m_thread];
            m_state[r][0] = row.x, m_state[r][1] = row.y;
            m_state[r][2] = row.z, m_state[r][3] = row.w;
        }
    }
    __device__ void store(float* to) const {
#pragma unroll
        for (int r = 0; r < kRows; ++r)
            reinterpret_cast<float4*>(to)[r * kThreads + m_thread] =
                make_float4(m_state[r][0], m_state[r][1], m_state[r][2], m_state[r][3]);
    }

private:
    [[nodiscard]] __device__ int column(int slot) const { return m_first + (slot ^ m_group % 4); }
    [[nodiscard]] __device__ static float4 rowsOf(const float* rows, int i) {
        return reinterpret_cast<const float4*>(rows)[i * kGroupCount];
    }
    __device__ static void loadValues(float (&value)[kLaneColumns], const Cursor& at, int ahead) {
#pragma unroll
        for (int s = 0; s < kLaneColumns; ++s) value[s] = at.v[s][ahead * M];
    }
    __device__ void addRows(int i, float4 rows, const float (&value)[kLaneColumns]) {
        const float factor[4] = {rows.x, rows.y, rows.z, rows.w};
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int s = 0; s < kLaneColumns; ++s)
                m_state[4 * i + r][s] = fmaf(factor[r], value[s], m_state[4 * i + r][s]);
    }
    /// Slot s of group g is column s ^ g, so slot s ^ 2 of the partner g ^ 2 is the same column.
    __device__ static void reduceFourGroups(float (&sum)[kLaneColumns]) {
        sum[0] = addPartner(sum[0], sum[2], 2 * kLanesPerGroup);
        sum[1] = addPartner(sum[1], sum[3], 2 * kLanesPerGroup);
        sum[0] = addPartner(sum[0], sum[1], kLanesPerGroup);
    }

    int m_thread, m_group, m_first;
    float m_state[kRows][kLaneColumns] = {};
};

/// Starts copying `count` rows of `Width` floats to a tile of `Tile` rows; the other rows become 0,
/// which changes neither state nor sums.
template <int Width, int Tile, int Threads>
__device__ void copyRows(float* tile, const float* __restrict__ rows, int count, int thread) {
    constexpr int kPieces = Width * Tile / 4, kPieceBytes = 16;
#pragma unroll
    for (int i = 0; i < (kPieces + Threads - 1) / Threads; ++i) {
        const int piece = thread + i * Threads;
        if (kPieces % Threads != 0 && piece >= kPieces) break;
        const bool inside = piece < count * (Width / 4);
        __pipeline_memcpy_async(tile + 4 * piece, rows + (inside ? 4 * piece : 0), kPieceBytes,
                                inside ? 0 : kPieceBytes);
    }
}

/// Walks along a tile of `Tile` positions, of which `count` exist (all of them if Whole), and
/// writes out; `out` points to this lane's column.
template <bool Whole, int Tile, int E, int M>
__device__ void walkTile(LaneState<E, M>& state, typename LaneState<E, M>::Cursor at, float* out,
                         int count) {
    constexpr int kAtATime = positionsAtATime(E);
    static_assert(Tile % kAtATime == 0);
#pragma unroll 1
    for (int t = 0; t < (Whole ? Tile : count); t += kAtATime) {
#pragma unroll
        for (int u = 0; u < kAtATime; u += 2) {
            float a[kLaneColumns], b[kLaneColumns];
            state.addAndMultiply(at, u, a);
            state.addAndMultiply(at, u + 1, b);
            state.sumOfPair(a, b);
            if constexpr (kGroups<E> == 8) {
                if (Whole || t + u + state.outPosition() < count) out[u * M] = a[0];
            } else {
                if (Whole || t + u < count) out[u * M] = a[0];
                if (Whole || t + u + 1 < count) out[(u + 1) * M] = b[0];
            }
        }
        at.advance(kAtATime);
        out += kAtATime * M;
    }
}

/// Extents and pointers of a walk; heads are consecutive in memory.
struct Walk {
    const float* q;
    const float* k;
    const float* v;
    float* out;
    float* states;  ///< segments − 1 states of E · M floats per head
    int length;
    int segments;          ///< per head
    int segmentPositions;  ///< a multiple of the tile, except for the last segment
};

/// A block walks along one segment of a head: blockIdx.x = head · segments per launch + segment.
///
/// With Outputs it starts from the state before the segment (in `states`, or 0 for the first one)
/// and writes out. Without, it starts from 0, writes what the segment adds to the state, and is
/// launched for all segments but the last.
template <int E, int M, bool Outputs>
__global__ void __launch_bounds__(kWalkThreads<E, M>) causalWalk(Walk w) {
    constexpr int kThreads = kWalkThreads<E, M>, kTile = tilePositions(E, M);
    __shared__ __align__(16) float tiles[2][kTile * (2 * E + M)];
    const int thread = threadIdx.x;
    const unsigned launched = Outputs ? w.segments : w.segments - 1;
    const std::size_t head = blockIdx.x / launched;
    const int segment = static_cast<int>(blockIdx.x % launched);
    const int begin = segment * w.segmentPositions;
    const int end = min(begin + w.segmentPositions, w.length);
    const std::size_t start = head * w.length + begin;
    const float *fromQ = w.q + start * E, *fromK = w.k + start * E, *fromV = w.v + start * M;
    float* const states = w.states + head * (w.segments - 1) * (E * M);

    // A tile has rows of k, then of v, then of q.
    const auto copyTile = [&](int tile) {
        float* const to = tiles[tile % 2];
        const std::size_t first = static_cast<std::size_t>(tile) * kTile;
        const int count = min(kTile, end - begin - tile * kTile);
        copyRows<E, kTile, kThreads>(to, fromK + first * E, count, thread);
        copyRows<M, kTile, kThreads>(to + kTile * E, fromV + first * M, count, thread);
        if constexpr (Outputs)
            copyRows<E, kTile, kThreads>(to + kTile * (E + M), fromQ + first * E, count, thread);
        __pipeline_commit();
    };

    const int tileCount = (end - begin + kTile - 1) / kTile;
    copyTile(0);
    LaneState<E, M> state(thread);
    if (Outputs && segment > 0)
        state.load(states + static_cast<std::size_t>(segment - 1) * (E * M));
    float* out = nullptr;
    if constexpr (Outputs)
        out =
            w.out + start * M + state.outColumn() + (kGroups<E> == 8 ? state.outPosition() * M : 0);
    for (int tile = 0; tile < tileCount; ++tile) {
        __pipeline_wait_prior(0);
        __syncthreads();  // all threads have copied this tile and finished the previous one
        if (tile + 1 < tileCount) copyTile(tile + 1);
        const float *k = tiles[tile % 2], *v = k + kTile * E, *q = v + kTile * M;
        auto at = state.cursor(k, q, v);
        const int count = min(kTile, end - begin - tile * kTile);
        if constexpr (Outputs) {
            if (count == kTile)
                walkTile<true, kTile>(state, at, out, kTile);
            else
                walkTile<false, kTile>(state, at, out, count);
            out += kTile * M;
        } else {
            constexpr int kAtATime = 4;  // positions after a tile's last one are 0
#pragma unroll 1
            for (int t = 0; t < count; t += kAtATime) {
#pragma unroll
                for (int u = 0; u < kAtATime; ++u) state.add(at, u);
                at.advance(kAtATime);
            }
        }
    }
    if constexpr (!Outputs) state.store(states + static_cast<std::size_t>(segment) * (E * M));
}

/// Turns what each segment adds into the state at its end: a running sum over `states` states of
/// `size` floats each, one thread per element, one block in y per head.
__global__ void causalSumStates(float* states, int count, int size) {
    constexpr int kBatch = 8;  // loads in flight
    const int element = blockIdx.x * blockDim.x + threadIdx.x;
    float* const head = states + static_cast<std::size_t>(blockIdx.y) * count * size + element;
    float sum = 0.0F;
    for (int first = 0; first < count; first += kBatch) {
        float added[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i)
            added[i] = first + i < count ? head[static_cast<std::size_t>(first + i) * size] : 0.0F;
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            sum += added[i];
            if (first + i < count) head[static_cast<std::size_t>(first + i) * size] = sum;
        }
    }
}

}  // namespace roofscope::kernels::causal
