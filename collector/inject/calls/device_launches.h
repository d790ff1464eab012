// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace roofscope::inject {

/// Whether kernels of this module launch kernels themselves (dynamic parallelism or device-side
/// graph launches): the module then refers to the launch functions of the device runtime. False if
/// it is no ELF file.
[[nodiscard]] bool launchesFromKernels(std::span<const std::uint8_t> cubin);

}  // namespace roofscope::inject
