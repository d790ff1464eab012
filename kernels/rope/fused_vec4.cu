// SPDX-License-Identifier: Apache-2.0
//
// Rotary embedding in one launch with 16-byte accesses. (rope.h says what the operator computes.)
//
// What this rung does: each thread takes four neighbouring pairs of one position in four batches:
// eight loads of 16 bytes before the first store. Angles depend only on the position, so that one
// sine and cosine serve all four batches. Rows whose halves do not start at multiples of 16 bytes
// use 4-byte accesses.
//
// The fault: none.
//
// Where it shows: bytes = 32 × sectors, accesses counted as 128 bit, DRAM near its roof.
#include "kernels/rope/rotation.cuh"

namespace roofscope::kernels {
namespace rope {
namespace {

constexpr int kBatches = 4;

/// `Width` (1 or 4) neighbouring floats.
template <int Width>
struct alignas(4 * Width) Piece {
    float at[Width];
};

/// Rotates pieces `at` and `at + half` of up to kBatches batches, `stride` pieces apart.
template <bool Whole, int Width>
__device__ void rotateBatches(const Piece<Width>* __restrict__ q, Piece<Width>* __restrict__ out,
                              std::size_t at, std::size_t stride, unsigned half, int batches,
                              float position, const Piece<Width>* __restrict__ frequencies) {
    Piece<Width> first[kBatches], second[kBatches];
#pragma unroll
    for (int b = 0; b < kBatches; ++b)
        if (Whole || b < batches) {
            first[b] = q[at + b * stride];
            second[b] = q[at + b * stride + half];
        }
    const Piece<Width> frequency = *frequencies;
    Rotation rotation[Width];
#pragma unroll
    for (int e = 0; e < Width; ++e) rotation[e] = rotationAt(position, frequency.at[e]);
#pragma unroll
    for (int b = 0; b < kBatches; ++b)
        if (Whole || b < batches) {
            Piece<Width> low, high;
#pragma unroll
            for (int e = 0; e < Width; ++e) {
                low.at[e] = rotatedFirst(first[b].at[e], second[b].at[e], rotation[e]);
                high.at[e] = rotatedSecond(first[b].at[e], second[b].at[e], rotation[e]);
            }
            out[at + b * stride] = low;
            out[at + b * stride + half] = high;
        }
}

/// Blocks in x cover the pieces of the first halves of all positions, blocks in y the batches.
/// `half` is in pieces.
template <int Width>
__global__ void __launch_bounds__(kThreads)
    ropeFusedVec4(const Piece<Width>* __restrict__ q, const Piece<Width>* __restrict__ frequencies,
                  Piece<Width>* __restrict__ out, int batch, unsigned positions, unsigned half) {
    const unsigned piece = blockIdx.x * kThreads + threadIdx.x;
    if (piece >= positions * half) return;
    const unsigned position = piece / half, i = piece - position * half;
    const std::size_t stride = std::size_t{positions} * 2 * half;
    const int firstBatch = static_cast<int>(blockIdx.y) * kBatches;
    const std::size_t at = firstBatch * stride + std::size_t{position} * 2 * half + i;
    const int batches = batch - firstBatch;
    if (batches >= kBatches)
        rotateBatches<true>(q, out, at, stride, half, batches, static_cast<float>(position),
                            frequencies + i);
    else
        rotateBatches<false>(q, out, at, stride, half, batches, static_cast<float>(position),
                             frequencies + i);
}

template <int Width>
void launchWide(const RopeArguments& r, Stream stream) {
    const auto half = static_cast<unsigned>(r.width / 2 / Width);
    const auto positions = static_cast<unsigned>(r.positions);
    const dim3 grid((positions * half + kThreads - 1) / kThreads,
                    static_cast<unsigned>((r.batch + kBatches - 1) / kBatches));
    ropeFusedVec4<Width><<<grid, kThreads, 0, stream>>>(
        reinterpret_cast<const Piece<Width>*>(r.q),
        reinterpret_cast<const Piece<Width>*>(r.frequencies),
        reinterpret_cast<Piece<Width>*>(r.out), r.batch, positions, half);
    requireLaunched("rope/fused_vec4");
}

void launch(const RopeArguments& r, Stream stream) {
    halvesAreWide(r.width) ? launchWide<4>(r, stream) : launchWide<1>(r, stream);
}

std::vector<Expectation> expect(const Case& c) {
    const std::int64_t batch = c.shape.at("B"), positions = c.shape.at("N");
    const std::int64_t width = c.shape.at("D"), half = width / 8;  // in pieces of four
    const auto elements = static_cast<double>(batch * positions * width);
    std::vector<Expectation> list{
        {counter::kGlobalStoreBytes, 4 * elements, 0, "4 · B·N·D"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
    // Half rows are whole sectors of two pieces each.
    if (width % 16 == 0)
        list.push_back({counter::kGlobalStoreSectors, elements / 8, 0, "B·N·D / 8"});
    // Frequencies count once per warp, which has whole half rows or is within one.
    const bool regular = half % 32 == 0 || 32 % half == 0;
    if (width % 16 == 0 && regular && positions * half % 32 == 0) {
        const auto warps =
            static_cast<double>(positions * half / 32 * ((batch + kBatches - 1) / kBatches));
        const double bytes = 16.0 * static_cast<double>(std::min<std::int64_t>(half, 32));
        list.push_back({counter::kGlobalLoadBytes, 4 * elements + warps * bytes, 0,
                        "4 · B·N·D + N·D/256 · ⌈B/4⌉ · min(2·D, 512)"});
        list.push_back({counter::kGlobalLoadSectors, elements / 8 + warps * bytes / 32, 0,
                        "B·N·D / 8 + N·D/256 · ⌈B/4⌉ · min(D/16, 16)"});
    }
    expectDram(list, 4 * elements, 4 * elements, "4 · B·N·D", "4 · B·N·D");
    return list;
}

}  // namespace
}  // namespace rope

namespace rungs {
extern const Rung rope_fused_vec4;
const Rung rope_fused_vec4{
    .family = "rope",
    .name = "fused_vec4",
    .order = 3,
    .summary = "16-byte accesses, one sine and cosine for four batches: near the DRAM roof",
    .fault = "",
    .cases = rope::ropeCases,
    .verifyCases = rope::ropeVerifyCases,
    .refusal = rope::ropeRefusal,
    .make = rope::makeRope<rope::launch>,
    .expect = rope::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
