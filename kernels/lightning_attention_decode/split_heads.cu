// SPDX-License-Identifier: Apache-2.0
//
// Lightning attention, one decode step, near the limit at every batch size. (decode_step.h
// says what the operator computes.)
//
// What this rung does: one block per (batch, head), a thread per 4 × 4 tile of its matrix (or per
// 16 rows of one column if rows are no multiple of 16 bytes). A thread loads everything it needs
// before it computes, so that the step costs one memory latency and not one per row: this helps
// small batches. Column sums are joined in shared memory, with the only barrier. With fewer
// matrices than SMs, each matrix is split into slices of 24 columns, one block each. Columns are
// independent, so that slices need no second pass and no atomics; q and k are read once per
// slice.
//
// The fault: none.
//
// Where it shows: grid size at B = 1: 256 blocks instead of 64; bytes = 32 × sectors for past_kv
// and new_kv, DRAM near its roof.
#include <type_traits>

#include "kernels/divisor.h"
#include "kernels/lightning_attention_decode/dispatch.cuh"

namespace roofscope::kernels {
namespace lightning {
namespace {

/// Elements of past_kv per thread.
constexpr int kTile = 16;

/// Registers for two blocks per SM as long as a block has at most 576 threads, as for a 96 × 96
/// matrix.
constexpr int kTwoBlocksThreads = 576, kMaxThreads = 1024;
/// Rows that are no multiple of 16 bytes are always sliced: 24 · ⌈128 / 16⌉ threads.
constexpr int kNarrowThreads = 192;
/// Three sectors of past_kv per row; about two blocks per SM for 64 matrices of 96 columns.
constexpr int kSliceColumns = 24;
/// Fewer matrices than this are split: the number of SMs of an H100 or H200. A constant, so that
/// the known answers depend only on the shape.
constexpr int kEnoughMatrices = 132;

/// Up to this many matrices, i.e. one wave of blocks, past_kv and new_kv are marked evict-first. So
/// short a step is limited by latency, and data that leave the caches early do not delay the next
/// step's loads. On an H200 B = 4 gains 1 to 5 %; larger batches would lose 0.6 %.
constexpr int kStreamedMatrices = 2 * kEnoughMatrices;

/// `Width` consecutive elements moved as one access.
template <class T, int Width>
struct alignas(Width * sizeof(T)) Pack {
    T at[Width];
};

/// One access to past_kv or new_kv; `Streamed` marks its sectors as first to be evicted.
template <bool Streamed, int Width>
__device__ Pack<float, Width> read(const Pack<float, Width>* from) {
    if constexpr (!Streamed) {
        return *from;
    } else {
        static_assert(Width == 4);
        const float4 v = __ldcs(reinterpret_cast<const float4*>(from));
        return {v.x, v.y, v.z, v.w};
    }
}
template <bool Streamed, int Width>
__device__ void write(Pack<float, Width>* to, const Pack<float, Width>& v) {
    if constexpr (!Streamed) {
        *to = v;
    } else {
        static_assert(Width == 4);
        __stcs(reinterpret_cast<float4*>(to), make_float4(v.at[0], v.at[1], v.at[2], v.at[3]));
    }
}

/// How a block covers its columns of a matrix: threadIdx.x counts accesses along a row, threadIdx.y
/// rows. A thread has the rows threadIdx.y, threadIdx.y + rows, ….
struct Tiling {
    int width = 0;    ///< floats per access
    int columns = 0;  ///< per block
    int lanes = 0;    ///< accesses per row
    int rows = 0;     ///< rows that a block takes at a time

