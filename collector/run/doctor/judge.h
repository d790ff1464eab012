// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/run/doctor.h"
#include "collector/run/doctor/facts.h"

/// What the facts mean. Pure functions: tests give them the facts of machines that nobody has.
namespace roofscope::doctor {

/// Every check, in the order in which a recording needs them, and the exit code.
[[nodiscard]] Diagnosis judge(const Facts& facts);

/// Why CUPTI refused the counters of one GPU, and what to do: judge_counters.cpp. `call` is the
/// answer that was a refusal.
[[nodiscard]] Check judgeRefusal(const Facts& facts, const GpuFacts& gpu, std::size_t index,
                                 const Answer& call);

/// "nv-hostengine (pid 12), python (pid 40)"; empty when there is none.
[[nodiscard]] std::string holdersText(const SystemFacts& system);

/// True for DCGM's processes, which let go of the counters when asked to.
[[nodiscard]] bool isDcgm(const CounterHolder& holder);

/// The CUDA version that a CUPTI belongs to, as the driver counts (13000); 0 when its version does
/// not say, as before CUDA 13.
[[nodiscard]] int cudaVersionOf(std::uint32_t cuptiVersion);

/// "13.0" of 13000.
[[nodiscard]] std::string cudaText(int version);

/// A complete libcupti that is not the one that was loaded; nullptr when none was found.
[[nodiscard]] const CuptiFile* betterCupti(const Facts& facts);

/// True when a file name's release ("2024.3.2") is known to be older than CUDA 12.8's.
[[nodiscard]] bool isTooOld(const CuptiFile& file);

}  // namespace roofscope::doctor
