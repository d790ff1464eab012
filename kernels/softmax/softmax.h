// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/access_tally.h"
#include "kernels/rung.h"

/// The operator of all rungs of this family: softmax along the rows of a dense matrix x [rows,
/// cols] in f32.
///
///     out[r,c] = exp(x[r,c] − max_c x[r,c]) / Σ_c exp(x[r,c] − max_c x[r,c])
namespace roofscope::kernels::softmax {

/// Longest row of the rungs that keep a row on chip: 1024 threads with 32 floats each.
inline constexpr std::int64_t kMaxColumns = 1024 * 32;

/// Device pointers and extents of one call. The arrays do not overlap.
struct SoftmaxArguments {
    const float* x = nullptr;
    float* out = nullptr;
    float* scratch[2] = {};     ///< rows · cols elements each, for the chain of launches.
    float* rowScratch[2] = {};  ///< rows elements each.
    std::int64_t rows = 0;
    int columns = 0;
};

using Launcher = void (*)(const SoftmaxArguments&, Stream);

/// 16384 × 4096 and 8192 × 8192: 256 MiB per array.
[[nodiscard]] std::vector<Case> softmaxCases();
/// Odd, tiny, thin and long rows.
[[nodiscard]] std::vector<Case> softmaxVerifyCases();
/// Why rungs for rows of up to `maxColumns` do not support a case; empty if they do.
[[nodiscard]] std::string refuseLongRows(const Case& c, std::int64_t maxColumns);
/// refuseLongRows() for kMaxColumns.
[[nodiscard]] std::string softmaxRefusal(const Case& c);
/// Buffers and random inputs for `c`, launched by `launch`; `scratch`: it needs the intermediate
/// arrays.
[[nodiscard]] std::unique_ptr<Instance> makeSoftmaxInstance(const Case& c, std::uint64_t seed,
                                                            Launcher launch, bool scratch);
/// makeSoftmaxInstance() in the form that Rung::make wants.
template <Launcher Launch, bool Scratch = false>
[[nodiscard]] std::unique_ptr<Instance> makeSoftmax(const Case& c, std::uint64_t seed) {
    return makeSoftmaxInstance(c, seed, Launch, Scratch);
}

/// The accesses of a rung's blocks or warps to one row that starts at byte `row`.
using RowTally = std::function<AccessCounts(std::int64_t row, int columns)>;

/// Sums the global accesses of `tally` over all rows of a case and assigns the counters. With
/// `streams` each byte of x and out crosses DRAM once, so that DRAM traffic is known.
[[nodiscard]] std::vector<Expectation> expectRows(const Case& c, const RowTally& tally,
                                                  const std::string& loadsPerRow, bool streams);

/// The accesses of `threads` threads that read and write a row once, with 16-byte accesses if the
/// rows allow it.
[[nodiscard]] AccessCounts tallyRowOnce(std::int64_t row, int columns, int threads);

/// Whether all rows start at multiples of 16 bytes, as 16-byte accesses require.
[[nodiscard]] constexpr bool rowsAreWide(int columns) { return columns % 4 == 0; }

/// Threads per row of `block_shuffle` and `online_vec4`: each holds up to 16 floats, or 32 in the
/// longest rows.
[[nodiscard]] constexpr int blockThreads(int columns) {
    return columns <= 256 * 16 ? 256 : columns <= 512 * 16 ? 512 : 1024;
}

}  // namespace roofscope::kernels::softmax
