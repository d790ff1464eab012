// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/counters.h"
#include "kernels/dram_expectation.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

/// The transpose of an n × n fp32 matrix through a 32 × 32 tile in shared memory: shared by
/// `transpose_unpadded` and `transpose_padded`, which differ only in the padding.
namespace roofscope::kernels::patterns {

constexpr int kTile = 32;     // tile edge, and threads in x
constexpr int kTileRows = 8;  // threads in y; each thread moves kTile / kTileRows elements

/// Rows are read and written along x, so both global accesses are coalesced. The data are
/// transposed in shared memory, where a warp writes a row and reads a column of the tile. The words
/// of a column are kTile + Pad apart.
template <int Pad>
__global__ void __launch_bounds__(kTile* kTileRows)
    transposeTile(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ float tile[kTile][kTile + Pad];
    const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
    for (int step = 0; step < kTile; step += kTileRows)
        if (column < n && row + step < n)
            tile[threadIdx.y + step][threadIdx.x] =
                in[static_cast<std::size_t>(row + step) * n + column];
    __syncthreads();

    const int outColumn = blockIdx.y * kTile + threadIdx.x,
              outRow = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
    for (int step = 0; step < kTile; step += kTileRows)
        if (outColumn < n && outRow + step < n)
            out[static_cast<std::size_t>(outRow + step) * n + outColumn] =
                tile[threadIdx.x][threadIdx.y + step];
}

/// 8192²: 256 MiB each way.
inline std::vector<Case> transposeCases() {
    return {{.shape = {{"n", 8192}}, .dtype = DType::F32}};
}
inline std::vector<Case> transposeVerifyCases() {
    std::vector<Case> cases;
    for (const std::int64_t n : {1, 31, 33, 1000, 1024})
        cases.push_back({.shape = {{"n", n}}, .dtype = DType::F32});
    return cases;
}
inline std::string transposeRefusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "n", 1, 32768));
}

template <int Pad>
std::unique_ptr<Instance> makeTranspose(const Case& c, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(c.shape.at("n"));
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(n * n, -1.0F, 1.0F),
        .outputCount = n * n,
        .launch =
            [n](const float* in, float* out, Stream stream) {
                const auto tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
                transposeTile<Pad><<<dim3(tiles, tiles), dim3(kTile, kTileRows), 0, stream>>>(
                    in, out, static_cast<int>(n));
                requireLaunched("a transpose");
            },
        .reference =
            [n](const std::vector<float>& in) {
                std::vector<double> out(n * n);
                for (std::size_t row = 0; row < n; ++row)
                    for (std::size_t column = 0; column < n; ++column)
                        out[column * n + row] = in[row * n + column];
                return out;
            },
        .minimumBytes = 8.0 * static_cast<double>(n * n),
        .place =
            [n](std::size_t i) {
                return "row=" + std::to_string(i / n) + ",column=" + std::to_string(i % n);
            },
    });
}

/// Most are known only for whole tiles; for other sizes just the requested bytes.
template <int Pad>
std::vector<Expectation> expectTranspose(const Case& c) {
    const auto n = static_cast<double>(c.shape.at("n"));
    const double bytes = 4 * n * n, accesses = n * n / 32;
    std::vector<Expectation> list{{counter::kGlobalLoadBytes, bytes, 0, "4·n²"},
                                  {counter::kGlobalStoreBytes, bytes, 0, "4·n²"}};
    if (c.shape.at("n") % kTile != 0) return list;
    // Words of a column are 32 + Pad apart: 32 apart they are on one bank, 33 apart on 32.
    constexpr int kConflict = Pad == 0 ? 32 : 1;
    static_assert(Pad == 0 || Pad % 2 == 1, "only an odd padding frees all banks");
    list.push_back({counter::kGlobalLoadSectors, bytes / 32, 0, "n²/8"});
    list.push_back({counter::kGlobalStoreSectors, bytes / 32, 0, "n²/8"});
    list.push_back({counter::kSharedLoads, accesses, 0, "n²/32"});
    list.push_back({counter::kSharedStores, accesses, 0, "n²/32"});
    list.push_back({counter::kSharedLoadWavefronts, kConflict * accesses, 0,
                    Pad == 0 ? "32 · n²/32, a column on one bank" : "n²/32, no conflict"});
    list.push_back({counter::kSharedStoreWavefronts, accesses, 0, "n²/32, no conflict"});
    expectDram(list, bytes, bytes, "4·n²", "4·n²");
    return list;
}

/// The rung with `Pad` words of padding per tile row.
template <int Pad>
constexpr Rung transposeRung(std::string_view name, int order, std::string_view summary,
                             std::string_view fault) {
    return {.family = "patterns",
            .name = name,
            .order = order,
            .summary = summary,
            .fault = fault,
            .cases = transposeCases,
            .verifyCases = transposeVerifyCases,
            .refusal = transposeRefusal,
            .make = makeTranspose<Pad>,
            .expect = expectTranspose<Pad>};
}

}  // namespace roofscope::kernels::patterns
