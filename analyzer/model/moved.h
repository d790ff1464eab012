// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <variant>
#include <vector>

#include "analyzer/model/shared_text.h"

namespace roofscope {
enum class Precision;  // analyzer/model/analysis.h
}

/// What an edit is expected to move. A comparison reads it again from the kernel after the edit
/// (analyzer/compare/promises.cpp):
///
///     .what = moved::Counters{counter::kGlobalLoads, counter::kGlobalStores}
///     .what = moved::Value::Blocks
///     .what = moved::FusedShare{Precision::Fp32}
namespace roofscope::moved {

/// Counters by name; their sum per launch.
struct Counters {
    Counters(std::initializer_list<SharedText> counters) : names(counters) {}
    std::vector<SharedText> names;
};

/// One number of a kernel (Quantities).
enum class Value : std::uint8_t {
    Blocks,               ///< of the grid
    WaveEfficiency,       ///< waves / ⌈waves⌉
    BusiestSm,            ///< its active cycles over those of the average SM
    AchievedOccupancy,    ///< share
    ActiveLanes,          ///< share of a warp
    IntegerPipe,          ///< share of its peak
    SpecialFunctionPipe,  ///< share of its peak
    AtomicUnit,           ///< of the busiest L2 slice; share of its cycles
    DramRead,             ///< bytes
    DramWritten,          ///< bytes
    DramBandwidth         ///< share of what can be attained
};

/// Operations of the vector pipes, without tensor cores.
struct Operations {
    Precision precision;
};

/// Fused multiply-adds among additions, multiplications and fused multiply-adds.
struct FusedShare {
    Precision precision;
};

/// The share of time that resident warps wait for one reason.
struct StallShare {
    SharedText reason;     ///< as CUPTI names it: "long_scoreboard"
    bool sampled = false;  ///< from samples (Stalls::sampled), not from counters
};

/// How a launch or the program behaves over time. No number of a kernel shows it, so a comparison
/// cannot check it.
struct OverTime {};

using What = std::variant<Counters, Value, Operations, FusedShare, StallShare, OverTime>;

}  // namespace roofscope::moved
