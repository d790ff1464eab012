// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/compare/causes/candidate.h"

/// One function for each cause of a changed duration: what the counters say about it, or nullopt if
/// they do not show it.
namespace roofscope::compare::causes {

using FoundCause = std::optional<Candidate>;

// shared_memory.cpp
[[nodiscard]] FoundCause bankConflicts(const Measured& m);
[[nodiscard]] FoundCause sharedWavefronts(const Measured& m);

// global_accesses.cpp
[[nodiscard]] FoundCause excessSectors(const Measured& m);
[[nodiscard]] FoundCause spills(const Measured& m);
[[nodiscard]] FoundCause narrowAccess(const Measured& m);
/// Bulk copies instead of threads' loads: the bytes that they move do not count as loads.
[[nodiscard]] FoundCause bulkCopies(const Measured& m);
/// Data is loaded again and again: the faster kernel requests less for the same work.
[[nodiscard]] FoundCause loadedAgain(const Measured& m);

// moved_bytes.cpp
[[nodiscard]] FoundCause dramBytes(const Measured& m);
[[nodiscard]] FoundCause l2Bytes(const Measured& m);
[[nodiscard]] FoundCause l1Bytes(const Measured& m);

// arithmetic.cpp
[[nodiscard]] FoundCause tensorCores(const Measured& m);
/// Products of four warps (wgmma) instead of products of single warps, which keep the pipe busy
/// for longer and wait for their operands in registers (docs/rules.md, mma-instead-of-wgmma).
[[nodiscard]] FoundCause wgmma(const Measured& m);
[[nodiscard]] FoundCause fp64Operations(const Measured& m);
[[nodiscard]] FoundCause fp32Operations(const Measured& m);
[[nodiscard]] FoundCause fp16Operations(const Measured& m);
[[nodiscard]] FoundCause instructions(const Measured& m);
[[nodiscard]] FoundCause activeLanes(const Measured& m);
/// Whether both do the same arithmetic and store the same. Then they differ in how often they load.
[[nodiscard]] bool sameArithmetic(const Measured& m);

// parallelism.cpp
[[nodiscard]] FoundCause gridSize(const Measured& m);
[[nodiscard]] FoundCause imbalance(const Measured& m);
[[nodiscard]] FoundCause waveTail(const Measured& m);
[[nodiscard]] FoundCause occupancy(const Measured& m);
/// The same bytes at another rate, and no other unit is the limit: by Little's law, more bytes
/// were in flight.
[[nodiscard]] FoundCause loadsInFlight(const Measured& m);

}  // namespace roofscope::compare::causes
