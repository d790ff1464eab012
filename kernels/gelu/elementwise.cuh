// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda_failure.h"
#include "kernels/gelu/gelu.h"

/// Elementwise maps with 16-byte accesses, and the activation itself.
namespace roofscope::kernels::gelu {

constexpr int kThreads = 256;

/// gelu in tanh form. 0.5 · (1 + tanh u) = 1 / (1 + exp(−2u)) exactly, which needs one exponential
/// and no branch. For x below −13 exp overflows to infinity, and the quotient is rightly −0.
__device__ inline float geluTanh(float x) {
    const float inner = kSqrtTwoOverPi * (x + kCubic * x * x * x);
    return __fdividef(x, 1.0F + __expf(-2.0F * inner));
}

template <class Function, class... Quads>
__device__ float4 applyToQuads(Function f, const Quads&... in) {
    return make_float4(f(in.x...), f(in.y...), f(in.z...), f(in.w...));
}

/// out[i] = f(a[i]). Each thread takes one quad; threads after the last quad take the n mod 4
/// remaining elements. More quads per thread are slower on an H200 (measured): all resident
/// threads already have 32 KiB per SM in flight, and small pieces of work keep the SMs evenly
/// busy.
template <class Function>
__device__ void mapQuads(const float* __restrict__ a, float* __restrict__ out, std::size_t n,
                         Function f) {
    const std::size_t quads = n / 4, i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < quads) {
        reinterpret_cast<float4*>(out)[i] = applyToQuads(f, reinterpret_cast<const float4*>(a)[i]);
    } else if (const std::size_t rest = i + 3 * quads; rest < n) {
        out[rest] = f(a[rest]);
    }
}

/// out[i] = f(a[i], b[i]), as mapQuads().
template <class Function>
__device__ void zipQuads(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ out, std::size_t n, Function f) {
    const std::size_t quads = n / 4, i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < quads) {
        reinterpret_cast<float4*>(out)[i] = applyToQuads(f, reinterpret_cast<const float4*>(a)[i],
                                                         reinterpret_cast<const float4*>(b)[i]);
    } else if (const std::size_t rest = i + 3 * quads; rest < n) {
        out[rest] = f(a[rest], b[rest]);
    }
}

/// Blocks with a thread for every quad and every remaining element.
inline unsigned quadBlocks(std::int64_t n) {
    return static_cast<unsigned>((n / 4 + n % 4 + kThreads - 1) / kThreads);
}

}  // namespace roofscope::kernels::gelu
