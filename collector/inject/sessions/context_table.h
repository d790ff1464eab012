// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/sessions/issue_log.h"
#include "collector/spool/writer/spool_writer.h"

namespace roofscope::inject {

/// A CUDA context and the GPU that it is on.
struct KnownContext {
    CUcontext handle = nullptr;
    CUdevice gpu = 0;
    std::uint32_t device = 0;   ///< the GPU's id in the spool
    std::uint32_t ordinal = 0;  ///< CUDA's number of the GPU
    Device facts;
};

/// The CUDA contexts of a process. The driver is asked about each only once. Callers serialise
/// calls.
class ContextTable {
public:
    ContextTable(const CuptiApi& cupti, const DriverApi& driver, SpoolWriter& spool,
                 IssueLog& issues)
        : m_cupti(cupti), m_driver(driver), m_spool(spool), m_issues(issues) {}

    /// What is known about a context. Writes its GPU to the spool if it is new. nullptr if the
    /// driver does not say which GPU it is on; an issue then reports that. Valid until forget().
    const KnownContext* context(CUcontext handle);
    /// The same, if context() was called for it before.
    [[nodiscard]] const KnownContext* known(CUcontext handle) const {
        const auto it = m_contexts.find(handle);
        return it == m_contexts.end() ? nullptr : &it->second;
    }
    /// The context was destroyed. The driver may reuse its handle.
    void forget(CUcontext handle) { m_contexts.erase(handle); }

private:
    const CuptiApi& m_cupti;
    const DriverApi& m_driver;
    SpoolWriter& m_spool;
    IssueLog& m_issues;
    std::map<CUcontext, KnownContext> m_contexts;
    std::map<CUdevice, std::uint32_t> m_devices;  ///< numbers in the spool
};

}  // namespace roofscope::inject
