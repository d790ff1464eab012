// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/buffer_sets.h"
#include "kernels/compare.h"

namespace roofscope::kernels {

/// Waits for the launches, then compares the float tensor that they wrote, with a tolerance of 1e-5
/// (relative L2). `scratch`: further buffers (one set) that must not be written past their ends;
/// may be empty.
[[nodiscard]] inline Check checkOutput(
    const BufferSets<float>& output, int set, const std::vector<double>& reference,
    std::initializer_list<const std::optional<BufferSets<float>>*> scratch,
    std::function<std::string(std::size_t)> place) {
    require(cudaDeviceSynchronize(), "running the kernel");
    const std::vector<float> out = output.download(set);
    std::uint64_t unwritten = 0, outside = output.bytesWrittenOutside(set);
    for (const float value : out) unwritten += std::bit_cast<std::uint32_t>(value) == ~0U;
    for (const std::optional<BufferSets<float>>* buffer : scratch)
        if (*buffer) outside += (*buffer)->bytesWrittenOutside(0);
    return compare({.tensor = "out",
                    .actual = std::vector<double>(out.begin(), out.end()),
                    .reference = reference,
                    .tolerance = 1e-5,
                    .unwritten = unwritten,
                    .outside = outside,
                    .place = std::move(place)});
}

}  // namespace roofscope::kernels