    [[nodiscard]] int slices(int valueWidth) const { return (valueWidth + columns - 1) / columns; }
    [[nodiscard]] int threads() const { return lanes * rows; }
};

Tiling tilingOf(int matrices, int keyWidth, int valueWidth) {
    const int width = valueWidth % 4 == 0 ? 4 : 1, rowsPerThread = kTile / width;
    const bool split = matrices < kEnoughMatrices || width == 1;
    const int columns = split ? std::min(kSliceColumns, valueWidth) : valueWidth;
    return {.width = width,
            .columns = columns,
            .lanes = (columns + width - 1) / width,
            .rows = (keyWidth + rowsPerThread - 1) / rowsPerThread};
}

/// Σ column[row · stride] over `rows` rows. Nearly all warps wait for the result, so its latency is
/// that of the block: load in batches, and keep several sums.
__device__ float sumOfRows(const float* column, int rows, int stride) {
    constexpr int kBatch = 16, kSums = 4;
    float sums[kSums] = {};
    for (int first = 0; first < rows; first += kBatch) {
#pragma unroll
        for (int i = 0; i < kBatch; ++i)
            if (first + i < rows) sums[i % kSums] += column[(first + i) * stride];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <int Width, int MaxThreads, bool Streamed, class T>
__global__ void __launch_bounds__(MaxThreads, MaxThreads <= kTwoBlocksThreads ? 2 : 1)
    lightningDecodeSplitHeads(const T* __restrict__ q, const T* __restrict__ k,
                              const T* __restrict__ v, const float* __restrict__ pastKv,
                              const float* __restrict__ slope, float* __restrict__ newKv,
                              T* __restrict__ out, Divisor heads, int keyWidth, int valueWidth) {
    constexpr int kRows = kTile / Width;
    using Values = Pack<float, Width>;
    extern __shared__ float4 sums[];  // [rows][lanes] packs of Width floats

    const int rows = blockDim.y, lanes = blockDim.x;
    const int column =
        (static_cast<int>(blockIdx.y) * lanes + static_cast<int>(threadIdx.x)) * Width;
    const bool inside = column < valueWidth;
    // The first element of this thread's tile, and the distance to the next row, in packs.
    const unsigned matrix = blockIdx.x, firstRow = matrix * keyWidth + threadIdx.y;
    const unsigned packsPerRow = valueWidth / Width;
    const unsigned first = firstRow * packsPerRow + column / Width, stride = rows * packsPerRow;
    const auto* const from = reinterpret_cast<const Values*>(pastKv) + first;
    auto* const to = reinterpret_cast<Values*>(newKv) + first;

    const float slopeOfHead = slope[matrix - heads.quotient(matrix) * heads.value()];
    Pack<T, Width> value{};
    if (inside) value = *reinterpret_cast<const Pack<T, Width>*>(v + matrix * valueWidth + column);
    T key[kRows], query[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = static_cast<int>(threadIdx.y) + i * rows;
        if (row >= keyWidth) continue;
        key[i] = k[firstRow + i * rows];
        query[i] = q[firstRow + i * rows];
    }
    Values state[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = static_cast<int>(threadIdx.y) + i * rows;
        if (row < keyWidth && inside) state[i] = read<Streamed>(from + i * stride);
    }

    const float decay = __expf(-slopeOfHead);
    Values sum{};
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = static_cast<int>(threadIdx.y) + i * rows;
        if (row >= keyWidth || !inside) continue;
        const float keyOfRow = toFloat(key[i]), queryOfRow = toFloat(query[i]);
#pragma unroll
        for (int e = 0; e < Width; ++e) {
            state[i].at[e] = fmaf(decay, state[i].at[e], keyOfRow * toFloat(value.at[e]));
            sum.at[e] = fmaf(queryOfRow, state[i].at[e], sum.at[e]);
        }
        write<Streamed>(to + i * stride, state[i]);
    }

    auto* const partial = reinterpret_cast<Values*>(sums);
    partial[threadIdx.y * lanes + threadIdx.x] = sum;
    __syncthreads();
    const int thread = static_cast<int>(threadIdx.y) * lanes + static_cast<int>(threadIdx.x);
    const int columns = lanes * Width, firstColumn = static_cast<int>(blockIdx.y) * columns;
    for (int c = thread; c < columns && firstColumn + c < valueWidth; c += lanes * rows)
        out[matrix * valueWidth + firstColumn + c] =
            fromFloat<T>(sumOfRows(reinterpret_cast<const float*>(sums) + c, rows, columns));
}

void launch(const DecodeArguments& a, Stream stream) {
    const Tiling tiling = tilingOf(a.matrices(), a.keyWidth, a.valueWidth);
    const dim3 grid(a.matrices(), tiling.slices(a.valueWidth));
    const Divisor heads(static_cast<std::uint32_t>(a.heads));
    const dim3 block(tiling.lanes, tiling.rows);
    const std::size_t sharedBytes =
        static_cast<std::size_t>(tiling.threads()) * tiling.width * sizeof(float);
    withElementType(a, [&]<class T>(TypedArguments<T> t) {
        using std::integral_constant, std::true_type, std::false_type;
        const auto launchAs = [&](auto width, auto maxThreads, auto streamed) {
            lightningDecodeSplitHeads<width(), maxThreads(), streamed()>
                <<<grid, block, sharedBytes, stream>>>(t.q, t.k, t.v, a.pastKv, a.slope, a.newKv,
                                                       t.out, heads, a.keyWidth, a.valueWidth);
        };
        constexpr integral_constant<int, 1> narrow{};
        constexpr integral_constant<int, 4> wide{};
        const bool few = a.matrices() <= kStreamedMatrices;
        if (tiling.width == 1)
            launchAs(narrow, integral_constant<int, kNarrowThreads>{}, false_type{});
        else if (tiling.threads() > kTwoBlocksThreads)
            launchAs(wide, integral_constant<int, kMaxThreads>{}, false_type{});
        else if (few)
            launchAs(wide, integral_constant<int, kTwoBlocksThreads>{}, true_type{});
        else
            launchAs(wide, integral_constant<int, kTwoBlocksThreads>{}, false_type{});
    });
    requireLaunched("lightning_attention_decode/split_heads");
}

/// The global accesses of the block of slice `slice`.
void tallySlice(BlockTally& block, const BlockView& b, const Tiling& tiling, int slice) {
    const int s = b.elementBytes, first = slice * tiling.columns;
    const auto column = [&](int t) { return first + t % tiling.lanes * tiling.width; };
    const auto inside = [&](int t) { return column(t) < b.valueWidth; };
    block.globalLoad(4, [&](int) { return b.slope; });
    block.globalLoad(tiling.width * s, [&](int t) {
        return inside(t) ? b.v + std::int64_t{column(t)} * s : kInactive;
    });
    for (int i = 0; i < kTile / tiling.width; ++i) {
        const auto row = [&](int t) { return t / tiling.lanes + i * tiling.rows; };
        const auto perRow = [&](std::int64_t from) {
            return [&, from](int t) {
                return row(t) < b.keyWidth ? from + std::int64_t{row(t)} * s : kInactive;
            };
        };
        const auto cell = [&](int t) {
            return row(t) < b.keyWidth && inside(t)
                       ? b.kv + (std::int64_t{row(t)} * b.valueWidth + column(t)) * 4
                       : kInactive;
        };
        block.globalLoad(s, perRow(b.k));
        block.globalLoad(s, perRow(b.q));
        block.globalLoad(4 * tiling.width, cell);
        block.globalStore(4 * tiling.width, cell);
    }
    const int columns = std::min(tiling.lanes * tiling.width, b.valueWidth - first);
    for (int from = 0; from < columns; from += tiling.threads())
        block.globalStore(s, [&](int t) {
            return from + t < columns ? b.out + (std::int64_t{first} + from + t) * s : kInactive;
        });
}

std::string refusal(const Case& c) {
    const std::string family = decodeRefusal(c);
    if (!family.empty()) return family;
    constexpr double kMaxElements = 4294967296.0;  // 32-bit indices
    double elements = 1;
    for (const char* extent : {"B", "H", "D", "E"})
        elements *= static_cast<double>(c.shape.at(extent));
    if (elements >= kMaxElements) return "B·H·D·E is 2^32 or more elements";
    return {};
}

std::vector<Expectation> expect(const Case& c) {
    const int matrices = static_cast<int>(c.shape.at("B") * c.shape.at("H"));
    const Tiling tiling =
        tilingOf(matrices, static_cast<int>(c.shape.at("D")), static_cast<int>(c.shape.at("E")));
    const auto tally = [&](const BlockView& b) {
        BlockTally block(tiling.threads());
        for (int slice = 0; slice < tiling.slices(b.valueWidth); ++slice)
            tallySlice(block, b, tiling, slice);
        return block.counts();
    };
    const std::string perWarp = ", plus each warp's part of q, k, v and the slope";
    const int threads = tiling.threads() * tiling.slices(static_cast<int>(c.shape.at("E")));
    return expectDecode(c, tally,
                        {.globalLoadBytes = "B·H·4·D·E" + perWarp,
                         .globalStoreBytes = "B·H·(4·D·E + E·s)",
                         .globalLoadSectors = "B·H·D·E/8" + perWarp,
                         .globalStoreSectors = "B·H·(D·E/8 + E·s/32)",
                         .sharedLoadWavefronts = "",
                         .sharedStoreWavefronts = "",
                         .streams = true,
                         .operations = 2,
                         .threads = threads});
}

}  // namespace
}  // namespace lightning

namespace rungs {
extern const Rung lightning_attention_decode_split_heads;
const Rung lightning_attention_decode_split_heads{
    .family = "lightning_attention_decode",
    .name = "split_heads",
    .order = 6,
    .summary =
        "all loads issued at once; few heads are split into slices: near the roof at every batch "
        "size",
    .fault = "",
    .cases = lightning::decodeCases,
    .verifyCases = lightning::decodeVerifyCases,
    .refusal = lightning::refusal,
    .make = lightning::makeDecode<lightning::launch>,
    .expect = lightning::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
