// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/recording/recording.h"

namespace roofscope::inject {

/// Follows the CUDA graphs of the program, so that their launches can be measured: which kernels
/// they run, and that counters are on when a graph is created.
class GraphFollower {
public:
    explicit GraphFollower(Recording& recording) : m_recording(recording) {}

    /// A stream capture begins (before and after the call), could not begin, or has ended.
    void captureBegins();
    void captureBegan();
    void captureFailed() { m_recording.captures.ended(); }
    void captureEnded() { m_recording.captures.ended(); }
    /// A graph is instantiated (before and after the call), or destroyed.
    void creating() { prepare(); }
    void created(const CUpti_GraphData& graph);
    void destroyed(CUgraphExec handle);
    /// An instantiated graph is changed (before and after the call).
    void changing() { prepare(); }
    void changed(CUpti_CallbackId id, const CUpti_CallbackData& data);

private:
    /// Makes sure that launches in the current context can be measured while a graph is captured,
    /// instantiated or changed. Kernels of a graph that was instantiated before counters were on
    /// never yield ranges. Kernels of a graph that is older than the tracing may not be timed.
    void prepare();

    Recording& m_recording;
};

}  // namespace roofscope::inject
