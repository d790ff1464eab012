// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/inject/launches/launch_request.h"

namespace roofscope::inject {

/// The kernels that a launch of a graph runs, including those of its child graphs, sorted so that
/// dependencies come first.
class GraphKernels {
public:
    GraphKernels() = default;
    GraphKernels(const DriverApi& driver, CUgraph graph);

    /// The kernels that a launch runs now; empty if there are none or they are unknown.
    [[nodiscard]] std::vector<LaunchRequest> launched() const;
    /// Whether they always run in that order. False if the hardware chooses the order and it
    /// matters: parallel branches with different kernels, or changes that could not be followed.
    [[nodiscard]] bool ordered() const { return m_ordered && m_complete; }
    /// Whether these are all kernels. False for graphs with conditional nodes: the GPU decides what
    /// those run and how often.
    [[nodiscard]] bool complete() const { return m_complete; }

    /// The executable graph now runs what `updated` does. The nodes of the originally instantiated
    /// graph are kept, because later changes refer to them.
    void update(GraphKernels updated);
    /// One node got new launch parameters.
    void change(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params);
    /// Enables or disables a node. Nodes that are not kernels are ignored.
    void enable(CUgraphNode node, bool enabled);
    /// The graph was changed in an unknown way.
    void markUnknownChange() { m_ordered = false; }

private:
    struct Node {
        CUgraphNode node;
        LaunchRequest request;
        bool enabled = true;
    };
    std::vector<Node> m_kernels;
    bool m_ordered = true;
    bool m_complete = true;
};

}  // namespace roofscope::inject
