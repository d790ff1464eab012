// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/ceilings/probe.h"

/// What the table of a GPU's chip says that it can do, and what per clock, where NVIDIA documents
/// that without "depends on the product".
namespace roofscope::kernels {

/// `perClock` per SM × SMs × highest SM clock; absent when one of them is not known.
[[nodiscard]] std::optional<double> perSm(const ProbeGpu& gpu, std::optional<double> perClock);

/// What an SM does per clock, from the chip's table: operations of "fp64", "fp32", "fp16" or a type
/// of tensor cores ("tensor_bf16"), a fused multiply-add counted as two; "l1_bytes" that it reads
/// from its L1 or its shared memory.
[[nodiscard]] std::optional<double> perClock(const ProbeGpu& gpu, const std::string& rate);

/// Whether its tensor cores are programmed with wgmma; false where no table says so.
[[nodiscard]] bool hasWgmma(const ProbeGpu& gpu);
/// Whether they are programmed with tcgen05 (tensor memory); absent where no table says.
[[nodiscard]] std::optional<bool> hasTensorMemory(const ProbeGpu& gpu);

/// Memory clock × 2 (double data rate) × bus width.
[[nodiscard]] std::optional<double> dramBytesPerSecond(const ProbeGpu& gpu);

}  // namespace roofscope::kernels
