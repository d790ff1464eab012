// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "collector/cupti/cupti_api.h"
#include "collector/cupti/driver_api.h"
#include "collector/inject/launches/graph_kernels.h"

namespace roofscope::inject {

/// The instantiated graphs of a process and the kernels that a launch of each runs, including
/// changes since a graph was created. Callers serialise calls.
class GraphTable {
public:
    explicit GraphTable(const DriverApi& driver) : m_driver(driver) {}

    /// `era`: a number of the caller's choice that tells when the graph was created; returned by
    /// era().
    void created(const CUpti_GraphData& data, std::size_t era = 0);
    void destroyed(CUgraphExec handle) { m_graphs.erase(handle); }
    /// One of kGraphChanges returned successfully.
    void changed(CUpti_CallbackId id, const CUpti_CallbackData& data);
    /// Without kernels if the graph is unknown.
    [[nodiscard]] GraphKernels graph(CUgraphExec handle) const;
    /// The era in which it was created; empty if unknown.
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
