// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/late_writer.h"

#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {

void LateWriter::start() {
    m_spool.writtenElsewhere(m_thread.start([this] {
        const Inside inside;
        // During a capture the driver is not asked.
        const bool anyArguments = !m_captures.open() && m_arguments.resolve(true);
        if (!m_spool.anythingWaits()) return anyArguments;
        m_spool.flush();
        return true;
    }));
}

bool LateWriter::stop() {
    m_spool.writtenElsewhere(false);
    const bool stopped = m_thread.stop();
    m_arguments.resolve(true);
    return stopped;
}

void LateWriter::waited() {
    /// So many that a short program which then ends by _exit, or execs another, loses nothing.
    constexpr int kFirst = 100;
    if (m_thread.running()) {
        if (m_writtenWaits >= kFirst || m_writtenWaits++ >= kFirst) return;
        if (!m_captures.open()) m_arguments.resolve(true);
    }
    m_spool.flush();
}

}  // namespace roofscope::inject
