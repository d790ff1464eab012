// SPDX-License-Identifier: Apache-2.0
//
// Rotary embedding as a chain of launches with tables. (rope.h says what the operator computes.)
//
// What this rung does: what an array library does with out = q · cos + rotateHalf(q) · sin if
// nothing fuses it: a launch each for rotateHalf, two products and a sum, with 16-byte accesses.
// Cosines and sines come from tables [N,D] (4 MiB each by default, which stay in the L2).
//
// The fault: an unfused chain. 9 arrays cross DRAM instead of 2, and q is read twice.
//
// Where it shows: consecutive memory-bound launches, each reading what the previous one wrote; time
// several times that of `fused_vec4`.
#include "kernels/rope/rotation.cuh"

namespace roofscope::kernels {
namespace rope {
namespace {

/// `Width` (1 or 4) neighbouring floats.
template <int Width>
struct alignas(4 * Width) Piece {
    float at[Width];
};

/// out = (−second half, first half) of each row of `half` + `half` pieces.
template <int Width>
__global__ void __launch_bounds__(kThreads)
    ropeTablesRotateHalf(const Piece<Width>* __restrict__ in, Piece<Width>* __restrict__ out,
                         std::size_t count, unsigned half) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= count) return;
    const bool first = static_cast<unsigned>(i) / half % 2 == 0;
    Piece<Width> piece = in[first ? i + half : i - half];
#pragma unroll
    for (float& value : piece.at) value = first ? -value : value;
    out[i] = piece;
}

/// out[i] = in[i] · table[i mod tableCount].
template <int Width>
__global__ void __launch_bounds__(kThreads)
    ropeTablesMultiply(const Piece<Width>* __restrict__ in, const Piece<Width>* __restrict__ table,
                       Piece<Width>* __restrict__ out, std::size_t count, unsigned tableCount) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= count) return;
    Piece<Width> piece = in[i];
    const Piece<Width> factor = table[static_cast<unsigned>(i) % tableCount];
#pragma unroll
    for (int e = 0; e < Width; ++e) piece.at[e] *= factor.at[e];
    out[i] = piece;
}

template <int Width>
__global__ void __launch_bounds__(kThreads)
    ropeTablesAdd(const Piece<Width>* __restrict__ a, const Piece<Width>* __restrict__ b,
                  Piece<Width>* __restrict__ out, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= count) return;
    Piece<Width> piece = a[i];
    const Piece<Width> other = b[i];
#pragma unroll
    for (int e = 0; e < Width; ++e) piece.at[e] += other.at[e];
    out[i] = piece;
}

template <int Width>
void launchChain(const RopeArguments& r, Stream stream) {
    const auto in = [](const float* data) { return reinterpret_cast<const Piece<Width>*>(data); };
    const auto out = [](float* data) { return reinterpret_cast<Piece<Width>*>(data); };
    const auto count = static_cast<std::size_t>(r.elements() / Width);
    const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    const auto half = static_cast<unsigned>(r.width / 2 / Width);
    const auto table = static_cast<unsigned>(std::int64_t{r.positions} * r.width / Width);
    float *const rotated = r.scratch[0], *const product = r.scratch[1];
    const auto multiply = [&](const float* data, const float* factors, float* result) {
        ropeTablesMultiply<Width>
            <<<blocks, kThreads, 0, stream>>>(in(data), in(factors), out(result), count, table);
        requireLaunched("rope/tables");
    };
    multiply(r.q, r.cosines, product);
    ropeTablesRotateHalf<Width><<<blocks, kThreads, 0, stream>>>(in(r.q), out(r.out), count, half);
    requireLaunched("rope/tables");
    multiply(r.out, r.sines, rotated);
    ropeTablesAdd<Width>
        <<<blocks, kThreads, 0, stream>>>(in(product), in(rotated), out(r.out), count);
    requireLaunched("rope/tables");
}

void launch(const RopeArguments& r, Stream stream) {
    halvesAreWide(r.width) ? launchChain<4>(r, stream) : launchChain<1>(r, stream);
}

/// The launches read different amounts; this holds for all four.
std::vector<Expectation> expect(const Case& c) {
    const std::int64_t n = c.shape.at("B") * c.shape.at("N") * c.shape.at("D");
    const std::string every = ", every launch of the chain";
    return {
        {counter::kGlobalStoreBytes, 4.0 * static_cast<double>(n), 0, "4 · B·N·D" + every},
        {counter::kGlobalStoreSectors, static_cast<double>((n + 7) / 8), 0, "⌈B·N·D / 8⌉" + every},
        {counter::kLocalBytes, 0, 0, "no spills, no local arrays" + every}};
}

}  // namespace
}  // namespace rope

namespace rungs {
extern const Rung rope_tables;
const Rung rope_tables{
    .family = "rope",
    .name = "tables",
    .order = 1,
    .summary = "separate launches for rotating halves, two table products and the sum",
    .fault = "unfused-chain",
    .cases = rope::ropeCases,
    .verifyCases = rope::ropeVerifyCases,
    .refusal = rope::ropeRefusal,
    .make = rope::makeRope<rope::launch, true>,
    .expect = rope::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
