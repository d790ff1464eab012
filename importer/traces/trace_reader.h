// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <streambuf>

#include "importer/traces/trace_rows.h"

namespace roofscope::traces {

/// Limits, so that a malicious file causes a fault instead of using up the memory.
struct TraceLimits {
    std::uint64_t maxBytes = 16ULL << 30;  ///< after decompression
    std::uint64_t maxRows = 16'000'000;    ///< number of events that are kept
    std::uint64_t maxTextBytes = 512ULL << 20;
};

/// Reads a trace of PyTorch's profiler (Kineto): an object with "traceEvents", or only the events.
/// Throws TraceFault.
void readTraceRows(std::streambuf& source, const TraceLimits& limits, TraceRows& rows);

}  // namespace roofscope::traces
