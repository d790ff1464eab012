// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/calls/call_times.h"
#include "collector/inject/calls/pinned_memory.h"
#include "collector/inject/calls/timeline_log.h"
#include "collector/inject/launches/gpu_waits.h"
#include "collector/inject/launches/late_writer.h"
#include "collector/inject/launches/pace_log.h"
#include "collector/inject/launches/stream_captures.h"
#include "collector/inject/ranges/measured_ranges.h"
#include "collector/inject/sessions/cache_flushes.h"
#include "collector/inject/sessions/context_table.h"
#include "collector/inject/sessions/counter_session.h"
#include "collector/inject/sessions/device_plan.h"
#include "collector/inject/sessions/issue_log.h"

namespace roofscope::inject {

/// Opens the counters of a context, which must be current. Tests pass their own function.
using OpenCounters = std::function<Result<std::unique_ptr<CounterSession>>(
    const CuptiApi&, CUcontext, CUdevice, const CountersMode&, const Device&, const ReportIssue&)>;

/// What the measurements of a recording work with. All of it outlives them.
struct MeasurementParts {
    const CuptiApi& cupti;
    const DriverApi& driver;
    SpoolWriter& spool;
    LateWriter& writer;
    IssueLog& issues;
    ContextTable& contexts;
    CacheFlushes& flushes;
    MeasuredRanges& ranges;
    TimelineLog& timeline;
    CallTimes& callTimes;  ///< of launch calls that are traced
    PinnedMemory& pinned;
    GpuWaits& waits;
    PaceLog& pace;
    const StreamCaptures& captures;
    OpenCounters openCounters;
    std::string folder;  ///< folder of the spool
};

}  // namespace roofscope::inject
