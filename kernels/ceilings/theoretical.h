// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/ceilings/probe.h"

/// What chips can do per clock, where NVIDIA documents it without "depends on the product".
namespace roofscope::kernels {

/// `perClock` per SM × SMs × highest SM clock; absent when one of them is not known.
[[nodiscard]] std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock);

/// What an SM does per clock, from the chip's table: operations of "fp64", "fp32", "fp16" or a type
/// of tensor cores ("tensor_bf16"), a fused multiply-add counted as two; "l1_bytes" that it reads
/// from its L1 or its shared memory.
[[nodiscard]] std::optional<double> perClock(const ProbeGpu& gpu, const std::string& rate);

/// Memory clock × 2 (double data rate) × bus width.
[[nodiscard]] std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu);

}  // namespace roofscope::kernels
