// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <type_traits>

#include "kernels/cuda_failure.h"
#include "kernels/softmax/softmax.h"

/// Rows held in the registers of a group of threads, and reductions by shuffles.
namespace roofscope::kernels::softmax {

constexpr int kWarp = 32;
/// Marks "no element": below every finite input, and unlike −∞ it can be subtracted from
/// itself.
constexpr float kNothing = -FLT_MAX;

struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

/// Reduces `value` with `f` over a warp; every lane gets the result.
template <class Function>
__device__ float reduceWarp(float value, Function f) {
#pragma unroll
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
        value = f(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
    return value;
}

/// Reduces `value` with `f` over a block of `Threads`; every thread gets the result. The kernel
/// must not use `perWarp` for anything else: there is one barrier, and none before a second use.
template <int Threads, class Function>
__device__ float reduceBlock(float value, float neutral, float (&perWarp)[Threads / kWarp],
                             Function f) {
    value = reduceWarp(value, f);
    const int lane = threadIdx.x % kWarp;
    if (lane == 0) perWarp[threadIdx.x / kWarp] = value;
    __syncthreads();
    return reduceWarp(lane < Threads / kWarp ? perWarp[lane] : neutral, f);
}

/// A thread's `Items` floats of a row shared by `Threads` threads, `Width` (1 or 4) floats per
/// access. Thread t holds the columns (k · Threads + t) · Width and the next Width − 1.
template <int Width, int Items, int Threads>
struct RowPart {
    float value[Items];

    /// Reads the part of thread `thread`; columns past the end become kNothing.
    __device__ void load(const float* __restrict__ row, int columns, int thread) {
#pragma unroll
        for (int k = 0; k < Items / Width; ++k) {
            const int column = (k * Threads + thread) * Width;
            if constexpr (Width == 4) {
                float4 quad = make_float4(kNothing, kNothing, kNothing, kNothing);
                if (column < columns) quad = *reinterpret_cast<const float4*>(row + column);
                value[4 * k] = quad.x;
                value[4 * k + 1] = quad.y;
                value[4 * k + 2] = quad.z;
                value[4 * k + 3] = quad.w;
            } else {
                value[k] = column < columns ? row[column] : kNothing;
            }
        }
    }
    /// Writes the part times `factor`.
    __device__ void store(float* __restrict__ row, int columns, int thread, float factor) const {
#pragma unroll
        for (int k = 0; k < Items / Width; ++k) {
            const int column = (k * Threads + thread) * Width;
            if (column >= columns) continue;
            if constexpr (Width == 4)
                *reinterpret_cast<float4*>(row + column) =
                    make_float4(factor * value[4 * k], factor * value[4 * k + 1],
                                factor * value[4 * k + 2], factor * value[4 * k + 3]);
            else
                row[column] = factor * value[k];
        }
    }
    [[nodiscard]] __device__ float largest() const {
        float most = value[0];
#pragma unroll
        for (int i = 1; i < Items; ++i) most = fmaxf(most, value[i]);
        return most;
    }
    /// Replaces each value by exp(value − most) and returns their sum. kNothing becomes 0.
    [[nodiscard]] __device__ float exponentiate(float most) {
        float sum = 0.0F;
#pragma unroll
        for (int i = 0; i < Items; ++i) sum += value[i] = __expf(value[i] - most);
        return sum;
    }
};

/// Calls `launch(width, items, threads)` with the integral constants for a block per row of
/// `columns` columns.
template <class Launch>
void withRowBlocks(int columns, Launch launch) {
    using std::integral_constant;
    const auto withWidth = [&](auto width) {
        constexpr integral_constant<int, 16> few{};
        constexpr integral_constant<int, 32> many{};
        switch (blockThreads(columns)) {
            case 256:
                return launch(width, few, integral_constant<int, 256>{});
            case 512:
                return launch(width, few, integral_constant<int, 512>{});
            default:
                return launch(width, many, integral_constant<int, 1024>{});
        }
    };
    if (rowsAreWide(columns)) return withWidth(integral_constant<int, 4>{});
    withWidth(integral_constant<int, 1>{});
}

}  // namespace roofscope::kernels::softmax
