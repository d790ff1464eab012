// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "collector/cupti/cupti_api.h"

/// The tables through which a program's NVTX calls reach an injected library.
namespace roofscope::inject::nvtx {

/// What NVTX gives an injected library for each shared object that uses it: a function that returns
/// its tables.
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

/// Gets the beginnings and ends of ranges as CUPTI's callbacks give them: `parameters` as in
/// CUpti_NvtxData::functionParams.
using RangeHandler = void (*)(CUpti_CallbackId id, const void* parameters);

/// Takes the ranges of a shared object instead of CUPTI, for which InitializeInjectionNvtx2 of
/// CUPTI was called before. CUPTI compares the text of each range with those of all earlier ranges,
/// one by one: JAX names thousands, and each of its operators took 0.7 ms longer. The handler is
/// the same for all. False: the tables are not as expected, and CUPTI keeps the ranges.
bool takeRanges(ExportTables tables, RangeHandler handler);

}  // namespace roofscope::inject::nvtx
