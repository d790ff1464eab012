// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "collector/inject/calls/state_lock.h"
#include "collector/inject/launches/launch_arguments.h"
#include "collector/inject/launches/open_launch.h"

namespace roofscope::inject {

/// Writes down which buffers launches are given, and follows what is copied into them.
class LaunchBuffers {
public:
    LaunchBuffers(const DriverApi& driver, SpoolWriter& spool, StateLock& state)
        : m_driver(driver), m_spool(spool), m_state(state) {}

    /// Writes down the buffers among the arguments of the calling thread's current launch, which
    /// the driver has accepted. With the state locked.
    void record(const OpenLaunch& launch);
    /// A copy or memset succeeded: `address` is what it wrote to, if that is known. Locks the state
    /// if that needs no waiting.
    void written(std::optional<CUdeviceptr> address);

private:
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    StateLock& m_state;
    BufferTable m_buffers;                   ///< with m_state
    std::atomic<bool> m_writeMissed{false};  ///< a copy could not be noted in m_buffers
};

}  // namespace roofscope::inject
