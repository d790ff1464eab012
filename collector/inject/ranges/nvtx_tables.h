// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "collector/cupti/cupti_api.h"

/// The tables through which a program's NVTX calls reach an injected library.
namespace roofscope::inject::nvtx {

/// What NVTX passes to an injected library for each shared object that uses NVTX: a function that
/// returns that object's tables.
using ExportTables = const void* (*)(std::uint32_t id);
using Function = void (*)();

// NVTX's modules, the same in all versions of NVTX 3.
inline constexpr int kCore = 1, kCore2 = 5;  // NVTX_CB_MODULE_CORE, …_CORE2
// Indices into the functions of kCore.
inline constexpr unsigned kRangePushEx = 8, kRangePushA = 9, kRangePushW = 10, kRangePop = 11;
// Indices into the functions of kCore2.
inline constexpr unsigned kDomainRangePushEx = 4, kDomainRangePop = 5;

/// Where a shared object keeps the functions that it calls for a module; entries may be null. Empty
/// if the tables are not as expected.
[[nodiscard]] std::span<Function*> functionsOf(ExportTables tables, int module);

/// Called at the beginning and end of each range, in the form of CUPTI's callbacks: `parameters`
/// are those of CUpti_NvtxData::functionParams.
using RangeHandler = void (*)(CUpti_CallbackId id, const void* parameters);

/// Takes over the ranges of a shared object from CUPTI, after CUPTI's InitializeInjectionNvtx2 was
/// called for it. CUPTI compares the text of each range with those of all earlier ranges, one by
/// one. JAX uses thousands of names, and each of its operators took 0.7 ms longer. There is one
/// handler for all objects. False: the tables are not as expected, and CUPTI keeps the ranges.
bool takeRanges(ExportTables tables, RangeHandler handler);

}  // namespace roofscope::inject::nvtx
