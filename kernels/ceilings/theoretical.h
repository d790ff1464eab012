// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/ceilings/probe.h"

/// What chips can do per clock, where NVIDIA documents it without "depends on the product".
namespace roofscope::kernels {

/// `perClock` per SM × SMs × highest SM clock; absent when one of them is not known.
[[nodiscard]] std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock);

/// Bytes per clock that an SM reads from its L1 or its shared memory.
[[nodiscard]] std::optional<double> l1BytesPerClock(const ProbeGpu& gpu);

enum class Pipe {
    Fp64,
    Fp32,
    Fp16,
    TensorFp64,
    TensorTf32,
    TensorHalf,  ///< fp16 and bf16
    TensorByte   ///< fp8 and int8
};
/// Operations per clock and SM, a fused multiply-add counted as two. Source: CUDA C++ Programming
/// Guide, "Throughput of Native Arithmetic Instructions", and the architecture white papers for
/// tensor cores.
[[nodiscard]] std::optional<double> operationsPerClock(const ProbeGpu& gpu, Pipe pipe);

/// Memory clock × 2 (double data rate) × bus width.
[[nodiscard]] std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu);

}  // namespace roofscope::kernels
