// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/inject/launches/argument_log.h"
#include "collector/inject/launches/stream_captures.h"
#include "collector/inject/threads/background.h"

namespace roofscope::inject {

/// Writes the queued lines of the spool and the stored words of the argument log. If only times are
/// measured, a thread of its own does so to relieve the threads that launch; otherwise they are
/// written at once. Thread-safe.
class LateWriter {
public:
    LateWriter(ArgumentLog& arguments, SpoolWriter& spool, const StreamCaptures& captures)
        : m_arguments(arguments), m_spool(spool), m_captures(captures) {}

    /// From now on, the other thread writes.
    void start();
    /// Goes back to writing at once, and resolves what is left. False: the thread is still running,
    /// so everything that it uses must be kept alive.
    bool stop();

    /// Something was added to the argument log.
    void left() {
        if (!m_thread.running()) m_arguments.resolve(false);
    }
    /// The program has waited for the GPU.
    void waited();
    /// Memory is about to be freed.
    void beforeFree() {
        if (m_thread.running()) m_arguments.beforeFree(!m_captures.open());
    }

private:
    ArgumentLog& m_arguments;
    SpoolWriter& m_spool;
    const StreamCaptures& m_captures;
    std::atomic<int> m_writtenWaits{0};  ///< waits after which the program's own thread wrote
    Background m_thread;
};

}  // namespace roofscope::inject
