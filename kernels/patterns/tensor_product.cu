// SPDX-License-Identifier: Apache-2.0
//
// Small matrix products on tensor cores, bf16 with fp32 sums.
//
// What this rung does: warp w adds A_w · B to its result `steps` times. Each warp has its own A_w
// (16 × 16), and B (16 × 64) is common to all; both and the result (16 × 64) stay in registers.
// Each step is eight instructions mma.m16n8k16. Elements are whole numbers from −2 to 2, so that
// every sum is exact. Layouts: A [warp][row][k], B [column][k], result [warp][row][column].
//
// The fault: none: as near the tensor roof as instructions with operands in registers get. On an
// H200 that is below the roof of those that read shared memory (wgmma).
//
// Where it shows: sm__pipe_tensor_cycles_active leads, and the fp32 pipe counts nothing. No counter
// of the default set counts tensor instructions, so their number is not a known answer here.
#include <cuda_runtime.h>

#include <array>

#include "kernels/counters.h"
#include "kernels/element.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"
#include "kernels/patterns/required_code.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

/// The instruction needs compute capability 8.0; the default build has code for 7.5, and for 9.0
/// and later.
constexpr int kComputeCapability = 90;
constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kRows = 16, kDepth = 16, kTileColumns = 8, kTiles = 8;
constexpr int kColumns = kTileColumns * kTiles;
constexpr std::size_t kElementsA = kRows * kDepth, kElementsB = kColumns * kDepth;
constexpr std::size_t kElementsOut = kRows * kColumns;

/// Two neighbouring bf16 elements, as the instruction takes them.
using Pair = std::uint32_t;

