// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/inject/ranges/nvtx_events.h"
#include "collector/inject/ranges/nvtx_stack.h"
#include "collector/inject/recording/recording.h"

namespace roofscope::inject {

/// Handles the NVTX ranges of the program: their paths, their place in the timeline, and ranges
/// that are measured as a whole. Thread-safe.
class RangeRecorder {
public:
    explicit RangeRecorder(Recording& recording) : m_recording(recording) {}

    /// A CUPTI callback for NVTX.
    void called(CUpti_CallbackId id, const CUpti_NvtxData& data);
    /// A range begins on the calling thread, or the innermost one of this domain ends. Ranges in a
    /// domain belong to a library, not to the program.
    void push(std::uintptr_t domain, std::string name);
    void pop(std::uintptr_t domain);

private:
    /// Begins to measure the calling thread's innermost range, which is inside `depth` others.
    void measure(NvtxStack& stack, RangeTracker& tracker, std::uint32_t depth);
    /// Waits for the GPU work in these contexts.
    void waitFor(const std::vector<RangeTracker::Context>& contexts);
    /// Records in the timeline that the calling thread's innermost range begins, or that one ended.
    void beginSpan(NvtxStack& stack, CallLog& log);
    void endSpan(std::uint64_t span);

    Recording& m_recording;
    NvtxEvents m_events;
};

}  // namespace roofscope::inject
