// SPDX-License-Identifier: Apache-2.0
//
// Chains of packed fp16 fused multiply-adds: two half-precision operations per instruction.
//
// What this rung does: each thread runs four independent chains of pairs, a ← a·x + y, `fmas` steps
// each, and writes the eight values it ends with. Input and output are 16 bytes per thread, the
// eight halves as bits.
//
// The fault: none: limited by the FP16 pipe, of which packed instructions reach at most 77 % on an
// H200.
//
// Where it shows: smsp__sass_thread_inst_executed_op_hfma_pred_on = 4 · fmas · threads; each is
// four operations. Results are not added up, because compilers would use the same instruction for
// that.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <bit>
#include <cmath>

#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/chain.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kHalves = 2 * kChains;  // per thread

/// A thread's chains; it loads and stores them at once.
struct alignas(16) Chains {
    __half2 at[kChains];
};

__global__ void hfma2(const uint4* __restrict__ in, uint4* __restrict__ out, int fmas, __half2 x,
                      __half2 y) {
    // 32 bits: to zero the upper half of 64 bits the compiler would use the counted instruction.
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    Chains chains;
    *reinterpret_cast<uint4*>(&chains) = in[thread];
#pragma unroll 16
    for (int i = 0; i < fmas; ++i)
#pragma unroll
        for (int c = 0; c < kChains; ++c) chains.at[c] = __hfma2(chains.at[c], x, y);
    out[thread] = *reinterpret_cast<const uint4*>(&chains);
}

/// `value` rounded to the 11 significant bits of a half, to nearest, ties to even. Exact for values
/// that are normal in half precision, from 2^-14 to 65504.
double roundToHalf(double value) {
    constexpr int kDropped = 52 - 10;
    auto bits = std::bit_cast<std::uint64_t>(value);
    bits += (std::uint64_t{1} << (kDropped - 1)) - 1 + ((bits >> kDropped) & 1u);
    return std::bit_cast<double>(bits >> kDropped << kDropped);
}
std::uint16_t bitsOf(double half) {
    return static_cast<__half_raw>(__float2half_rn(static_cast<float>(half))).x;
}
double valueOf(std::uint16_t bits) {
    __half_raw raw;
    raw.x = bits;
    return __half2float(__half(raw));
}

/// 16 blocks of 256 threads for each of 132 SMs.
std::vector<Case> cases() { return {chainCase(DType::F16, 132 * 16, 256, 4096)}; }
std::vector<Case> verifyCases() {
    return {chainCase(DType::F16, 2, 256, 4096), chainCase(DType::F16, 3, 96, 77),
            chainCase(DType::F16, 1, 1, 1)};
}
std::string refusal(const Case& c) { return refuseChain(c, DType::F16); }

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto blocks = static_cast<unsigned>(c.shape.at("blocks"));
    const auto threads = static_cast<unsigned>(c.shape.at("threads"));
    const int fmas = static_cast<int>(c.shape.at("fmas"));
    const std::size_t halves = std::size_t{blocks} * threads * kHalves;
    // The factor is near −1, so that a chain oscillates around y / (1 − x), between 0.6 and 0.8, by
    // at most 0.4: all values stay normal.
    RandomValues random(seed, 2);
    const double x = roundToHalf(random.uniform(-0.999F, -0.998F));
    const double y = roundToHalf(random.uniform(1.25F, 1.5F));
    std::vector<std::uint16_t> start(halves);
    RandomValues values(seed, 1);
    for (std::uint16_t& bits : start) bits = bitsOf(roundToHalf(values.uniform(0.5F, 1.0F)));
    return makeArrayInstance<std::uint16_t, std::uint16_t>({
        .input = std::move(start),
        .outputCount = halves,
        .launch =
            [=](const std::uint16_t* in, std::uint16_t* out, Stream stream) {
                hfma2<<<blocks, threads, 0, stream>>>(reinterpret_cast<const uint4*>(in),
                                                      reinterpret_cast<uint4*>(out), fmas,
                                                      __float2half2_rn(static_cast<float>(x)),
                                                      __float2half2_rn(static_cast<float>(y)));
                requireLaunched("patterns/hfma2");
            },
        // Products and sums of halves are exact in double precision, and the instruction rounds
        // once. So outputs agree bit by bit and are compared as bits.
        .reference =
            [=](const std::vector<std::uint16_t>& in) {
                std::vector<double> out(halves);
                for (std::size_t i = 0; i < halves; ++i) {
                    double chain = valueOf(in[i]);
                    for (int k = 0; k < fmas; ++k) chain = roundToHalf(chain * x + y);
                    out[i] = bitsOf(chain);
                }
                return out;
            },
        .tolerance = 0.0,
        .minimumBytes = 4.0 * static_cast<double>(halves),
    });
}

std::vector<Expectation> expect(const Case& c) {
    const auto fmas = static_cast<double>(c.shape.at("fmas"));
    const double threads =
        static_cast<double>(c.shape.at("blocks")) * static_cast<double>(c.shape.at("threads"));
    std::vector<Expectation> list{
        {counter::kFp16Fma, kChains * fmas * threads, 0, "4 · fmas · blocks · threads"},
        {counter::kFp32Fma, 0, 0, "none"},
        {counter::kGlobalLoadBytes, 16 * threads, 0, "16 · blocks · threads"},
        {counter::kGlobalStoreBytes, 16 * threads, 0, "16 · blocks · threads"}};
    if (c.shape.at("threads") % 32 == 0)
        for (const char* name : {counter::kGlobalLoadSectors, counter::kGlobalStoreSectors})
            list.push_back({name, threads / 2, 0, "blocks · threads / 2"});
    return list;
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_hfma2;
const Rung patterns_hfma2{
    .family = "patterns",
    .name = "hfma2",
    .order = 18,
    .summary = "four chains of packed fp16 fused multiply-adds per thread: bound by the FP16 pipe",
    .fault = "",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