#if __CUDA_ARCH__ >= 800
__device__ inline void multiplyAdd(float (&sum)[4], const Pair (&a)[4], const Pair (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/// `in` holds B and then the matrices A.
__global__ void __launch_bounds__(kThreads)
    tensorProduct(const Pair* __restrict__ in, float2* __restrict__ out, int steps) {
#if __CUDA_ARCH__ >= 800
    const int lane = threadIdx.x % 32;
    const std::size_t warp = std::size_t{blockIdx.x} * kWarps + threadIdx.x / 32;
    const int row = lane / 4, pair = lane % 4;  // the position of the lane's elements in a tile
    const Pair* const matrixA = in + (kElementsB + warp * kElementsA) / 2;
    Pair a[4], b[kTiles][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        a[i] = matrixA[((row + 8 * (i % 2)) * kDepth + 8 * (i / 2)) / 2 + pair];
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < 2; ++i)
            b[t][i] = in[((t * kTileColumns + row) * kDepth + 8 * i) / 2 + pair];

    float sum[kTiles][4] = {};
#pragma unroll 4
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int t = 0; t < kTiles; ++t) multiplyAdd(sum[t], a, b[t]);

    float2* const result = out + warp * (kElementsOut / 2);
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
#pragma unroll
        for (int i = 0; i < 2; ++i)
            result[((row + 8 * i) * kColumns + t * kTileColumns) / 2 + pair] =
                make_float2(sum[t][2 * i], sum[t][2 * i + 1]);
#else
    __trap();  // requireCode() has refused this
#endif
}

Case productCase(std::int64_t blocks, std::int64_t steps) {
    return {.shape = {{"blocks", blocks}, {"steps", steps}}, .dtype = DType::BF16};
}
/// 16 blocks for each of 132 SMs.
std::vector<Case> cases() { return {productCase(132 * 16, 512)}; }
std::vector<Case> verifyCases() {
    return {productCase(132, 512), productCase(3, 77), productCase(1, 1)};
}
/// An element of the result grows by at most 16 · 2 · 2 per step; fp32 is exact up to 2^24.
std::string refusal(const Case& c) {
    return firstOf(refuseOtherTypes(c, DType::BF16), refuseOutside(c, "blocks", 1, 1 << 16),
                   refuseOutside(c, "steps", 1, (1 << 24) / (kDepth * 4)));
}

/// A_w · B times `steps` for every warp.
std::vector<double> product(const std::vector<std::uint16_t>& in, std::size_t warps, int steps) {
    const auto dot = [&](std::size_t rowOfA, std::size_t column) {
        double sum = 0;
        for (std::size_t k = 0; k < kDepth; ++k)
            sum += double{fromBfloat16(in[kElementsB + rowOfA * kDepth + k])} *
                   fromBfloat16(in[column * kDepth + k]);
        return sum;
    };
    std::vector<double> out(warps * kElementsOut);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = steps * dot(i / kColumns, i % kColumns);
    return out;
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    requireCode(tensorProduct, kComputeCapability);
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const int steps = static_cast<int>(c.shape.at("steps"));
    const std::size_t warps = std::size_t{blocks} * kWarps;
    std::vector<std::uint16_t> input(kElementsB + warps * kElementsA);
    RandomValues random(seed, 1);
    for (std::uint16_t& element : input)
        element = toBfloat16(static_cast<float>(random.bits() % 5) - 2.0F);
    const std::size_t bytesIn = 2 * input.size();
    return makeArrayInstance<std::uint16_t, float>({
        .input = std::move(input),
        .outputCount = warps * kElementsOut,
        .launch =
            [=](const std::uint16_t* in, float* out, Stream stream) {
                tensorProduct<<<blocks, kThreads, 0, stream>>>(
                    reinterpret_cast<const Pair*>(in), reinterpret_cast<float2*>(out), steps);
                requireLaunched("patterns/tensor_product");
            },
        .reference =
            [=](const std::vector<std::uint16_t>& in) { return product(in, warps, steps); },
        .tolerance = 0.0,
        .minimumBytes = static_cast<double>(bytesIn + 4 * warps * kElementsOut),
        .place =
            [](std::size_t i) {
                return "warp=" + std::to_string(i / kElementsOut) +
                       ",row=" + std::to_string(i % kElementsOut / kColumns) +
                       ",column=" + std::to_string(i % kColumns);
            },
    });
}

std::vector<Expectation> expect(const Case& c) {
    const double warps = kWarps * static_cast<double>(c.shape.at("blocks"));
    // Each load takes half of 8 rows of 32 bytes, with 4 lanes per row: a sector per row. Each
    // store fills 32 bytes in 8 rows.
    constexpr double kLoads = 4 + 2 * kTiles, kStores = 2 * kTiles, kRowsAtOnce = 8;
    return {{counter::kGlobalLoads, kLoads * warps, 0, "(4 + 2 · 8) · 8 · blocks"},
            {counter::kGlobalLoadBytes, 128 * kLoads * warps, 0, "128 · 20 · 8 · blocks"},
            {counter::kGlobalLoadSectors, kRowsAtOnce * kLoads * warps, 0, "8 · 20 · 8 · blocks"},
            {counter::kGlobalStores, kStores * warps, 0, "2 · 8 · 8 · blocks"},
            {counter::kGlobalStoreBytes, 256 * kStores * warps, 0, "256 · 16 · 8 · blocks"},
            {counter::kGlobalStoreSectors, kRowsAtOnce * kStores * warps, 0, "8 · 16 · 8 · blocks"},
            {counter::kFp32Add, 0, 0, "none: the tensor cores add"},
            {counter::kFp32Mul, 0, 0, "none"},
            {counter::kFp32Fma, 0, 0, "none"},
            {counter::kSharedLoads, 0, 0, "operands stay in registers"},
            {counter::kLocalBytes, 0, 0, "operands stay in registers"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_tensor_product;
const Rung patterns_tensor_product{
    .family = "patterns",
    .name = "tensor_product",
    .order = 19,
    .summary = "bf16 products on tensor cores, operands in registers",
    .fault = "",
    .minComputeCapability = patterns::kComputeCapability,
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
