// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/counters.h"
#include "kernels/cuda_failure.h"
#include "kernels/dram_expectation.h"
#include "kernels/rope/rope.h"

/// Sine and cosine of a position, and the rotation of a pair.
namespace roofscope::kernels::rope {

constexpr int kThreads = 256;

struct Rotation {
    float cosine, sine;
};

/// The rotation at position · frequency, for angles from 0 to 65536. The angle is first reduced to
/// within 0.006 of [−π, π]. The leading term of 2π is subtracted exactly, because the difference
/// fits into f32; sine and cosine change by less than 1.2e-7. In this range the fast functions are
/// within about 5e-7 of the exact values.
__device__ inline Rotation rotationAt(float position, float frequency) {
    constexpr float kTurnsPerRadian = 0.15915494309189535F;
    constexpr float kTwoPi = 6.283185482025146484375F;      // 2π rounded to f32
    constexpr float kTwoPiRest = -1.74845553146951715e-7F;  // 2π − kTwoPi
    const float angle = __fmul_rn(position, frequency);
    const float turns = rintf(angle * kTurnsPerRadian);
    const float reduced = fmaf(-turns, kTwoPiRest, fmaf(-turns, kTwoPi, angle));
    return {__cosf(reduced), __sinf(reduced)};
}

__device__ inline float rotatedFirst(float first, float second, Rotation r) {
    return first * r.cosine - second * r.sine;
}
__device__ inline float rotatedSecond(float first, float second, Rotation r) {
    return second * r.cosine + first * r.sine;
}

/// Whether both halves of all rows start at multiples of 16 bytes.
[[nodiscard]] constexpr bool halvesAreWide(std::int64_t width) { return width % 8 == 0; }

}  // namespace roofscope::kernels::rope
