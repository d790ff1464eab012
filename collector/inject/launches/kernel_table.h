// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/inject/launches/kernel_facts.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// The kernels of a process. The driver is asked only once about each, so that launches stay
/// cheap. Callers serialise calls.
class KernelTable {
public:
    /// How many blocks of one shape fit on an SM.
    struct Resident {
        std::uint64_t threads = 0, sharedBytes = 0;  ///< per block
        std::optional<std::uint32_t> blocks;
    };
    struct Known {
        std::uint32_t id = 0;  ///< in the spool
        std::string name, symbol;
        std::uint64_t signature = 0;  ///< of kernelSignature()
        std::optional<Dim3> cluster;  ///< shape that it was compiled with
        bool waitsForPeers = false;   ///< waits for other processes (NCCL): no replay
        /// By shape, of which there are few; the last one asked for comes first.
        mutable std::vector<Resident> resident = {};
    };

    KernelTable(const DriverApi& driver, SpoolWriter& spool) : m_driver(driver), m_spool(spool) {}

    /// Writes the kernel to the spool if it is new.
    const Known& kernel(const LaunchRequest& request);
    /// Blocks per SM for this kernel, block size and dynamic shared memory.
    std::optional<std::uint32_t> residentBlocks(const Known& kernel, const LaunchRequest& request);
    /// Modules were unloaded: the driver may reuse handles for other functions.
    void forgetHandles();

private:
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    std::unordered_map<CUfunction, Known> m_byHandle;
    std::unordered_map<std::string, std::uint32_t> m_ids;  ///< by name and resources
};

}  // namespace roofscope::inject
