// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/run/doctor/judge.h"

/// The parts of judge(), one file each: each adds its checks to the list.
namespace roofscope::doctor {

using Checks = std::vector<Check>;

/// Library, temporary folder, other injected tools, program, toolkit, container.
void judgeSystem(const SystemFacts& system, Checks& checks);
void judgeDriverAndGpus(const Facts& facts, Checks& checks);
/// CUPTI's library, its copies and helpers, its age, and who is attached to it.
void judgeCupti(const Facts& facts, Checks& checks);
/// Chip table and permission of each GPU.
void judgeCounters(const Facts& facts, Checks& checks);
/// Other users of the GPU's counters: MPS, MIG, other profilers. Reads the checks that are already
/// in the list.
void judgeSharing(const Facts& facts, Checks& checks);

/// "gpu", "gpu-1", …
[[nodiscard]] std::string numbered(const char* id, std::size_t index);

/// Whether counters could be started on any GPU. If so, other problems are only warnings.
[[nodiscard]] bool countersWork(const GpuProbe& probe);

/// Why CUPTI refused the counters of one GPU, and what to do. `call` is the answer to the refused
/// call.
[[nodiscard]] Check judgeRefusal(const Facts& facts, const GpuFacts& gpu, std::size_t index,
                                 const Answer& call);

/// "nv-hostengine (pid 12), python (pid 40)"; empty if there is none.
[[nodiscard]] std::string holdersText(const SystemFacts& system);

/// True for DCGM's processes, which release the counters on request.
[[nodiscard]] bool isDcgm(const CounterHolder& holder);

/// The CUDA version that a CUPTI belongs to, in the driver's format (13000). 0 if its version does
/// not tell, as before CUDA 13.
[[nodiscard]] int cudaVersionOf(std::uint32_t cuptiVersion);

/// "13.0" of 13000.
[[nodiscard]] std::string cudaText(int version);

/// A complete libcupti that is not the one that was loaded; nullptr when none was found.
[[nodiscard]] const CuptiFile* betterCupti(const Facts& facts);

/// True when a file name's release ("2024.3.2") is known to be older than CUDA 12.8's.
[[nodiscard]] bool isTooOld(const CuptiFile& file);

}  // namespace roofscope::doctor
