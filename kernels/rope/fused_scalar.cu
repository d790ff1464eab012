// SPDX-License-Identifier: Apache-2.0
//
// Rotary embedding in one launch, one pair per thread. (rope.h says what the operator computes.)
//
// What this rung does: each thread computes its sine and cosine, reads the two elements of its
// pair, rotates them and writes them. There are no intermediate arrays.
//
// The fault: no single one. Accesses are 4 bytes wide with two in flight per thread, and each angle
// is computed B times.
//
// Where it shows: bytes = 32 × sectors, all accesses counted as 32 bit, slower than `fused_vec4`.
#include "kernels/rope/rotation.cuh"

namespace roofscope::kernels {
namespace rope {
namespace {

__global__ void __launch_bounds__(kThreads)
    ropeFusedScalar(const float* __restrict__ q, const float* __restrict__ frequencies,
                    float* __restrict__ out, unsigned pairs, unsigned positions, unsigned half) {
    const unsigned pair = blockIdx.x * kThreads + threadIdx.x;
    if (pair >= pairs) return;
    const unsigned row = pair / half, i = pair - row * half, position = row % positions;
    const std::size_t at = std::size_t{row} * 2 * half + i;
    const float first = q[at], second = q[at + half];
    const Rotation rotation = rotationAt(static_cast<float>(position), frequencies[i]);
    out[at] = rotatedFirst(first, second, rotation);
    out[at + half] = rotatedSecond(first, second, rotation);
}

void launch(const RopeArguments& r, Stream stream) {
    const auto pairs = static_cast<unsigned>(r.elements() / 2);
    const auto blocks = static_cast<unsigned>((std::int64_t{pairs} + kThreads - 1) / kThreads);
    ropeFusedScalar<<<blocks, kThreads, 0, stream>>>(r.q, r.frequencies, r.out, pairs,
                                                     static_cast<unsigned>(r.positions),
                                                     static_cast<unsigned>(r.width / 2));
    requireLaunched("rope/fused_scalar");
}

std::vector<Expectation> expect(const Case& c) {
    const auto elements = static_cast<double>(c.shape.at("B") * c.shape.at("N") * c.shape.at("D"));
    std::vector<Expectation> list{
        {counter::kGlobalStoreBytes, 4 * elements, 0, "4 · B·N·D"},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays"},
    };
    // Every warp is within half a row, and every half row consists of whole sectors.
    if (c.shape.at("D") % 64 == 0) {
        list.push_back({counter::kGlobalLoadBytes, 6 * elements, 0,
                        "4 · B·N·(D + D/2), q and the frequencies"});
        list.push_back({counter::kGlobalLoadSectors, elements * 3 / 16, 0, "B·N·(D + D/2) / 8"});
        list.push_back({counter::kGlobalStoreSectors, elements / 8, 0, "B·N·D / 8"});
    }
    expectDram(list, 4 * elements, 4 * elements, "4 · B·N·D", "4 · B·N·D");
    return list;
}

}  // namespace
}  // namespace rope

namespace rungs {
extern const Rung rope_fused_scalar;
const Rung rope_fused_scalar{
    .family = "rope",
    .name = "fused_scalar",
    .order = 2,
    .summary = "one launch, one pair per thread, sine and cosine computed",
    .fault = "",
    .cases = rope::ropeCases,
    .verifyCases = rope::ropeVerifyCases,
    .refusal = rope::ropeRefusal,
    .make = rope::makeRope<rope::launch>,
    .expect = rope::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
