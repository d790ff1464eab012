// SPDX-License-Identifier: Apache-2.0
//
// A copy of every `stride`-th float.
//
// What this rung does: thread i copies element i · stride, for n elements. Elements in between are
// not touched.
//
// The fault: uncoalesced access. With a stride of 8 floats or more every thread has its own
// 32-byte sector, of which it uses 4 bytes; with a stride of 32 every thread has its own 128-byte
// line.
//
// Where it shows: sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{ld,st} = n, bytes = 4·n.
#include "kernels/counters.h"
#include "kernels/patterns/array_instance.h"
#include "kernels/patterns/refusals.h"

namespace roofscope::kernels {
namespace patterns {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    stridedCopy(const float* __restrict__ in, float* __restrict__ out, std::size_t n, int stride) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) out[i * stride] = in[i * stride];
}

Case stridedCase(std::int64_t n, std::int64_t stride) {
    return {.shape = {{"n", n}, {"stride", stride}}, .dtype = DType::F32};
}

/// n = 2^21 elements at stride 32 span 256 MiB each way.
std::vector<Case> cases() {
    std::vector<Case> list;
    for (const int stride : {32, 2, 4, 8, 16}) list.push_back(stridedCase(1 << 21, stride));
    return list;
}

std::vector<Case> verifyCases() {
    return {stridedCase(1 << 16, 32), stridedCase(99'991, 7), stridedCase(1, 32),
            stridedCase(257, 1),      stridedCase(1000, 2),   stridedCase(33, 1001)};
}

std::string refusal(const Case& c) {
    std::string text =
        firstOf(refuseOtherTypes(c, DType::F32), refuseOutside(c, "n", 1, std::int64_t{1} << 30),
                refuseOutside(c, "stride", 1, 1 << 16));
    if (text.empty() && c.shape.at("n") * c.shape.at("stride") > std::int64_t{1} << 32)
        text = "n · stride is more than 2^32 elements";
    return text;
}

std::unique_ptr<Instance> make(const Case& c, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(c.shape.at("n"));
    const auto stride = static_cast<std::size_t>(c.shape.at("stride"));
    const std::size_t span = (n - 1) * stride + 1;
    return makeArrayInstance<float, float>({
        .input = RandomValues(seed, 1).floats(span, -1.0F, 1.0F),
        .outputCount = span,
        .launch =
            [n, stride](const float* in, float* out, Stream stream) {
                const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
                stridedCopy<<<blocks, kThreads, 0, stream>>>(in, out, n, static_cast<int>(stride));
                requireLaunched("patterns/strided_copy");
            },
        .reference =
            [](const std::vector<float>& in) { return std::vector<double>(in.begin(), in.end()); },
        .minimumBytes = 8.0 * static_cast<double>(n),
        .skippedOnPurpose = [stride](std::size_t i) { return i % stride != 0; },
    });
}

/// Sectors touched by the first n elements: one per element for strides of 8 floats or more, below
/// that the spanned bytes in whole sectors. Warps start at multiples of 32 · stride · 4 bytes, so
/// no two share a sector.
double sectorsTouched(std::int64_t n, std::int64_t stride) {
    if (stride >= 8) return static_cast<double>(n);
    return std::ceil(static_cast<double>(((n - 1) * stride + 1) * 4) / 32);
}

std::vector<Expectation> expect(const Case& c) {
    const std::int64_t n = c.shape.at("n"), stride = c.shape.at("stride");
    const auto bytes = 4.0 * static_cast<double>(n);
    const double sectors = sectorsTouched(n, stride);
    const std::string formula = stride >= 8 ? "n, a sector per element"
                                            : "⌈4·((n − 1)·stride + 1) / 32⌉, all sectors spanned";
    return {{counter::kGlobalLoadBytes, bytes, 0, "4·n"},
            {counter::kGlobalStoreBytes, bytes, 0, "4·n"},
            {counter::kGlobalLoadSectors, sectors, 0, formula},
            {counter::kGlobalStoreSectors, sectors, 0, formula},
            {counter::kGlobalLoads, std::ceil(static_cast<double>(n) / 32), 0, "⌈n / 32⌉"},
            {counter::kGlobalStores, std::ceil(static_cast<double>(n) / 32), 0, "⌈n / 32⌉"}};
}

}  // namespace
}  // namespace patterns

namespace rungs {
extern const Rung patterns_strided_copy;
const Rung patterns_strided_copy{
    .family = "patterns",
    .name = "strided_copy",
    .order = 6,
    .summary = "copy of every 32nd float: a sector per thread",
    .fault = "global-uncoalesced",
    .cases = patterns::cases,
    .verifyCases = patterns::verifyCases,
    .refusal = patterns::refusal,
    .make = patterns::make,
    .expect = patterns::expect,
};
}  // namespace rungs
}  // namespace roofscope::kernels
