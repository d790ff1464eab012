// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

/// Paths of NVTX ranges, as Profile::ranges has them: "epoch > step".
namespace roofscope::program {

/// Between the names of a path.
inline constexpr std::string_view kWithin = " > ";

/// The innermost name of a path: "epoch > step" → "step".
[[nodiscard]] inline std::string lastName(const std::string& path) {
    const auto inner = path.rfind(kWithin);
    return inner == path.npos ? path : path.substr(inner + kWithin.size());
}

/// Whether the path leads into the range of the other one: "epoch > step" into "epoch".
[[nodiscard]] inline bool isWithin(std::string_view path, std::string_view outer) {
    return path.starts_with(outer) && path.substr(outer.size()).starts_with(kWithin);
}

/// Whether libraries name their ranges like this: after a function of their own
/// ("cub::DeviceRadixSort", "aten::mm", "autograd::engine::…") or an optimizer's step. A program
/// may name ranges after its own classes ("Solver::step"), so only names of known libraries count.
[[nodiscard]] inline bool isOfLibrary(std::string_view name) {
    constexpr std::array<std::string_view, 11> kBefore{
        "aten::", "at::",     "autograd::", "c10::",      "c10d::",    "cub::",
        "cuda::", "thrust::", "torch::",    "Optimizer.", "XlaModule:"};
    // "cublasSgemm", but not "cublas" or "nccl step", with which a program names what it compares.
    constexpr std::array<std::string_view, 5> kFunctions{"cublas", "cudnn", "cufft", "cusparse",
                                                         "nccl"};
    const auto begins = [&](std::string_view library) { return name.starts_with(library); };
    const auto isFunction = [&](std::string_view library) {
        return begins(library) && name.size() > library.size() && name[library.size()] >= 'A' &&
               name[library.size()] <= 'Z';
    };
    return std::ranges::any_of(kBefore, begins) || std::ranges::any_of(kFunctions, isFunction);
}

}  // namespace roofscope::program
