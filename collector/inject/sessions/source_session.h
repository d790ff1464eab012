// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/sessions/kept_code.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// Counters per instruction of one launch, by CUPTI's SASS metrics.
///
/// CUPTI 13.0 gives data only for the first function that is launched after the first Enable in a
/// process. So everything stays off until the wanted launch, and a process measures only one.
class SourceSession {
public:
    /// `folder` receives the cubin of the measured kernel.
    SourceSession(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                  std::string folder);

    /// A module was loaded. Keeps its code for source lines and disassembly.
    void moduleLoaded(const void* cubin, std::size_t bytes);
    /// Call it just before the wanted launch: switches the counters on in the current context.
    void begin(CUcontext context, CUdevice device);
    /// Call it just after that launch: waits for it, writes its counters and switches off for good.
    void end(CUcontext context, CUdevice device, std::uint64_t sequence, std::uint32_t kernel,
             const std::string& symbol);
    [[nodiscard]] bool begun() const { return m_begun; }

private:
    void fail(const std::string& what, const std::string& advice = {});
    void handOver(CUcontext context, std::uint64_t sequence, std::uint32_t kernel,
                  const std::string& symbol);

    /// Adds a row per instruction of `data`, whose records have `values` values each.
    void addRows(const std::vector<CUpti_SassMetrics_Data>& data, std::size_t values,
                 const std::string& symbol, SourceRecord& record) const;

    const CuptiApi& m_cupti;
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    KeptCode m_code;
    std::map<std::uint64_t, std::string> m_metrics;  ///< name by CUPTI's id
    bool m_begun = false;
};

}  // namespace roofscope::inject
