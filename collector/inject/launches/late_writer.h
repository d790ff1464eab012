// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "collector/inject/launches/argument_log.h"
#include "collector/inject/launches/stream_captures.h"
#include "collector/inject/threads/background.h"

namespace roofscope::inject {

/// Writes what launches leave in the spool and in the argument log: at once, or, where only times
/// are taken, in a thread of its own, so that the threads that launch need not. From any thread.
class LateWriter {
public:
    LateWriter(ArgumentLog& arguments, SpoolWriter& spool, const StreamCaptures& captures)
        : m_arguments(arguments), m_spool(spool), m_captures(captures) {}

    /// Another thread writes from now on.
    void start();
    /// Back to writing at once; nothing is left to be resolved. False: the thread is still at it,
    /// and what it uses must stay.
    bool stop();

    /// Something was left in the argument log.
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
