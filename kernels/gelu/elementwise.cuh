// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/gelu/gelu.h"

/// Elementwise maps with 16-byte accesses, and the activation itself.
namespace roofscope::kernels::gelu {

constexpr int kThreads = 256;
/// Accesses of 16 bytes that each thread has in flight per input: 64 bytes.
constexpr int kQuads = 4;

/// tanh form of gelu. 0.5 · (1 + tanh u) = 1 / (1 + exp(−2u)) exactly, which needs one exponential
/// and no branch. exp overflows to infinity for x below −13, where the quotient is rightly −0.
__device__ inline float geluTanh(float x) {
    const float inner = kSqrtTwoOverPi * (x + kCubic * x * x * x);
    return __fdividef(x, 1.0F + __expf(-2.0F * inner));
}

template <class Function, class... Quads>
__device__ float4 applyToQuads(Function f, const Quads&... in) {
    return make_float4(f(in.x...), f(in.y...), f(in.z...), f(in.w...));
}

/// The quads of one thread of mapQuads(). Whole blocks ask for no bounds, so that nothing keeps the
/// compiler from queueing all loads before the first store.
template <bool Whole, class Function>
__device__ void mapOwnQuads(const float4* __restrict__ a, float4* __restrict__ out,
                            std::size_t first, std::size_t quads, Function f) {
    float4 value[kQuads];
#pragma unroll
    for (int k = 0; k < kQuads; ++k)
        if (Whole || first + k * kThreads < quads) value[k] = a[first + k * kThreads];
#pragma unroll
    for (int k = 0; k < kQuads; ++k)
        if (Whole || first + k * kThreads < quads)
            out[first + k * kThreads] = applyToQuads(f, value[k]);
}

/// The same with two inputs.
template <bool Whole, class Function>
__device__ void zipOwnQuads(const float4* __restrict__ a, const float4* __restrict__ b,
                            float4* __restrict__ out, std::size_t first, std::size_t quads,
                            Function f) {
    float4 x[kQuads], y[kQuads];
#pragma unroll
    for (int k = 0; k < kQuads; ++k)
        if (Whole || first + k * kThreads < quads) {
            x[k] = a[first + k * kThreads];
            y[k] = b[first + k * kThreads];
        }
#pragma unroll
    for (int k = 0; k < kQuads; ++k)
        if (Whole || first + k * kThreads < quads)
            out[first + k * kThreads] = applyToQuads(f, x[k], y[k]);
}

/// out[i] = f(a[i]). A block covers kThreads · kQuads quads; the last block also takes the n mod 4
/// elements that are no quad.
template <class Function>
__device__ void mapQuads(const float* __restrict__ a, float* __restrict__ out, std::size_t n,
                         Function f) {
    const std::size_t quads = n / 4, start = std::size_t{blockIdx.x} * (kThreads * kQuads);
    const auto* const from = reinterpret_cast<const float4*>(a);
    auto* const to = reinterpret_cast<float4*>(out);
    if (start + kThreads * kQuads <= quads)
        return mapOwnQuads<true>(from, to, start + threadIdx.x, quads, f);
    mapOwnQuads<false>(from, to, start + threadIdx.x, quads, f);
    const std::size_t rest = quads * 4 + threadIdx.x;
    if (blockIdx.x + 1 == gridDim.x && rest < n) out[rest] = f(a[rest]);
}

/// out[i] = f(a[i], b[i]), as mapQuads().
template <class Function>
__device__ void zipQuads(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ out, std::size_t n, Function f) {
    const std::size_t quads = n / 4, start = std::size_t{blockIdx.x} * (kThreads * kQuads);
    const auto* const left = reinterpret_cast<const float4*>(a);
    const auto* const right = reinterpret_cast<const float4*>(b);
    auto* const to = reinterpret_cast<float4*>(out);
    if (start + kThreads * kQuads <= quads)
        return zipOwnQuads<true>(left, right, to, start + threadIdx.x, quads, f);
    zipOwnQuads<false>(left, right, to, start + threadIdx.x, quads, f);
    const std::size_t rest = quads * 4 + threadIdx.x;
    if (blockIdx.x + 1 == gridDim.x && rest < n) out[rest] = f(a[rest], b[rest]);
}

/// Blocks that cover n elements; at least one, for the elements that are no quad.
inline unsigned quadBlocks(std::int64_t n) {
    constexpr std::int64_t kBlockElements = 4 * kThreads * kQuads;
    return static_cast<unsigned>((n + kBlockElements - 1) / kBlockElements);
}

}  // namespace roofscope::kernels::gelu
