// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/late_writer.h"

#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {

void LateWriter::start() {
    m_spool.setFlushedByOtherThread(m_thread.start([this] {
        const Inside inside;
        // The driver must not be asked during a capture.
        const bool anyArguments = !m_captures.open() && m_arguments.resolve(true);
        if (!m_spool.hasQueuedLines()) return anyArguments;
        m_spool.flush();
        return true;
    }));
}

bool LateWriter::stop() {
    m_spool.setFlushedByOtherThread(false);
    const bool stopped = m_thread.stop();
    m_arguments.resolve(true);
    return stopped;
}

void LateWriter::waited() {
    /// So many waits write in the program's own thread, so that a short program that then calls
    /// _exit or exec loses nothing.
    constexpr int kFirst = 100;
    if (m_thread.running()) {
        if (m_writtenWaits >= kFirst || m_writtenWaits++ >= kFirst) return;
        if (!m_captures.open()) m_arguments.resolve(true);
    }
    m_spool.flush();
}

}  // namespace roofscope::inject
