// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "collector/inject/launches/kernel_facts.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// The kernels of a process. The driver is asked about each only once, so that launches stay cheap.
/// Callers serialise calls.
class KernelTable {
public:
    struct Known {
        std::uint32_t id = 0;  ///< in the spool
        std::string name, symbol;
        std::uint64_t signature = 0;  ///< of kernelSignature()
        std::optional<Dim3> cluster;  ///< that it was compiled with
        bool waitsForPeers = false;   ///< must not be replayed
    };

    KernelTable(const DriverApi& driver, SpoolWriter& spool) : m_driver(driver), m_spool(spool) {}

    /// Writes the kernel to the spool when it is a new one.
    const Known& kernel(const LaunchRequest& request);
    /// Blocks per SM for this kernel, block size and dynamic shared memory.
    std::optional<std::uint32_t> residentBlocks(const LaunchRequest& request);
    /// Modules were unloaded: handles may come again for other functions.
    void forgetHandles();

private:
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    std::unordered_map<CUfunction, Known> m_byHandle;
    std::unordered_map<std::string, std::uint32_t> m_ids;  ///< by all facts
    std::map<std::tuple<CUfunction, std::uint64_t, std::uint64_t>, std::optional<std::uint32_t>>
        m_residentBlocks;
};

}  // namespace roofscope::inject
