// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/analysis.h"
#include "profile/names/function_name.h"

namespace roofscope {

/// What identifies a kernel, without its values; patterns and pairing use nothing else. The names
/// are views into the profile or analysis that it was made from, which must outlive it.
struct KernelIdentity {
    std::string_view name;      ///< as reports show it
    std::string_view fullName;  ///< demangled
    std::string_view range;     ///< NVTX range or empty
    std::uint32_t device = 0;
    Dim3 grid, block;
    std::optional<Dim3> cluster;
    std::uint64_t dynamicSharedBytes = 0;
    std::uint32_t firstLaunch = 0;  ///< kernels are ordered by it
};

/// The identity of an analysed kernel, which must outlive it.
[[nodiscard]] inline KernelIdentity identityOf(const KernelAnalysis& kernel) {
    const LaunchGroup& group = kernel.group;
    return {.name = kernel.name,
            .fullName = kernel.fullName,
            .range = kernel.range,
            .device = group.device,
            .grid = group.grid,
            .block = group.block,
            .cluster = group.cluster,
            .dynamicSharedBytes = group.dynamicSharedBytes,
            .firstLaunch = group.launches.empty() ? 0 : group.launches.front()};
}

/// The name without template arguments, shortened for display: "transpose<float, 32>" →
/// "transpose".
[[nodiscard]] inline std::string bareName(const KernelIdentity& kernel) {
    return shortKernelName(functionBaseName(kernel.fullName));
}

/// The identities of all kernels of an analysis, in their order.
[[nodiscard]] inline std::vector<KernelIdentity> identitiesOf(const Analysis& analysis) {
    std::vector<KernelIdentity> all;
    all.reserve(analysis.kernels.size());
    for (const KernelAnalysis& kernel : analysis.kernels) all.push_back(identityOf(kernel));
    return all;
}

}  // namespace roofscope
