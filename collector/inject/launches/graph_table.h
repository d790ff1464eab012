// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
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

    /// `era` is the caller's, and tells later what there was when the graph was made.
    void created(const CUpti_GraphData& data, std::size_t era = 0);
    void destroyed(CUgraphExec handle) { m_graphs.erase(handle); }
    /// One of kGraphChanges was a success.
    void changed(CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// Without kernels where it is not known.
    [[nodiscard]] GraphKernels graph(CUgraphExec handle) const;
    /// The era in which it was made; empty where it is not known.
    [[nodiscard]] std::optional<std::size_t> era(CUgraphExec handle) const;

private:
    const DriverApi& m_driver;
    struct Made {
        GraphKernels kernels;
        std::size_t era = 0;
    };
    std::unordered_map<CUgraphExec, Made> m_graphs;
};

}  // namespace roofscope::inject
