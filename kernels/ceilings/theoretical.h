// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/ceilings/probe.h"

/// Rates from the chip table, which NVIDIA documents for a chip rather than for a product with it.
namespace roofscope::kernels {

/// `perClock` per SM × SMs × highest SM clock; absent if one of them is unknown.
[[nodiscard]] std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock);

/// An SM's rate per clock from the chip table: operations of "fp64", "fp32", "fp16" or a tensor
/// type ("tensor_bf16"), a fused multiply-add counted as two; or "l1_bytes" read from L1 or shared
/// memory.
[[nodiscard]] std::optional<double> perClock(const ProbeGpu& gpu, const std::string& rate);

/// Whether the GPU's tensor cores are programmed with wgmma; false if no table says so.
[[nodiscard]] bool hasWgmma(const ProbeGpu& gpu);
/// Whether they are programmed with tcgen05 (tensor memory); absent if no table says so.
[[nodiscard]] std::optional<bool> hasTensorMemory(const ProbeGpu& gpu);

/// Memory clock × 2 (double data rate) × bus width.
[[nodiscard]] std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu);

}  // namespace roofscope::kernels
