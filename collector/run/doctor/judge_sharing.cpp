// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "collector/run/doctor/judge_parts.h"

namespace roofscope::doctor {

void judgeSharing(const Facts& f, Checks& checks) {
    const SystemFacts& s = f.system;
    if (!s.mpsServers.empty())
        checks.push_back(
            {.id = "mps",
             .title = "CUDA MPS",
             .status = CheckStatus::Warning,
             .detail =
                 fmt::format("the MPS server is running (pid {}){}{}", s.mpsServers.front(),
                             s.mpsPipe.empty() ? "" : "; CUDA_MPS_PIPE_DIRECTORY=", s.mpsPipe),
             .advice = "CUPTI does not support programs that share the GPU through MPS: counters "
                       "are refused, or count the work of others; end it while you record",
             .cause = "mps",
             .commands = {"echo quit | nvidia-cuda-mps-control"}});
    else if (!s.mpsPipe.empty())
        checks.push_back(
            {.id = "mps",
             .title = "CUDA MPS",
             .status = CheckStatus::Ok,
             .detail = fmt::format("CUDA_MPS_PIPE_DIRECTORY={}, but no MPS server is visible",
                                   s.mpsPipe)});
    for (std::size_t i = 0; i < f.gpu.gpus.size(); ++i) {
        const GpuFacts& gpu = f.gpu.gpus[i];
        // The driver names a part of a GPU "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
        if (gpu.name.find(" MIG ") == std::string::npos || !gpu.enable.ok()) continue;
        checks.push_back({.id = numbered("mig", i),
                          .title = "MIG",
                          .status = CheckStatus::Warning,
                          .detail = gpu.name,
                          .advice = "counters can be read, but they include other work in the same "
                                    "GPU instance: record while nothing else runs there",
                          .cause = "mig-shared",
                          .commands = {"nvidia-smi"}});
    }
    const bool busy =
        std::ranges::any_of(checks, [](const Check& check) { return check.cause == "busy"; });
    // They do not block us now, but may explain why a later recording is refused.
    if (!s.holders.empty() && !busy)
        checks.push_back(
            {.id = "other-profilers",
             .title = "Other profilers",
             .status = CheckStatus::Ok,
             .detail = fmt::format(
                 "{}; if a recording finds the counters busy: {}", holdersText(s),
                 std::ranges::any_of(s.holders, isDcgm) ? "dcgmi profile --pause" : "end them")});
}

bool isDcgm(const CounterHolder& holder) {
    return holder.name == "nv-hostengine" || holder.name.starts_with("dcgm");
}

std::string holdersText(const SystemFacts& system) {
    std::string text;
    for (const auto& holder : system.holders)
        text += fmt::format("{}{} (pid {})", text.empty() ? "" : ", ", holder.name, holder.pid);
    return text;
}

}  // namespace roofscope::doctor
