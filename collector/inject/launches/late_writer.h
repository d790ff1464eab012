// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/inject/launches/argument_log.h"
#include "collector/inject/launches/stream_captures.h"
#include "collector/inject/threads/background.h"

namespace roofscope::inject {

/// Writes what launches leave in the spool and in the argument log: at once, or, if only times are
/// taken, in a thread of its own to relieve the threads that launch. Thread-safe.
class LateWriter {
public:
    LateWriter(ArgumentLog& arguments, SpoolWriter& spool, const StreamCaptures& captures)
        : m_arguments(arguments), m_spool(spool), m_captures(captures) {}

    /// From now on another thread writes.
    void start();
    /// Goes back to writing at once, and resolves what is left. False: the thread still runs, so
    /// what it uses must be kept.
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
    std::atomic<int> m_writtenWaits{0};  ///< after so many waits the program's own thread wrote
    Background m_thread;
};

}  // namespace roofscope::inject
