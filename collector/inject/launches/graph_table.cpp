// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launches/graph_table.h"

namespace roofscope::inject {

void GraphTable::created(const CUpti_GraphData& data, std::size_t era) {
    m_graphs[data.graphExec] = {GraphKernels(m_driver, data.graph), era};
}

std::optional<std::size_t> GraphTable::era(CUgraphExec handle) const {
    const auto it = m_graphs.find(handle);
    return it == m_graphs.end() ? std::nullopt : std::optional(it->second.era);
}

void GraphTable::changed(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
        case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2: {
            // Both versions start with the same two arguments.
            const auto& p = *static_cast<const cuGraphExecUpdate_v2_params*>(data.functionParams);
            m_graphs[p.hGraphExec].kernels.update(GraphKernels(m_driver, p.hGraph));
            break;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled: {
            const auto& p = *static_cast<const cuGraphNodeSetEnabled_params*>(data.functionParams);
            m_graphs[p.hGraphExec].kernels.enable(p.hNode, p.isEnabled != 0);
            break;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2: {
            const auto& p =
                *static_cast<const cuGraphExecKernelNodeSetParams_v2_params*>(data.functionParams);
            if (p.nodeParams) m_graphs[p.hGraphExec].kernels.change(p.hNode, *p.nodeParams);
            break;
        }
        default: {
            // Old or general kinds of changes: what the graph runs now is unknown. The executable
            // graph is the first argument of all of them.
            const auto& p = *static_cast<const cuGraphNodeSetEnabled_params*>(data.functionParams);
            m_graphs[p.hGraphExec].kernels.markUnknownChange();
        }
    }
}

GraphKernels GraphTable::graph(CUgraphExec handle) const {
    const auto it = m_graphs.find(handle);
    return it == m_graphs.end() ? GraphKernels() : it->second.kernels;
}

}  // namespace roofscope::inject
