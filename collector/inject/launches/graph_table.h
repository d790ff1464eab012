// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/launches/graph_kernels.h"

namespace roofscope::inject {

/// The instantiated graphs of a process: which kernels a launch of each runs, whatever was changed
/// since it was made. Callers serialise calls.
class GraphTable {
public:
    explicit GraphTable(const DriverApi& driver) : m_driver(driver) {}

    void created(const CUpti_GraphData& data);
    void destroyed(CUgraphExec handle) { m_graphs.erase(handle); }
    /// One of kGraphChanges was a success.
    void changed(CUpti_CallbackId id, const CUpti_CallbackData& data);
    [[nodiscard]] bool knows(CUgraphExec handle) const { return m_graphs.contains(handle); }
    /// Without kernels where it is not known.
    [[nodiscard]] GraphKernels graph(CUgraphExec handle) const;

private:
    const DriverApi& m_driver;
    std::unordered_map<CUgraphExec, GraphKernels> m_graphs;
};

}  // namespace roofscope::inject
