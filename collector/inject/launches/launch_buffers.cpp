// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/launch_buffers.h"

#include "collector/inject/launches/launch_tracker.h"

namespace roofscope::inject {

void LaunchBuffers::record(const OpenLaunch& launch) {
    if (!launch.function || launch.sequences.size() != 1) return;
    if (launch.sequences.front() == LaunchTracker::kUnwanted) return;
    try {
        if (m_writeMissed.exchange(false)) m_buffers.writtenAnywhere();
        // Only now: the driver has read these bytes, so they can be read safely.
        const auto list = bufferArguments(m_driver, realFunction(m_driver, launch.function),
                                          launch.parameters, m_buffers, m_spool);
        if (list) m_spool.arguments(launch.sequences.front(), *list);
    } catch (...) {
        // Out of memory: a launch without its buffers. Its counters must not be lost with them.
    }
}

void LaunchBuffers::written(std::optional<CUdeviceptr> address) {
    const auto state = m_state.tryTake();
    if (!state.owns_lock())
        m_writeMissed = true;
    else if (address)
        m_buffers.written(*address);
    else
        m_buffers.writtenAnywhere();
}

}  // namespace roofscope::inject
